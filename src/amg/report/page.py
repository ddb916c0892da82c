"""The claims page: one HTML file without scripts that needs no network and can be mailed.

The layout is templates/page.html.j2 and templates/page.css. Here the files of a finished study are
read, their numbers are put into rows, and Markdown becomes HTML: HTML in a text is shown, never
obeyed. A link to a figure leads to it on the page. Any other link is shown as text with its target,
because the page may be read where the target is not.
"""

import hashlib
import json
import re
import struct
from base64 import b64encode
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2
import pandas as pd
from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.token import Token
from markupsafe import Markup

from amg.base import VERSION
from amg.base.errors import FileError
from amg.base.files import read_bytes, read_text, write_text
from amg.base.text import fixed, raised
from amg.claims.evidence import SIGNS
from amg.claims.frozen import FROZEN
from amg.claims.judgement import Judgement, read_judged
from amg.figures import FIGURES
from amg.report.captions import MANY
from amg.results import run_file
from amg.study.account import TIMING, commit_order
from amg.tables import TABLES
from amg.tables.tidy import read_table

LARGEST = 64 << 20  # bytes of a file
GROUP = '<div class="wide" role="group" aria-label="Table" tabindex="0">'
PIXELS = 0.46  # of the page for one of a picture: letters have the same size in all of them
FIGURE = re.compile(r"(?:\.\./)?figures/(\w+)\.png")
RULES = {  # what the library writes differently
    "table_open": f"{GROUP}\n<table>\n",
    "table_close": "</table>\n</div>\n",
    "th_open": '<th scope="col">',
}


@dataclass(frozen=True)
class Picture:
    """One figure: its title, the caption in Markdown without the title, picture and data."""

    name: str
    title: str
    caption: str
    png: bytes
    csv: bytes

    @property
    def size(self) -> tuple[int, int]:
        """Width and height on the page; its pixels are smaller, so it is sharp on dense screens."""
        width, height = struct.unpack(">II", self.png[16:24])
        return round(width * PIXELS), round(height * PIXELS)


@dataclass(frozen=True, eq=False)
class Material:
    """Everything on the page."""

    judgement: Judgement
    pictures: Sequence[Picture]
    references: pd.DataFrame
    timing: pd.DataFrame
    findings: str  # Markdown
    deviations: str  # Markdown
    config: str  # YAML, every default filled in
    provenance: Mapping[str, Any]  # of amg.study.account
    facts: Mapping[str, Any]  # of amg.report.captions
    order: str | None  # which was committed first, what is frozen or the confirmation
    digests: Mapping[str, str]  # of the tables that claims are judged from


def write_page(
    files: Mapping[str, Sequence[Path]], facts: Mapping[str, Any], root: Path, to: Path
) -> None:
    """Write the page of a study; `read_material` explains the arguments."""
    write_text(to, render(read_material(files, facts, root)))


def read_material(
    files: Mapping[str, Sequence[Path]], facts: Mapping[str, Any], root: Path
) -> Material:
    """Read the files of a study.

    Parameters
    ----------
    files
        Lists of files: `figures`, all in one directory, the `tables` that claims are judged from,
        and lists of one file under `claims`, `findings`, `references`, `timing`, `provenance`,
        `config` and `deviations`.
    facts
        The facts of `amg.report.captions`.
    root
        The project, whose commits say in which order things happened.
    """
    file = {name: paths[0] for name, paths in files.items()}
    texts = {name: read_text(file[name], LARGEST) for name in ("findings", "deviations", "config")}
    return Material(
        **texts,
        judgement=read_judged(file["claims"]),
        pictures=[read_picture(file["figures"].parent, name) for name in FIGURES],
        references=read_table(file["references"], TABLES["references"].columns),
        timing=read_table(file["timing"], TIMING),
        provenance=read_provenance(file["provenance"]),
        facts=facts,
        digests={path.stem: digest_of(path) for path in files["tables"]},
        order=commit_order(root, str(FROZEN), "figures/confirmation/claims.json"),
    )


def read_picture(directory: Path, name: str) -> Picture:
    """Return a figure of the study."""
    title = FIGURES[name].title
    caption = read_text(directory / f"{name}.md", LARGEST).removeprefix(f"**{title}.**").strip()
    png, csv = (read_bytes(directory / f"{name}.{kind}", LARGEST) for kind in ("png", "csv"))
    return Picture(name, title, caption, png, csv)


def digest_of(path: Path) -> str:
    """Return the beginning of a file's SHA-256."""
    return hashlib.sha256(read_bytes(path, LARGEST)).hexdigest()[:16]


