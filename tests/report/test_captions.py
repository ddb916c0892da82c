"""Captions of Snakemake's report: one for every file, filled from the config alone."""

from __future__ import annotations

import json

import pytest
from docutils.core import publish_parts
from sample import ROOT

from amg.figures import FIGURES
from amg.report.captions import captions, experiment_facts, facts
from amg.report.docs import read_study
from amg.study.study import Study
from amg.tables import TABLES


@pytest.fixture(scope="module")
def study() -> Study:
    return read_study(ROOT)


def test_every_table_and_figure_has_a_caption_that_is_valid_text(study: Study) -> None:
    known = captions(study)
    assert list(known["tables"]) == list(TABLES)
    assert list(known["figures"]) == list(FIGURES)
    settings = {"halt_level": 2, "report_level": 2}
    for text in (*known["tables"].values(), *known["figures"].values()):
        assert "{" not in text
        assert publish_parts(text, writer="html", settings_overrides=settings)["body"]


def test_captions_say_what_the_config_says(study: Study) -> None:
    known = captions(study)["tables"]["gaps"]
    assert "v-cv, v-mad, v-stage and independent-q on fishermen and inspection" in known
    assert "1,000, 3,162" in known


def test_facts_are_plain_values(study: Study) -> None:
    known = facts(study)
    assert json.loads(json.dumps(known)) == known


def test_facts_count_a_shared_run_once(study: Study) -> None:
    asked = sum(len(one.episodes) * one.seeds for one in study.series)
    different = {  # v-cv on fishermen at K = 100,000 belongs to three experiments
        (one.name, K, seed) for one in study.series for K in one.episodes for seed in one.all_seeds
    }
    assert len(different) < asked
    assert facts(study)["runs"] == f"{len(different):,}"


def test_figures_show_the_games_of_their_experiments(study: Study) -> None:
    shown = facts(study)["figures"]
    assert shown["mechanism"] == ["fishermen"]
    assert shown["sample_complexity"] == ["fishermen", "inspection"]


def test_an_experiment_that_is_not_in_the_study_has_facts_too() -> None:
    assert experiment_facts([])["games"] == "none"
