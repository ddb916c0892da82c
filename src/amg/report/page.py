"""The claims page: one HTML file without scripts that needs no network and can be mailed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

import pandas as pd

from amg import __version__
from amg.claims.verdict import THRESHOLDS
from amg.report import markdown
from amg.report.captions import MANY
from amg.report.markup import Html, join, lines, table, tag
from amg.report.material import Material, Picture, data_uri
from amg.report.style import CSS
from amg.report.verdicts import SIGNS, Claim

TITLE = "Claims of the paper, checked"
PAPER = (
    "Decentralized MARL for Coarse Correlated Equilibrium in Aggregative Markov Games "
    "(Huang, Mu, Chen 2026)"
)
SECTIONS = {
    "claims": "Claims and verdicts",
    "findings": "What was found",
    "figures": "Figures and their data",
    "references": "Exact reference values",
    "parameters": "Parameters and seeds",
    "environment": "Versions and machine",
    "cost": "Run time and memory",
    "deviations": "Where the paper is open or wrong",
}


def render(material: Material) -> str:
    """The page."""
    made = {
        "claims": _claims(material),
        "findings": markdown.render(material.findings),
        "figures": lines(*(_figure(picture, material) for picture in material.pictures)),
        "references": _references(material.references),
        "parameters": _parameters(material),
        "environment": _environment(material),
        "cost": _cost(material.timing),
        "deviations": _deviations(material.deviations),
    }
    sections = [_section(name, SECTIONS[name], made[name]) for name in SECTIONS]
    contents = [tag("li", tag("a", SECTIONS[name], href=f"#{name}")) for name in SECTIONS]
    body = tag(
        "body",
        tag("a", "Skip to the claims", href="#main", class_="skip"),
        Html("\n"),
        tag(
            "header",
            tag("h1", TITLE),
            tag("p", "A replication of ", tag("cite", PAPER), f", amg-replication {__version__}."),
            _counts(material.claims),
        ),
        Html("\n"),
        tag("nav", tag("ul", *contents), aria_label="Contents"),
        Html("\n"),
        tag("main", lines(*sections), id="main", tabindex=-1),
        Html("\n"),
        tag("footer", tag("p", _sources())),
    )
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        # Nothing can be fetched or run, whatever a text in the page may say.
        tag("meta", http_equiv="Content-Security-Policy", content=POLICY),
        tag("title", f"{TITLE}: {PAPER}"),
        tag("link", rel="icon", href="data:,"),
        tag("style", Html(CSS)),
    )
    return f"<!DOCTYPE html>\n{tag('html', head, Html(chr(10)), body, lang='en')}\n"


POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'"


def _section(name: str, title: str, content: Html) -> Html:
    heading = tag("h2", title, id=f"{name}-title")
    return tag("section", lines(heading, content), id=name, aria_labelledby=f"{name}-title")


def _sources() -> Html:
    code = {name: tag("code", name) for name in ("make report", "make claims", "figures/")}
    return join(
        [
            "Made by ", code["make report"], " from the results of the study. The same claims as ",
            "text and data: ", code["make claims"], "; the figures to print: ", code["figures/"],
            ". This file holds everything it shows and fetches nothing.",
        ]
    )  # fmt: skip


# --- claims ---------------------------------------------------------------------------------------


def _badge(verdict: str, content: object = None) -> Html:
    sign = tag("span", SIGNS[verdict], aria_hidden="true", class_="sign")
    kind = verdict.replace(" ", "-")
    return tag("span", sign, " ", content or verdict, class_=f"verdict {kind}")


def _counts(claims: Sequence[Claim]) -> Html:
    counts = Counter(claim.verdict for claim in claims)
    said = [tag("li", _badge(name, f"{counts[name]} {name}")) for name in SIGNS if counts[name]]
    return tag("ul", *said, class_="counts", aria_label="Number of claims by verdict")


def _claims(material: Material) -> Html:
    numbers = {picture.name: picture.number for picture in material.pictures}
    rows = [
        [
            tag("a", claim.title, href=f"#{_anchor(claim)}"),
            _badge(claim.verdict),
            _found(claim),
            _figure_link(claim, numbers) or "–",
        ]
        for claim in material.claims
    ]
    overview = table(
        "Each claim of the paper and whether it held; details below",
        ["claim", "verdict", "found", "figure"],
        rows,
    )
    details = (_claim(claim, numbers) for claim in material.claims)
    return lines(overview, tag("p", THRESHOLDS), *details)


def _anchor(claim: Claim) -> str:
    return "claim-" + re.sub(r"[^\w.-]+", "-", claim.id)


def _found(claim: Claim) -> Html:
    interval = tag("span", claim.interval, class_="interval") if claim.interval else None
    return join([claim.number or "–", interval], " ")


def _figure_link(claim: Claim, numbers: Mapping[str, int]) -> Html | None:
    if not claim.figure:
        return None
    if claim.figure not in numbers:  # a figure of another study: named, not linked
        return tag("code", claim.figure)
    return tag("a", f"figure {numbers[claim.figure]}", href=f"#figure-{claim.figure}")


def _claim(claim: Claim, numbers: Mapping[str, int]) -> Html:
    command = markdown.code(claim.command) if claim.command else None
    source = markdown.code(claim.table) if claim.table else None
    terms: dict[str, object] = {
        "The paper says": claim.statement,
        "Where": claim.where,
        "Measured": claim.measured,
        "Counts as reproduced": claim.criterion,
        "Found": claim.number,
        "Interval": claim.interval,
        "Seeds": claim.seeds,
        "Caveat": claim.caveat,
        "Why": claim.why,
        "Figure": _figure_link(claim, numbers),
        "From table": source,
        "Command": command,
    }
    said = [
        tag("div", tag("dt", term), tag("dd", _prose(content)))
        for term, content in terms.items()
        if content
    ]
    title = f"{_anchor(claim)}-title"
    return tag(
        "article",
        tag("h3", claim.title, id=title),
        tag("p", _badge(claim.verdict)),
        tag("dl", *said),
        id=_anchor(claim),
        aria_labelledby=title,
        class_=f"claim {claim.kind}",
    )


def _prose(content: object) -> Html:
    """Texts of claims may have `code` and **strong** in them."""
    return content if isinstance(content, Html) else markdown.inline(str(content))


# --- figures --------------------------------------------------------------------------------------


def _figure(picture: Picture, material: Material) -> Html:
    width, height = picture.size
    shown = [
        tag("li", tag("a", claim.title, href=f"#{_anchor(claim)}"), " ", _badge(claim.verdict))
        for claim in material.claims
        if claim.figure == picture.name
    ]
    beside = join([tag("p", "Claims it bears on:"), tag("ul", *shown)]) if shown else None
    image = tag(
        "img",
        src=data_uri("image/png", picture.png),
        alt=f"Figure {picture.number}: {picture.title}. The caption below says what it shows.",
        width=width,
        height=height,
    )
    download = tag(
        "a",
        f"Data in figure {picture.number} (CSV, {picture.rows:,} rows, "
        f"{len(picture.csv) / 1000:,.0f} kB)",
        href=data_uri("text/csv;charset=utf-8", picture.csv),
        download=f"{picture.name}.csv",
    )
    games = material.facts["figures"][picture.name]
    return tag(
        "article",
        tag("h3", f"Figure {picture.number}. {picture.title}", id=f"figure-{picture.name}-title"),
        tag("figure", image, tag("figcaption", markdown.render(_untitled(picture)))),
        *(tag("p", _reference_line(material.references, game)) for game in games),
        beside,
        tag("p", download),
        id=f"figure-{picture.name}",
        aria_labelledby=f"figure-{picture.name}-title",
        class_="figure",
    )


def _untitled(picture: Picture) -> str:
    """The caption without the title, which stands above the figure."""
    return picture.caption.removeprefix(f"**{picture.title}.**").strip()


def _reference_line(references: pd.DataFrame, game: str) -> Html:
    rows = references[(references["game"] == game) & (references["agent"] == "average")]
    values = ", ".join(f"{row.reference} {row.value:.4f}" for row in rows.itertuples())
    link = tag("a", "Exact reference values", href="#references")
    return join([link, " of ", tag("code", game), f" per episode, mean over agents: {values}."])


def _references(references: pd.DataFrame) -> Html:
    tables = []
    for game, rows in references.groupby("game", sort=False):
        wide = rows.pivot(index="reference", columns="agent", values="value")
        wide = wide.loc[list(dict.fromkeys(rows["reference"])), list(dict.fromkeys(rows["agent"]))]
        if wide.shape[1] > MANY + 1:  # too many to name
            each = wide.drop(columns="average")
            wide = wide[["average"]].assign(least=each.min(axis=1), most=each.max(axis=1))
        agents = [str(agent) for agent in wide.columns]
        body = [
            [name, *("–" if pd.isna(v) else f"{v:.4f}" for v in values)]
            for name, values in zip(wide.index, wide.to_numpy(), strict=True)
        ]
        caption = join([tag("code", game), ": return per episode"])
        tables.append(
            table(caption, ["reference", *agents], body, numbers=range(1, len(agents) + 1))
        )
    return lines(
        tag("p", "Computed from the games alone, without learning; raw units of reward."), *tables
    )


# --- parameters, environment, cost ----------------------------------------------------------------


def _parameters(material: Material) -> Html:
    facts = material.facts
    seeds = (
        f"Each of the {facts['runs']} runs is a function of its game, learner, K and seed; "
        f"n seeds are the seeds 1 to n. "
    )
    intervals = (
        f"Intervals are {facts['level']} bootstrap intervals over seeds "
        f"({facts['resamples']} resamples)."
    )
    experiments = [
        [
            name,
            one["games"],
            one["learners"],
            one["varied"] or "–",
            one["episodes"],
            one["seeds"],
            one["runs"],
        ]
        for name, one in facts["experiments"].items()
    ]
    learners = [
        [label, values["algorithm"], _settings(values)]
        for label, values in facts["parameters"].items()
        if values
    ]
    games = [
        [label, size["agents"], size["horizon"], size["rewards"], tag("code", size["digest"])]
        for label, size in facts["sizes"].items()
    ]
    return lines(
        tag("p", seeds, intervals),
        table(
            "Experiments",
            ["experiment", "games", "learners", "varied", "episodes K", "seeds", "runs"],
            experiments,
            numbers=[5, 6],
        ),
        table("Learners, with every default", ["learner", "algorithm", "parameters"], learners),
        table("Games", ["game", "agents", "horizon", "rewards of a step", "digest"], games),
        tag("h3", "The config, with every default of the study"),
        tag("pre", tag("code", material.config)),
    )


def _settings(values: Mapping[str, str]) -> Html:
    said = [f"{key} = {value}" for key, value in values.items() if key != "algorithm"]
    return join((tag("code", one) for one in said), ", ")


def _environment(material: Material) -> Html:
    return lines(
        table("Versions", ["what", "version"], list(material.environment.versions.items())),
        table(
            "Machine that ran the study",
            ["what", "fact"],
            list(material.environment.machine.items()),
        ),
    )


def _cost(timing: pd.DataFrame) -> Html:
    header = ["step", "jobs", "seconds", "of it start-up", "peak MiB"]
    sums = [_sum(str(kind), group) for kind, group in timing.groupby("kind", sort=False)]
    jobs = [
        [f"{row.kind}/{row.job}", f"{row.seconds:.1f}", f"{row.startup:.1f}", f"{row.peak_mib:.0f}"]
        for row in timing.itertuples()
    ]
    every = table("Every job", ["job", *header[2:]], jobs, numbers=[1, 2, 3], class_="jobs")
    return lines(
        table(
            "Steps of the study, in seconds of one core",
            header,
            [*sums, _sum("all", timing)],
            numbers=[1, 2, 3, 4],
        ),
        tag("details", tag("summary", f"Each of the {len(jobs)} jobs"), every),
    )


def _sum(kind: str, group: pd.DataFrame) -> list[str]:
    return [
        kind,
        f"{len(group):,}",
        f"{group['seconds'].sum():,.1f}",
        f"{group['startup'].sum():,.1f}",
        f"{group['peak_mib'].max():,.0f}",
    ]


def _deviations(text: str) -> Html:
    """The document without its title, which the section has."""
    first, _, rest = text.partition("\n")
    return markdown.render(rest if first.startswith("# ") else text, top=3)
