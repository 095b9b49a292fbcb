"""Lays out pages as text, Markdown and HTML. What strangers chose is data in each of them."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Callable, Mapping
from importlib.resources import files
from typing import Final

from pte_lint._version import __version__
from pte_lint.picture.style import page_style
from pte_lint.report.columns import columns
from pte_lint.report.markdown_safe import code, prose
from pte_lint.store.sections import Cell, Name, Page, Section
from pte_lint.text import sanitise

_NAME: Final = 200
"""Characters of a name that are shown."""


def text(page: Page) -> str:
    """For a terminal or a log."""
    lines = [sanitise.prose(page.title), *(f"  {sanitise.prose(line)}" for line in page.lines)]
    for section in page.sections:
        rows = [section.head, *(tuple(map(_plain, row)) for row in section.rows)]
        lines += ["", section.title, *columns(rows, right=_right(section))]
    return "\n".join(lines) + "\n"


def markdown(page: Page) -> str:
    """For a comment or a wiki."""
    lines = [f"# {prose(page.title)}", "", *(f"- {prose(line)}" for line in page.lines)]
    for section in page.sections:
        right = _right(section)
        rule = ["---:" if at in right else "---" for at in range(len(section.head))]
        lines += ["", f"## {prose(section.title)}", ""]
        rows = [section.head, rule, *(tuple(map(_marked, row)) for row in section.rows)]
        lines += [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join(lines) + "\n"


def html(page: Page) -> str:
    """A page that loads nothing and runs no script."""
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("pte_lint.store", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    style = page_style() + _own_style()
    digest = b64encode(hashlib.sha256(style.encode("utf-8")).digest()).decode("ascii")
    return environment.get_template("summary.html.j2").render(
        title=sanitise.prose(page.title),
        lines=[sanitise.prose(line) for line in page.lines],
        sections=[
            (each.title, each.head, [tuple(map(_plain, row)) for row in each.rows], _right(each))
            for each in page.sections
        ],
        style=Markup(style),
        style_hash=f"sha256-{digest}",
        version=__version__,
    )


def _own_style() -> str:
    return files("pte_lint.store").joinpath("templates/summary.css").read_text("utf-8")


LAYOUTS: Final[Mapping[str, Callable[[Page], str]]] = {
    "text": text,
    "markdown": markdown,
    "html": html,
}


def _right(section: Section) -> frozenset[int]:
    """The columns of numbers."""
    columns_of = zip(*section.rows, strict=True)
    return frozenset(
        at for at, cells in enumerate(columns_of) if any(isinstance(each, int) for each in cells)
    )


def _plain(cell: Cell) -> str:
    return f"{cell:,}" if isinstance(cell, int) else sanitise.name(cell, _NAME)


def _marked(cell: Cell) -> str:
    if isinstance(cell, Name):
        return code(cell, _NAME)
    return f"{cell:,}" if isinstance(cell, int) else prose(cell)
