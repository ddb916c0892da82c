"""Aggregative Markov games: decentralized learning of CCE, certified exactly.

The reference replication of *Decentralized MARL for Coarse Correlated Equilibrium in Aggregative
Markov Games* (Huang, Mu, Chen 2026). Data flows one way: game → run → certificate → evaluation.
"""

from amg.kernels import separate_caches

__version__ = "0.1.0"

separate_caches()  # before anything is compiled
