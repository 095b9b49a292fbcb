"""The table of formats: a name, a module, and a description.

Each module has a function `render(report, options) -> str`. Modules are imported when their format
is asked for. Everything here is core: no format fails late for want of an optional dependency.
"""

from __future__ import annotations

from importlib import import_module
from typing import cast

from pte_lint.claims.result import Report
from pte_lint.report.options import DEFAULT, RenderOptions
from pte_lint.schema.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Format:
    """One format, not loaded yet."""

    module: str
    description: str


FORMATS: dict[str, Format] = {
    "text": Format("pte_lint.report.text", "for people"),
    "concise": Format("pte_lint.report.concise", "one line a finding"),
    "json": Format("pte_lint.report.json_report", "for programs; its JSON Schema is committed"),
    "sarif": Format("pte_lint.report.sarif", "SARIF 2.1.0, for code scanning"),
    "junit": Format("pte_lint.report.junit", "JUnit XML, for CI servers"),
    "github": Format("pte_lint.report.github", "annotations of a GitHub Actions job"),
    "gitlab": Format("pte_lint.report.gitlab", "GitLab code quality"),
    "markdown": Format("pte_lint.report.markdown", "a comment for a pull request"),
}
"""By name, in the order of the help."""


def render(report: Report, name: str, options: RenderOptions = DEFAULT) -> str:
    """Renders a report in one format, without colour and with the format's defaults.

    Raises:
        KeyError: there is no such format.
        FormatError: a format of a plugin failed.
    """
    if name not in FORMATS:
        from pte_lint.rulebook.formats_of_others import render_with

        return render_with(name, report)
    return cast("str", import_module(FORMATS[name].module).render(report, options))
