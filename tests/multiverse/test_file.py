"""Multiverse files: which universes they span, and what is refused before anything runs."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from amg.base.errors import AmgError
from amg.claims.entries import CLAIMS
from amg.game.library import BUILDERS
from amg.learning.parameters import ALGORITHMS
from amg.multiverse.file import Multiverse, read_multiverse

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = ROOT / "config" / "multiverse.yaml"
GOOD = """
seeds: 6
groups: 3
names: { v-mad: v-cv }
games:
  fishermen: { game: fishermen }
  inspection: { game: inspection }
learners:
  v-cv: { algorithm: v_learning }
  v-stage: { algorithm: v_learning, fluctuation: fixed }
  independent-q: { algorithm: independent_q }
choices:
  bonus:
    sets: v_learning
    readings: { four: { bonus: 4 }, none: { bonus: 0 } }
  signal:
    sets: v_learning
    readings: { sequence: { signal: sequence }, set: { signal: set } }
  first:
    sets: game
    readings: { high: { first: high }, low: { first: low } }
  rate:
    sets: q_learning
    readings: { decaying: { rate_rule: decaying }, harmonic: { rate_rule: harmonic } }
  by:
    sets: claims
    claims: [beats-independent]
    readings: { both: { by: [reward, gap] }, gap: { by: [gap] } }
parts:
  crossed:
    why: they act together
    cross: [bonus, signal]
    experiments:
      sample-complexity:
        { games: [fishermen, inspection], learners: [v-cv, v-stage], episodes: [100] }
    claims: [adaptive-stages]
  one at a time:
    why: each by itself
    each: [bonus, signal, first, rate, by]
    experiments:
      rewards: { games: [fishermen], learners: [v-cv, independent-q], episodes: [100], record: 50 }
      sample-complexity:
        games: [fishermen, inspection]
        learners: [v-cv, v-stage, independent-q]
        episodes: [100]
    claims: [adaptive-stages, beats-independent]