def read_provenance(path: Path) -> Any:
    """Return the facts of a provenance file."""
    try:
        return json.loads(read_text(path, LARGEST))
    except json.JSONDecodeError as error:
        raise FileError(f"{path}: is not a provenance file: {error}; make it again") from None


def render(material: Material) -> str:
    """Return the page."""
    template = _environment().get_template("page.html.j2")
    try:
        return template.render(
            vars(material),
            **_tables(material),
            version=VERSION,
            result_format=f"{run_file.KIND}, version {run_file.VERSION}",
            signs=SIGNS,
            claims=material.judgement.claims,
            counts=Counter(claim.verdict for claim in material.judgement.claims),
            numbers={picture.name: j for j, picture in enumerate(material.pictures, 1)},
            # The section has a title: the text's own goes, and its headings go one level down.
            deviations=material.deviations.partition("\n")[2].replace("\n## ", "\n### "),
        )
    except jinja2.UndefinedError as error:
        raise FileError(f"the claims page: {error}; make the results again") from None


def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("amg.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        markdown=from_markdown,
        inline=from_line,
        powers=powers,
        base64=lambda data: b64encode(data).decode(),
        fixed=fixed,
    )
    return environment


def _tables(material: Material) -> dict[str, Any]:
    """Return the rows of the tables on the page."""
    references, timing = material.references, material.timing
    steps = [[kind, len(jobs), *_cost(jobs)] for kind, jobs in timing.groupby("kind", sort=False)]
    jobs = timing.groupby(["kind", "job"], sort=False)
    return {
        "averages": list(references[references["agent"] == "average"].itertuples()),
        "reference_tables": [_wide(*group) for group in references.groupby("game", sort=False)],
        "steps": [*steps, ["all", len(timing), *_cost(timing)]],
        "jobs": [["/".join(name), *_cost(job)] for name, job in jobs],
        **{
            key: [[name, *facts.values()] for name, facts in material.facts[key].items()]
            for key in ("experiments", "parameters", "sizes")
        },
    }


def _wide(game: str, references: pd.DataFrame) -> tuple[str, list[str], list[list[Any]]]:
    """Return a game, the header and the rows of its table of reference values."""
    wide = references.pivot(index="reference", columns="agent", values="value")
    wide = wide.loc[references["reference"].unique(), references["agent"].unique()]
    if wide.shape[1] > MANY + 1:  # too many agents to name
        each = wide.drop(columns="average")
        wide = wide[["average"]].assign(least=each.min(axis=1), most=each.max(axis=1))
    wide = wide.map(lambda value: "" if pd.isna(value) else fixed(value, 4)).reset_index()
    return game, list(wide.columns), wide.to_numpy().tolist()


def _cost(jobs: pd.DataFrame) -> list[str]:
    """Return the seconds, the start-up among them and the peak memory of these jobs."""
    peak = jobs["peak_mib"].max()
    sums = (f"{jobs[column].sum():,.1f}" for column in ("seconds", "startup"))
    return [*sums, "" if pd.isna(peak) else f"{peak:,.0f}"]


def from_markdown(text: str) -> Markup:
    """Return a text in Markdown as HTML."""
    return powers(Markup(MARKDOWN.render(text)))


def from_line(text: str) -> Markup:
    """Return one line of Markdown as HTML, without a paragraph around it."""
    return powers(Markup(MARKDOWN.renderInline(text)))


def powers(text: str) -> Markup:
    """Return a text as HTML with raised powers."""
    return Markup(raised(str(Markup.escape(text))))


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    parser.disable(["autolink", "entity"])
    for kind, html in RULES.items():
        parser.add_render_rule(kind, lambda *_, html=html: html)
    parser.add_render_rule("link_open", lambda _, tokens, j, *rest: _open_link(tokens[j]))
    parser.add_render_rule("link_close", lambda _, tokens, j, *rest: _close_link(tokens, j))
    parser.add_render_rule("image", lambda _, tokens, j, *rest: escapeHtml(tokens[j].content))
    return parser


def _open_link(token: Token) -> str:
    """Return the start of a link to a figure on this page, nothing for a link to another file."""
    figure = FIGURE.fullmatch(str(token.attrs["href"]))
    return f'<a href="#figure-{figure[1]}">' if figure and figure[1] in FIGURES else ""


def _close_link(tokens: Sequence[Token], j: int) -> str:
    """Return the end of a link: of one to another file its name, unless that is the text."""
    k = max(k for k in range(j) if tokens[k].type == "link_open")
    if _open_link(tokens[k]):
        return "</a>"
    target = str(tokens[k].attrs["href"]).partition("#")[0].removeprefix("../")
    text = "".join(token.content for token in tokens[k:j])
    return "" if text.endswith(target) else f" ({escapeHtml(target)})"


MARKDOWN = _parser()
