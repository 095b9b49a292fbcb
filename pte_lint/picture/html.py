"""Renders the HTML report: one file that needs nothing else.

Everything that comes out of the artifact is text: Jinja2 escapes it, and `finalize` sends it
through the gate for hostile names first. The page has no script, and its Content-Security-Policy
allows none: only its own style sheet, by its hash.
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Iterable
from functools import lru_cache

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from pte_lint._version import __version__
from pte_lint.claims.result import Report
from pte_lint.data.context import Context
from pte_lint.picture.chart import Frame
from pte_lint.picture.file_bytes import stacked
from pte_lint.picture.page import Page, build_page
from pte_lint.picture.style import page_style
from pte_lint.picture.svg import element
from pte_lint.quiet_gc import collection_paused
from pte_lint.report.phrases import human_bytes, plural
from pte_lint.text import sanitise


def render(report: Report, context: Context) -> str:
    """Renders the report on one artifact as HTML; the same bytes for the same artifact.

    Args:
        report: the report, on this one artifact only.
        context: the opened artifact that was judged.
    """
    with collection_paused():
        return render_page(build_page(report, context))


def render_page(page: Page) -> str:
    """Renders a page that is drawn up already."""
    style = page_style()
    digest = b64encode(hashlib.sha256(style.encode("utf-8")).digest()).decode("ascii")
    template = _environment().get_template("page.html.j2")
    return template.render(
        page=page,
        style=Markup(style),
        style_hash=f"sha256-{digest}",
        version=__version__,
        whole=svg(stacked(page.bars, Frame(26)), 26),
    )


def svg(elements: Iterable[str], height: int) -> Markup:
    """A picture as wide as there is room, for the eye only."""
    return Markup(
        element("svg", *elements, width="100%", height=height, aria_hidden="true", class_="whole")
    )


def bar(value: int, most: int, colour: str) -> Markup:
    """A bar of `value` on a scale that ends at `most`."""
    share = f"{100 * value / most:.2f}%" if most else "0%"
    return svg([element("rect", class_=f"bar {colour}", width=share, height=10, rx=2)], 10)


@lru_cache(maxsize=1)
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("pte_lint.picture", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_safe,
    )
    environment.filters["name"] = sanitise.name
    environment.filters["human"] = human_bytes
    environment.globals.update(bar=bar, plural=plural)
    return environment


def _safe(value: object) -> object:
    """Makes text visible and short enough; markup that was made here stays."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return sanitise.block(value)
    return value
