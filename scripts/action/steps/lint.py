"""Checks what was selected. Findings fail the job later, when everything is reported."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from steps.job import WORK, annotate, lines, nothing_selected, output, pte_lint, say, selected
from steps.selection import refused
from steps.settings import InForce

MARKDOWN: Final = WORK / "check.md"
PROPOSED: Final = WORK / "proposed"
"""Holds the exit code under the settings that the change brings, if it brings any."""

_SARIF, _JSON = WORK / "pte-lint.sarif", WORK / "pte-lint.json"
_PROPOSED_JSON = WORK / "proposed.json"


def run() -> None:
    """The step."""
    for old in (MARKDOWN, PROPOSED, _SARIF, _JSON, _PROPOSED_JSON):
        old.unlink(missing_ok=True)
    if nothing_selected():
        output("code", 0)
        return
    files, not_handed_on, in_force = selected(), refused(), InForce.load()
    code = 0
    if files:
        reports = {"sarif": _SARIF, "json": _JSON, "markdown": MARKDOWN}
        wanted = [f"--output={form}={file}" for form, file in reports.items()]
        arguments = ["--format=github", *wanted, *lines("ARGS")]
        code = pte_lint(["check", *in_force.options, *arguments, "--", *files])
        code = _whole(code, _JSON, files)
        if in_force.changed:
            # After the merge they are in force: a change under which programs fail is a failure.
            proposed = _proposed(files)
            PROPOSED.write_text(str(proposed), "utf-8")
            code = code or proposed
        for name, file in (("sarif", _SARIF), ("json", _JSON)):
            if file.is_file():
                output(name, file)
    for name, reason in not_handed_on:
        annotate(name, f"not checked: {reason}")
        code = 2
    output("code", code)


def _proposed(files: list[str]) -> int:
    """The exit code under the settings of the checkout."""
    say("with the changed settings:")
    wanted = [f"--output=json={_PROPOSED_JSON}", "--format=text", "--quiet"]
    code = pte_lint(["check", *wanted, *lines("ARGS"), "--", *files], out=WORK / "proposed.txt")
    say(f"pte-lint check ends with {code}")
    return _whole(code, _PROPOSED_JSON, files)


def _whole(code: int, report: Path, files: list[str]) -> int:
    """The exit code, but 2 when it is that of a run that did not judge each of the files."""
    if code > 1:
        return code
    try:
        judged = len(json.loads(report.read_text("utf-8"))["artifacts"])
    except (OSError, ValueError, KeyError, TypeError):
        judged = 0
    if judged < len(files):
        say(f"pte-lint judged {judged} of {len(files)} artifacts")
        return 2
    return code
