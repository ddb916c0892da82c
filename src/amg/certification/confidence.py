"""The confidence lemma, measured: V̲ ≤ V and U ≤ V̄ at every node of the certified policy.

The lemma states it with probability 1 − p for the best response against π̄^{t,k}; its proof bounds
the informed deviator U, so that is what is held against V̄ here. Nodes without a completed stage are
left out: there the bounds are 0 and T − t + 1 and hold by definition.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from amg.certification.certificate import Certificate
from amg.certification.controller import Controller
from amg.certification.evaluation import Evaluation

ROUNDING = 1e-12  # normalised units


@dataclass(frozen=True, eq=False)
class Confidence:
    """One row for each completed stage, in the order of the certificate; normalised units."""

    value: NDArray[np.float64]  # [stages, N] V after the stage
    informed: NDArray[np.float64]  # [stages, N] U
    lower_holds: NDArray[np.bool_]  # [stages, N] V̲ ≤ V
    upper_holds: NDArray[np.bool_]  # [stages, N] U ≤ V̄

    @property
    def coverage(self) -> tuple[float, float]:
        """Shares of nodes and agents where the lower and the upper bound hold."""
        if not self.lower_holds.size:
            return 1.0, 1.0
        return float(self.lower_holds.mean()), float(self.upper_holds.mean())

    @property
    def holds(self) -> bool:
        """The lemma's event: both bounds hold everywhere."""
        return bool(self.lower_holds.all() and self.upper_holds.all())


def check_confidence(
    certificate: Certificate, controller: Controller, evaluation: Evaluation
) -> Confidence:
    """Hold V̄ and V̲ of training against the exact values of the nodes they speak of."""
    t, s = certificate.stage_key[:, 0], certificate.stage_key[:, 1]
    m = np.arange(len(t)) - certificate.stage_row(t, s, np.zeros_like(t)) + 1
    node = controller.base[t, s] + m
    value, informed = evaluation.node_value[node], evaluation.node_informed[node]
    return Confidence(
        value=value,
        informed=informed,
        lower_holds=certificate.stage_v_low <= value + ROUNDING,
        upper_holds=informed <= certificate.stage_v_bar + ROUNDING,
    )
