"""Benchmarks of the kernels: `python -m amg.bench`."""
