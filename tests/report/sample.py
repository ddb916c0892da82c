"""An invented study for the page: every verdict, hostile texts, tiny pictures."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import Any

import pandas as pd

from amg.claims.evidence import CAVEAT, NOT_REPRODUCED, SIGNS, Verdict
from amg.claims.judgement import JudgedClaim, Judgement
from amg.claims.robustness import Robustness
from amg.figures import FIGURES
from amg.report.captions import facts
from amg.report.docs import read_study
from amg.report.page import Material, Picture
from amg.study.account import provenance

ROOT = Path(__file__).resolve().parents[2]

HOSTILE = (
    "<script>alert(1)</script><img src=x onerror=alert(2)> \"' & </main> "
    "[x](javascript:alert(3)) ![y](http://example.org/y.png) http://example.org"
)


def claim(**changed: Any) -> JudgedClaim:
    """Return a judged claim."""
    texts = {
        "id": "settled-rewards",
        "title": "Rewards settle at 19.2 to 19.5",
        "where": "Section V, Fig. 3",
        "statement": "The average reward of each agent settles between 19.2 and 19.5.",
        "measured": "mean return over the last tenth of the episodes",
        "criterion": "the interval lies within [19.15, 19.55]",
        "turns_on": "reward per agent",
        "command": "make figures",
        "table": "returns",
        "figure": "average_reward",
        "verdict": "reproduced",
        "caveat": None,
        "why": "The interval lies within.",
        "number": "19.22",
        "interval": "[19.21, 19.24]",
        "seeds": 20,
    }
    return JudgedClaim(**{**texts, **changed})


def all_claims() -> list[JudgedClaim]:
    """Return claims of all kinds.

    One for each verdict, one without numbers, one with what is known beyond the study, and one with
    hostile texts.
    """
    texts = ("title", "where", "statement", "measured", "criterion", "command", "why")
    return [
        *(
            claim(
                id=f"claim-{j}",
                title=f"A claim that is {verdict}",
                verdict=verdict,
                caveat="It holds **only** here." if verdict == CAVEAT else None,
            )
            for j, verdict in enumerate(SIGNS)
        ),
        claim(id="untested", verdict="not testable", figure=None, number="—", interval=None,
              seeds=None),
        claim(id="beyond", title="A claim that is known beyond the study",
              confirmation=Verdict(number="18.9").not_reproduced("It is less."), robustness=ROBUST),
        claim(**dict.fromkeys(texts, HOSTILE), id="hostile", verdict="not reproduced",
              number=HOSTILE, interval=HOSTILE,
              confirmation=Verdict(number=HOSTILE).not_reproduced(HOSTILE),
              robustness=ROBUST.model_copy(update={"hangs_on": HOSTILE})),
    ]  # fmt: skip


ROBUST = Robustness(
    id="beyond", universes=40, untestable=2, holding=10, share=0.25, low=0.2, high=0.3,
    study=NOT_REPRODUCED, hangs_on="λ_min: 0.7 50%, 0.9 0%", flipped_by=["η: 2/√(c̃+1)"],
)  # fmt: skip


def judgement(claims: list[JudgedClaim]) -> Judgement:
    """Return these claims with what they were judged by."""
    return Judgement(judged_by={"rules": "ab"}, status="confirmatory", claims=claims)


def png(width: int = 40, height: int = 20) -> bytes:
    """Return a grey picture."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = (b"\0" + b"\x80" * width) * height
    parts = [chunk(b"IHDR", header), chunk(b"IDAT", zlib.compress(rows)), chunk(b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def material(claims: list[JudgedClaim] | None = None) -> Material:
    """Return the content of a page: the facts of the shipped config, everything else invented."""
    study = read_study(ROOT)
    agents = ("average", "fisher 1", "fisher 2")
    return Material(
        judgement=judgement(all_claims() if claims is None else claims),
        pictures=[
            Picture(name, figure.title, HOSTILE, png(), b"x,y\n1,2\n")
            for name, figure in FIGURES.items()
        ],
        references=pd.DataFrame(
            [
                {"game": game, "reference": kind, "agent": agent, "value": 19.2}
                for game in study.games
                for kind in ("uniform play", "every CCE")
                for agent in (agents if kind == "uniform play" else agents[:1])
            ]
        ),
        timing=pd.DataFrame(
            {
                "kind": ["train", "train", "table"],
                "job": ["a/K1000/seeds-1-20", "a/K10000/seeds-1-20", "gaps"],
                "seconds": [2.0, 3.0, 1.0],
                "startup": [0.5, 0.5, 0.5],
                "peak_mib": [150.0, 170.0, None],
            }
        ),
        findings=f"- **One.** {HOSTILE}\n- Two, `code`\n",
        deviations=(ROOT / "docs" / "deviations.md").read_text(encoding="utf-8"),
        config=HOSTILE,
        facts=facts(study),
        provenance={**provenance(ROOT), "python": HOSTILE, "git": None, "date": "today"},
        digests={"returns": "0123456789abcdef"},
        order=f"The first is older. {HOSTILE}",
    )
