"""Report formats that plugins bring: the entry-point group `pte_lint.formats`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

from pte_lint.claims.result import Report
from pte_lint.rulebook.origin import Origin, entry_points_of_others
from pte_lint.schema.frozen import dataclass

GROUP: Final = "pte_lint.formats"
_NAME: Final = re.compile(r"[a-z][a-z0-9-]*")
_SUFFIXES: Final = frozenset(
    (".csv", ".html", ".json", ".jsonl", ".log", ".md", ".svg", ".tsv", ".txt", ".xml")
)
"""Endings of data: a configuration is a stranger's and must not write what somebody runs."""


@dataclass(frozen=True, slots=True)
class ReportFormat:
    """A format under the name of its entry point."""

    description: str
    """A few words, as in the help."""
    suffixes: tuple[str, ...]
    """How files may end that a configuration has written, such as `(".csv",)`."""
    render: Callable[[Report], str]
    """Writes a report; what it says of a file may hold anything that a stranger put there."""
    origin: Origin | None = None
    """Filled in when it is loaded."""


class FormatError(RuntimeError):
    """A format of a plugin cannot be used, or failed; the text names the plugin."""

    def __init__(self, text: str, trace: str = "") -> None:
        """Takes the text, and the traceback of a format that failed."""
        super().__init__(text)
        self.trace = trace


@lru_cache(maxsize=1)
def load_formats() -> dict[str, ReportFormat]:
    """Loads the formats of others, by name.

    Raises:
        FormatError: one of them cannot be used.
    """
    found: dict[str, ReportFormat] = {}
    for origin, load in entry_points_of_others(GROUP):
        try:
            loaded: Any = load()
        except (Exception, SystemExit) as exc:
            raise FormatError(f"{origin}: it cannot be loaded: {exc!r}") from exc
        for fault in _faults(origin.name, loaded):
            raise FormatError(f"{origin}: {fault}")
        if origin.name in found:
            other = found[origin.name].origin
            raise FormatError(f"{origin}: the name {origin.name} is taken by {other}")
        found[origin.name] = replace(loaded, origin=origin)
    return found


def render_with(name: str, report: Report) -> str:
    """Renders a report in a format of a plugin.

    Raises:
        KeyError: there is no such format.
        FormatError: it failed.
    """
    form = load_formats()[name]
    try:
        text: Any = form.render(report)
    except Exception as exc:
        import traceback

        text = f"{form.origin}: the format {name} failed: {exc!r}"
        raise FormatError(text, traceback.format_exc()) from exc
    if not isinstance(text, str):
        raise FormatError(f"{form.origin}: the format {name} gave {text!r:.200} instead of text")
    return text


def _faults(name: str, loaded: Any) -> Iterator[str]:
    if isinstance(loaded, ReportFormat):
        yield from _faults_of_format(name, loaded)
    else:
        yield f"{loaded!r} is no pte_lint.plugin.ReportFormat"


def _faults_of_format(name: str, loaded: Any) -> Iterator[str]:
    if not _NAME.fullmatch(name):
        yield f"the name {name!r} of its entry point must be small letters, digits and hyphens"
    given: Any = loaded.suffixes
    if not isinstance(given, tuple) or not given or not _SUFFIXES.issuperset(given):
        yield f"suffixes is {given!r}: give a tuple of some of {' '.join(sorted(_SUFFIXES))}"
    if not callable(loaded.render):
        yield "render cannot be called"
