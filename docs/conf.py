"""The documentation site: `make docs-site` builds it into build/site. It needs no network."""

import logging
import re
from typing import Any

from jupyter_client.manager import KernelManager
from nbclient import NotebookClient
from sphinx.application import Sphinx

from amg.base import VERSION

project = "amg"
release = version = VERSION
html_title = "CCE in aggregative Markov games"

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
nitpicky = True
nitpick_ignore_regex = [("py:(class|obj|exc)", ".*")]  # type hints: the network has their pages

# --- pages ------------------------------------------------------------------------------------

myst_heading_anchors = 4  # links to sections, as on GitHub
nb_execution_mode = "force"
nb_execution_in_temp = True  # notebooks write files
nb_execution_raise_on_error = True
logging.getLogger("traitlets").setLevel(logging.WARNING)  # no line for each notebook
NotebookClient.coalesce_streams = True  # what a command prints is one text, not its pieces
KernelManager.transport_encryption.default_value = "auto"  # without it each kernel warns

# --- docstrings -------------------------------------------------------------------------------

default_role = "code"  # `x` is code, as in Markdown
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # docstrings say what arguments are, the source says the types

# --- HTML -------------------------------------------------------------------------------------

html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False


# --- what Markdown on GitHub and our docstrings have, and Sphinx has not ----------------------

PICTURE = re.compile(r'<img ([^>]*)src="([^"]+)"([^>]*>)')
MARKS = re.compile(r"(`+[^`]+`+|\*\w[\w ]*\*)")  # code and emphasis
OBEYED = re.compile(r"[*|\\]|_(?!\w)")  # by reStructuredText


def name_anchors(app: Sphinx, page: str, source: list[str]) -> None:
    """Make <a id="x"></a> a target, so that links to it are checked."""
    source[0] = re.sub(r'<a id="([\w-]+)"></a>\n', r"(\1)=\n", source[0])


def keep_as_written(
    app: Sphinx, what: str, name: str, thing: object, options: object, lines: list[str]
) -> None:
    """Make a docstring reStructuredText: indented lines stay as they are, a_-i is no link."""
    written, sections = [""], False
    for line in lines:
        sections |= bool(re.fullmatch("-{3,}", line))  # such as Parameters: for napoleon
        block = line.startswith("  ") and not sections
        if block and not written[-1]:
            written += ["::", ""]
        elif not block and ">>>" not in line:
            parts = MARKS.split(line)
            parts[::2] = [OBEYED.sub(r"\\\g<0>", part) for part in parts[::2]]
            line = "".join(parts)
        written.append(line)
    lines[:] = written[1:]


def link_pictures(
    app: Sphinx, page: str, template: str, context: dict[str, Any], tree: object
) -> None:
    """Show pictures at half their pixels, sharp on dense screens; a click opens the whole."""
    linked = r'<a href="\2"><img \1srcset="\2 2x"\3</a>'
    context["body"] = PICTURE.sub(linked, context.get("body", ""))


def setup(app: Sphinx) -> None:
    app.connect("source-read", name_anchors)
    app.connect("autodoc-process-docstring", keep_as_written, priority=100)  # before napoleon
    app.connect("html-page-context", link_pictures)