"""


def multiverse_of(text: str, directory: Path) -> Multiverse:
    path = directory / "multiverse.yaml"
    path.write_text(text, encoding="utf-8")
    return read_multiverse(path, ROOT / CLAIMS)


def test_universes_are_all_combinations_and_one_at_a_time(tmp_path: Path) -> None:
    multiverse = multiverse_of(GOOD, tmp_path)
    parts = [universe.part for universe in multiverse.universes]
    assert parts == ["crossed"] * 4 + ["one at a time"] * 6
    crossed = {(u.readings["bonus"], u.readings["signal"]) for u in multiverse.universes[:4]}
    assert crossed == set(itertools.product(("four", "none"), ("sequence", "set")))
    study = {name: readings[0] for name, readings in multiverse.choices.items()}
    for universe in multiverse.universes[4:]:  # the study, then each choice alone
        others = {name for name in study if universe.readings[name] != study[name]}
        assert len(others) <= 1
    assert multiverse.universes[4].readings == study


def test_readings_reach_learners_and_games(tmp_path: Path) -> None:
    universes = multiverse_of(GOOD, tmp_path).universes
    both = next(u for u in universes if u.readings["bonus"] == "none" and u.part == "crossed"
                and u.readings["signal"] == "set")  # fmt: skip
    (series,) = both.runs["sample-complexity", "fishermen", "v-cv"]
    assert series.parameters.as_dict()["bonus"] == 0
    assert series.parameters.as_dict()["signal"] == "set"
    (fixed,) = both.runs["sample-complexity", "fishermen", "v-stage"]
    assert fixed.parameters.as_dict()["fluctuation"] == "fixed"  # the learner's own goes last
    assert "signal" not in fixed.parameters.canonical().as_dict()
    low = next(u for u in universes if u.readings["first"] == "low")
    (series,) = low.runs["rewards", "fishermen", "v-cv"]
    assert series.game.initial.tolist() == [0, 1]
    (series,) = low.runs["sample-complexity", "inspection", "v-cv"]
    assert series.game.initial.tolist() == [1, 0]  # it has no such parameter
    harmonic = next(u for u in universes if u.readings["rate"] == "harmonic")
    (series,) = harmonic.runs["rewards", "fishermen", "independent-q"]
    assert series.parameters.as_dict()["rate_rule"] == "harmonic"
    by = next(u for u in universes if u.readings["by"] == "gap")
    assert by.judging.by == ["gap"]


def test_equal_runs_are_made_once_and_record_what_anyone_needs(tmp_path: Path) -> None:
    multiverse = multiverse_of(GOOD, tmp_path)
    kinds = [(part.series.name, part.episodes) for part in multiverse.parts]
    assert len(kinds) == len(set(kinds))
    study = multiverse.universes[4].runs["rewards", "fishermen", "v-cv"][0]
    part = next(part for part in multiverse.parts if part.series is study)
    assert part.record == 50  # only one of the two experiments asks for it
    assert part.seeds == (1, 2, 3, 4, 5, 6)
    in_jobs = [(p.series.name, p.episodes, s)
               for job in multiverse.jobs() for p in job.parts for s in p.seeds]  # fmt: skip
    assert len(in_jobs) == len(set(in_jobs)) == 6 * len(kinds)


def test_a_claim_counts_no_universe_twice(tmp_path: Path) -> None:
    """A choice that a claim does not look at gives no new universe."""
    multiverse = multiverse_of(GOOD, tmp_path)
    claims = {claim.id: claim for claim in multiverse.claims}

    def different(name: str) -> int:
        claim = claims[name]
        return len({u.looks_at(claim) for u in multiverse.universes if claim in u.claims})

    # bonus × signal, and the first state; neither the rate of Q nor the comparison matters
    assert different("adaptive-stages") == 4 + 1
    # the study, bonus, signal, first state, rate, comparison
    assert different("beats-independent") == 6


def test_names_of_claims_are_replaced(tmp_path: Path) -> None:
    claims = {claim.id: claim for claim in multiverse_of(GOOD, tmp_path).claims}
    assert claims["adaptive-stages"].thresholds["learners"] == ["v-cv"]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("cross: [bonus, signal]", "cross: [bonus, sigma]", "'sigma' is not known"),
        ("claims: [adaptive-stages]", "claims: [adaptive]", "'adaptive' is not known"),
        ("learners: [v-cv, v-stage], episodes", "learners: [v-cv, v], episodes", "'v' is not"),
        ("games: [fishermen, inspection], learners: [v-cv, v-stage], episodes",
         "games: [fish], learners: [v-cv, v-stage], episodes", "'fish' is not known"),
        ("{ bonus: 0 }", "{ bonus: -1 }", "bonus = -1 must lie in [0, inf)"),
        ("{ bonus: 0 }", "{ bounus: 0 }", "no parameter of"),
        ("{ first: low }", "{ first: dry }", "first must be one of"),
        ("{ by: [gap] }", "{ by: [luck] }", "by"),
        ("{ by: [gap] }", "{ of: [gap] }", "unknown key"),
        ("groups: 3", "groups: 2", "fewer than 4 of 6 seeds are left"),
        ("seeds: 6", "seeds: 3", "seeds"),
        ("{ algorithm: independent_q }", "{ algorithm: q }", "'q' is not known"),
        ("{ game: inspection }", "{ agents: 2 }", "has no key 'game'"),
        ("sets: game", "sets: games", "sets"),
        ("episodes: [100], record", "episodes: [0], record", "must be a whole number"),
        ("why: each by itself", "because: each by itself", "unknown key"),
    ],
)  # fmt: skip
def test_mistakes_are_one_line(tmp_path: Path, old: str, new: str, says: str) -> None:
    assert GOOD.count(old) >= 1
    with pytest.raises(AmgError) as caught:
        multiverse_of(GOOD.replace(old, new, 1), tmp_path)
    message = str(caught.value)
    assert says in message
    assert "multiverse.yaml:" in message
    assert "\n" not in message


def test_the_shipped_file_is_valid_and_begins_with_the_study() -> None:
    multiverse = read_multiverse(SHIPPED, ROOT / CLAIMS)
    assert len(multiverse.claims) == 11  # all but payoffs and local information
    study = {choice: readings[0] for choice, readings in multiverse.choices.items()}
    for claim in multiverse.claims:
        judged = [u for u in multiverse.universes if claim in u.claims]
        assert any(universe.readings == study for universe in judged), claim.id
    for universe in multiverse.universes:  # the first reading is the default of the code
        if universe.readings == study:
            for (_, _, learner), (series, *_) in universe.runs.items():
                if learner == "v-cv":
                    assert series.parameters == ALGORITHMS["v_learning"]()


def test_no_parameter_of_a_game_has_the_name_of_one_of_a_learner() -> None:
    """Sweeps and the multiverse give both in one mapping."""
    of_learners = {name for kind in ALGORITHMS.values() for name in kind.__dataclass_fields__}
    for builder in BUILDERS.values():
        code = builder.__code__
        assert not of_learners & set(code.co_varnames[: code.co_argcount])
