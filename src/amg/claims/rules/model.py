"""Rules of the model: the payoff matrices, and what an agent needs to know."""

from __future__ import annotations

from amg.claims.lookup import Tables, rows
from amg.claims.verdict import Evidence, NotTestable, Verdict

Pays = list[list[list[float]]]  # [a_1][a_2] = [pay 1, pay 2]


def matches(
    tables: Tables, *, game: str, actions: list[str], matrices: dict[str, Pays], tolerance: float
) -> Verdict:
    """r(s, a_1, a_2) is what the paper prints: matrices[s][a_1][a_2] = [pay 1, pay 2]."""
    sides = {len(actions)}
    for state, matrix in matrices.items():
        if {len(matrix)} | {len(row) for row in matrix} != sides or any(
            len(pays) != 2 for row in matrix for pays in row
        ):
            raise NotTestable(f"matrix {state} has not one pair of pays for each two actions")
    table = rows(tables, "payoffs", game=game)
    wrong, compared = [], 0
    for state, matrix in matrices.items():
        for a, row in zip(actions, matrix, strict=True):
            for b, printed in zip(actions, row, strict=True):
                cell = {"state": state, "action 1": a, "action 2": b}
                for found in rows(tables, "payoffs", game=game, **cell).to_dict("records"):
                    pays = [found["pay 1"], found["pay 2"]]
                    off = [abs(x - y) > tolerance for x, y in zip(pays, printed, strict=True)]
                    compared += 2
                    wrong += [f"{state} ({a}, {b}): {pays}, printed {printed}"] * sum(off)
    if compared < 2 * len(table):
        raise NotTestable(f"game {game} has states or actions that the matrices do not")
    evidence = Evidence(f"{compared - len(wrong)} of {compared} pays equal")
    if wrong:
        return evidence.not_reproduced(f"First difference: {wrong[0]}.")
    return evidence.reproduced("f(a_i) − g(a) − c(s) gives every printed pay, at every step.")


def is_local(tables: Tables, *, tolerance: float) -> Verdict:
    """Policies and V̄ follow from own states, actions, rewards and d; nothing else changes them."""
    table = rows(tables, "locality")
    error = float(table[["policy_error", "v_bar_error"]].max().max())
    wrong, changed = int(table["length_errors"].sum()), int(table["changed"].sum())
    perturbed, regrouped = int(table["perturbed"].sum()), int(table["regrouped"].sum())
    evidence = Evidence(
        f"{changed} of {perturbed:,} updates changed by what an agent must not read; a replay from "
        f"local data is within {error:.1g}"
    )
    if changed:
        return evidence.not_reproduced(
            f"{changed} of {perturbed:,} updates changed when only the others' rewards, memories "
            f"or actions did."
        )
    if wrong or error > tolerance:
        return evidence.not_reproduced(
            f"A replay from local data misses {wrong} stage lengths and is off by {error:.1g}."
        )
    why = (
        f"{int(table['visits'].sum()):,} visits of {len(table)} agents follow from their own data; "
        f"changing the others' rewards and memories before each of {perturbed:,} episodes, and in "
        f"{regrouped:,} of them who of the others does what, leaves every bit of the agent's own."
    )
    deaf = int(table["length_errors_without_aggregate"].sum())
    caveat = (
        f"An agent must also be told the public aggregate, which Section II does not list among "
        f"what it observes: without it {deaf / table['visits'].sum():.0%} of visits have another "
        f"stage length."
    )
    return evidence.reproduced(why, caveat if deaf else None)
