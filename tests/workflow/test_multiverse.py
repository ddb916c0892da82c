"""A small multiverse end to end, and its shares beside the verdicts of a study."""

from __future__ import annotations

import pandas as pd
from workplace import Workplace

MULTIVERSE = """
seeds: 6
groups: 3
names: { v-mad: v-cv }
games: { fishermen: { game: fishermen }, inspection: { game: inspection } }
learners:
  v-cv: { algorithm: v_learning }
  v-stage: { algorithm: v_learning, fluctuation: fixed }
choices:
  bonus:
    sets: v_learning
    readings: { "4": { bonus: 4 }, "0": { bonus: 0 } }
  D:
    sets: v_learning
    readings: { sequence: { signal: sequence }, set: { signal: set } }
parts:
  both:
    why: a test
    cross: [bonus, D]
    experiments:
      rewards: { games: [fishermen], learners: [v-cv], episodes: [500] }
      restarts: { games: [fishermen], learners: [v-cv], episodes: [4000], record: 4000 }
      sample-complexity:
        { games: [fishermen, inspection], learners: [v-cv, v-stage], episodes: [100, 1000] }
    claims: [rewards-settle, stage-restarts, confidence-lemma, adaptive-stages]
"""
RUN = ("-c2", "--config", "multiverse=config/small.yaml")


def test_every_claim_in_every_universe(workplace: Workplace) -> None:
    path = workplace.directory / "config" / "small.yaml"
    path.write_text(MULTIVERSE, encoding="utf-8")
    done = workplace.snakemake(*RUN)
    assert "4 universes" in done.stderr
    place = workplace.directory / "figures" / "multiverse"
    universes = pd.read_csv(place / "universes.csv", dtype={"bonus": str})
    assert set(universes["claim"]) == {
        "rewards-settle", "stage-restarts", "confidence-lemma", "adaptive-stages",
    }  # fmt: skip
    assert (universes.groupby("claim").size() == 4).all()
    assert universes["effect"].notna().any()
    choices = pd.read_csv(place / "choices.csv")
    assert set(choices["choice"]) <= {"bonus", "D"}
    for claim in set(universes["claim"]):
        assert (place / f"{claim}.png").stat().st_size > 5000
    again = workplace.snakemake("-n", *RUN)
    assert "Nothing to be done" in again.stdout + again.stderr


def test_a_mistake_is_one_line_before_anything_runs(workplace: Workplace) -> None:
    path = workplace.directory / "config" / "small.yaml"
    path.write_text(MULTIVERSE.replace("{ signal: set }", "{ signal: bag }"), encoding="utf-8")
    done = workplace.snakemake(*RUN, check=False)
    assert done.returncode != 0
    errors = [line for line in done.stderr.splitlines() if line.startswith("error:")]
    assert len(errors) == 1
    assert "small.yaml:15" in errors[0]
    assert "signal = 'bag' is not one of sequence, set" in errors[0]
    assert "Traceback" not in done.stderr
