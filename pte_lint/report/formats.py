"""The table of formats: a name, a module with a `render(report) -> str`, and a description.

Modules are imported when their format is asked for. Everything here is core: no format fails late
for want of an optional dependency.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import cast

from pte_lint.result import Report


@dataclass(frozen=True, slots=True)
class Format:
    """One format, not loaded yet."""

    module: str
    description: str


FORMATS: dict[str, Format] = {
    "text": Format("pte_lint.report.text", "for people"),
    "json": Format("pte_lint.report.json_report", "for programs; its JSON Schema is stable"),
}
"""By name, in the order of the help."""


def render(report: Report, name: str) -> str:
    """Renders a report in one format, without colour and with the format's defaults.

    Raises:
        KeyError: there is no such format.
    """
    return cast("str", import_module(FORMATS[name].module).render(report))
