"""Colours and names: the same thing looks and is called the same in every figure.

Algorithms have the colours of Okabe and Ito, agents others of Tol's: all can be told apart with any
kind of colour vision.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass

BLUE, SKY, GREEN = "#0072B2", "#56B4E9", "#009E73"
ORANGE, VERMILION = "#E69F00", "#D55E00"
INK, GREY, PALE, FAINT = "#222222", "#6B6B6B", "#BDBDBD", "#F0F0F0"

AGENTS = ("#882255", "#44AA99", "#999933", "#332288")
SPARE = ("#CC79A7", "#AA4499", "#117733", "#661100")  # for learners of other studies


@dataclass(frozen=True)
class Learner:
    """How a learner of the config is shown."""

    name: str
    colour: str
    short: str  # beside others of its kind


LEARNERS = {
    "v-cv": Learner("V-learning (CV)", BLUE, "CV"),
    "v-mad": Learner("V-learning (MAD)", SKY, "MAD"),
    "v-fixed": Learner("V-learning (fixed)", GREEN, "fixed"),
    "centralized-q": Learner("centralized Q", ORANGE, "centralized Q"),
    "independent-q": Learner("independent Q", VERMILION, "independent Q"),
    "explorer": Learner("independent Q", VERMILION, "independent Q"),
}


def learner(label: str) -> Learner:
    """The look of a learner; one that is not known keeps its label and gets a spare colour."""
    spare = SPARE[zlib.crc32(label.encode()) % len(SPARE)]
    return LEARNERS.get(label) or Learner(label, spare, label)


def agent(index: int) -> str:
    """The colour of an agent."""
    return AGENTS[index % len(AGENTS)]


def game(label: str, suffix: str = " Game") -> str:
    """What a game is called."""
    return label.replace("-", " ").replace("_", " ").capitalize() + suffix
