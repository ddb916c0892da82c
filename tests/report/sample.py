"""A made-up study for the page: every verdict, hostile text, tiny pictures."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import Any

import pandas as pd

from amg.artifact import read_study
from amg.figures import FIGURES
from amg.report.captions import facts
from amg.report.environment import Environment
from amg.report.material import Material, Picture
from amg.report.verdicts import SIGNS, claim

ROOT = Path(__file__).resolve().parents[2]

HOSTILE = (
    "<script>alert(1)</script><img src=x onerror=alert(2)> \"' & </main> "
    "[x](javascript:alert(3)) ![y](http://example.org/y.png) http://example.org"
)


def entry(**changed: Any) -> dict[str, Any]:
    """A claim as claims.json has it."""
    return {
        "id": "settled-rewards",
        "title": "Rewards settle at 19.2 to 19.5",
        "where": "Section V, Fig. 3",
        "statement": "The average reward of each agent settles between 19.2 and 19.5.",
        "measured": "mean return over the last tenth of the episodes",
        "criterion": "the interval lies within [19.15, 19.55]",
        "command": "make figures",
        "table": "returns",
        "figure": "average_reward",
        "verdict": "reproduced",
        "caveat": None,
        "why": None,
        "number": 19.2213,
        "interval": [19.2104, 19.2352],
        "seeds": 20,
        **changed,
    }


def entries() -> list[dict[str, Any]]:
    """One claim for each verdict, and one that attacks."""
    return [
        *(
            entry(id=f"claim-{j}", title=f"A claim that is {verdict}", verdict=verdict)
            for j, verdict in enumerate(SIGNS)
        ),
        entry(id="untested", verdict="not testable", figure=None, number=None, interval=None,
              why="The paper gives no number.", seeds=None),
        dict.fromkeys(entry(), HOSTILE)
        | {"id": '"><b>', "verdict": "not reproduced", "figure": "a figure of <another> study"},
    ]  # fmt: skip


def png(width: int = 40, height: int = 20) -> bytes:
    """A grey picture."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = (b"\0" + b"\x80" * width) * height
    parts = [chunk(b"IHDR", header), chunk(b"IDAT", zlib.compress(rows)), chunk(b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def material(claims: list[dict[str, Any]] | None = None) -> Material:
    """A whole page's worth: the shipped config, everything else made up."""
    study = read_study(ROOT)
    agents = ("average", "fisher 1", "fisher 2")
    return Material(
        claims=[claim(entry) for entry in (entries() if claims is None else claims)],
        pictures=[
            Picture(name, j, spec.title, f"**{spec.title}.** {HOSTILE}\n", png(), b"x,y\n1,2\n")
            for j, (name, spec) in enumerate(FIGURES.items(), 1)
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
        environment=Environment({"Python": HOSTILE}, {"cores": "2"}),
    )
