"""What an exact evaluation says, as text for a terminal of 80 columns."""

import textwrap
from typing import Any

from amg.base.text import columns_of_numbers, fixed, text_table

WIDTH = 80  # characters of a line
COLUMNS = ("mean_return", "value", "best_response", "informed_gap", "own_bound")
POLICIES = {
    "independent": "a policy of independent agents",
    "mixture": "a mixture of policies",
    "joint": "a law of joint actions",
}
DEVIATORS = {  # what a deviator sees, in words
    "history": "the history",
    "sums": "its own actions, the states and the sum of the others' efforts",
}


def describe(summary: dict[str, Any]) -> str:
    """Return the summary of a policy or a run, with a row for each agent."""
    columns = [name for name in COLUMNS if name in summary]
    numbers = columns_of_numbers(list(zip(*(summary[name] for name in columns), strict=True)))
    rows = [[agent, *row] for agent, row in zip(summary["agents"], numbers, strict=True)]
    lines = [
        *_wrapped(f"{summary['game']}: {_subject(summary)}"),
        "",
        *text_table(["agent", *(name.replace("_", " ") for name in columns)], rows),
        "",
        *_gaps(summary),
        "",
        *_largest_gaps(summary),
    ]
    if "own_bound" in summary:
        lines += [
            *_wrapped(_lemma(summary)),
            f"{summary['stages']} stages, {summary['cells']} cells",
        ]
    return "\n".join(lines)


def _subject(summary: dict[str, Any]) -> str:
    """Return which policy was evaluated: a given one, or that of a run."""
    if summary["policy"] in POLICIES:
        return POLICIES[summary["policy"]]
    settings = ", ".join(f"{name}={value}" for name, value in summary["parameters"].items())
    return (
        f"{summary['policy']} policy of {summary['algorithm']}, K = {summary['episodes']:,}, "
        f"seed {summary['seed']} ({settings})"
    )


def _gaps(summary: dict[str, Any]) -> list[str]:
    """Return a table of the gap of each agent, from each initial state and their mean."""
    law, of_states = summary["initial_law"], summary["gap_by_initial_state"]
    total = summary["return_range"]
    several = len(law) > 1
    labels, gaps = [], []
    for agent, mean in zip(summary["agents"], summary["mean_gap"], strict=True):
        labels += [[agent, state, f"{p:.6g}"] for state, p in law.items()]
        gaps += [of_states[state][agent] for state in law]
        if several:
            labels.append([agent, "mean", ""])
            gaps.append(mean)
    header = ["agent", "initial state", "probability"][: 3 if several else 1]
    numbers = columns_of_numbers([[gap] for gap in gaps])
    rows = [
        [*label[: len(header)], *number, _share(gap / total)]
        for label, number, gap in zip(labels, numbers, gaps, strict=True)
    ]
    means = "values and best responses are means over the initial states; " if several else ""
    start = " from each initial state" if several else ""
    bound = "" if all(summary["exact"]) else ", an upper bound"
    part = f"its share of the range of an episode's return ({total:.6g})"
    lines = _wrapped(f"{means}the gap{start}{bound}, and {part}:")
    return [*lines, "", *text_table([*header, "gap", "of the range"], rows)]


def _share(of_range: float) -> str:
    """Return a share as a percentage with four decimals; never a negative zero."""
    return f"{fixed(100 * of_range, 4)}%"


def _largest_gaps(summary: dict[str, Any]) -> list[str]:
    """Return the largest gap, what its deviator sees, and the gap of one who may see more."""
    exact = all(summary["exact"])
    where = "agents and initial states" if len(summary["initial_law"]) > 1 else "agents"
    lines = _wrapped(
        f"equilibrium gap ({'exact' if exact else 'upper bound'}; the deviator sees "
        f"{DEVIATORS[summary['deviator']]}), maximum over {where}: {summary['max_gap']:.6g}, "
        f"{_share(summary['max_gap_share'])} of the range of an episode's return"
    )
    if not exact:
        searched = any(summary["histories"])
        reason = (
            "the tree of histories exceeds the budget"
            if searched
            else "beyond T = 2 no histories are searched for a policy evaluated while it is learned"
        )
        lines += _wrapped(
            f"{reason}: the gap lies between {summary['max_gap_low']:.6g} and "
            f"{summary['max_gap']:.6g}"
        )
    if summary["deviator"] == "sums":
        lines += _wrapped(
            f"informed gap (an upper bound for a deviator who sees joint actions), maximum over "
            f"{where}: {summary['max_informed_gap']:.6g}"
        )
    return lines


def _lemma(summary: dict[str, Any]) -> str:
    """Return how often the bounds of the confidence lemma hold, where they say something."""
    if not summary["bounds_tested"]:
        return "confidence lemma: not tested; every V̲ is 0 and every V̄ all that can be earned"
    shares = {"V̲ ≤ V": summary["lower_coverage"], "U ≤ V̄": summary["upper_coverage"]}
    held = [f"{bound} at {share:.2%}" for bound, share in shares.items() if share is not None]
    return (
        f"confidence lemma: {' and '.join(held)} of the nodes where the bound says something "
        f"({summary['bounds_tested']:.2%} of all bounds do)"
    )


def _wrapped(text: str) -> list[str]:
    """Return the text as lines; 1e-300 stays in one piece."""
    return textwrap.wrap(text, WIDTH, break_long_words=False, break_on_hyphens=False)
