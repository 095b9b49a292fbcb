"""What is said of files that run and are right: next to nothing.

Over the files of `tests/data` that are meant to be right, and those of the folder that the
environment variable PTE_LINT_CORPUS names.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import pte_lint
from pte_lint.claims.finding import Severity
from pte_lint.claims.result import Report
from pte_lint.report.text import render_text

DATA = Path(__file__).parent / "data"

_NOT_HEALTHY = {
    "clean/constant_methods.pte": "says that it is a language model, and no runner can run it",
}


def _files(root: Path) -> Iterator[tuple[Path, list[Path]]]:
    """Programs, each with its data files."""
    manifest = root / "manifest.json"
    if manifest.is_file():
        for entry in json.loads(manifest.read_text("utf-8")):
            if entry["severity"] == "clean" and entry["file"] not in _NOT_HEALTHY:
                path = root / entry["file"]
                yield path, sorted(path.parent.glob(f"{path.stem}*.ptd"))
        return
    for truth in sorted(root.glob("*/truth.json")):
        for record in json.loads(truth.read_text("utf-8")):
            is_right = record["severity"] == "clean" and not record.get("must")
            if is_right and record["outcome"]["overall"].startswith("ok"):
                given = [truth.parent / d["file"] for d in record.get("data_files") or ()]
                yield truth.parent / record["file"], given


def _report(root: Path) -> Report:
    reports = [
        pte_lint.check(path, data=data, isolated=True)
        for path, data in _files(root)
        if path.suffix == ".pte"
    ]
    assert len(reports) > 50
    artifacts = tuple(artifact for report in reports for artifact in report.artifacts)
    return Report(reports[0].target, artifacts, reports[0].tool_version)


@pytest.fixture(scope="module", params=["data", "corpus"])
def healthy(request: pytest.FixtureRequest) -> Report:
    named = os.environ.get("PTE_LINT_CORPUS")
    if request.param == "data":
        return _report(DATA)
    if not named:
        pytest.skip("PTE_LINT_CORPUS names no folder")
    return _report(Path(named))


def test_no_warnings_and_few_infos(healthy: Report) -> None:
    loud = [(a.path, f.rule) for a in healthy.artifacts for f in a.findings if _is_loud(f.severity)]
    assert loud == []
    assert len(healthy.findings) * 4 <= len(healthy.artifacts)


def _is_loud(severity: Severity | None) -> bool:
    return severity is not Severity.INFO


def test_the_report_is_as_long_as_the_folder(healthy: Report) -> None:
    text = render_text(healthy)
    assert len(text.splitlines()) <= len(healthy.artifacts) + 10
    assert "0 errors, 0 warnings" in text


def test_what_runs_only_if_something_is_given_says_so(healthy: Report) -> None:
    """A backend that no release has never reads like a program that just runs."""
    lines = {line.split(": ")[0]: line for line in render_text(healthy).splitlines()}
    lacking = [a for a in healthy.artifacts if any(n.kind == "backend" for n in a.needs)]
    assert lacking
    for artifact in lacking:
        assert "; runs if given the backend " in lines[artifact.path]
        assert "; runs on " not in lines[artifact.path]


def test_nothing_is_unchecked_that_has_nothing_to_check(healthy: Report) -> None:
    gaps = [gap.why for artifact in healthy.artifacts for gap in artifact.unchecked]
    assert not [why for why in gaps if "sym_size" in why or "_local_scalar_dense" in why]
