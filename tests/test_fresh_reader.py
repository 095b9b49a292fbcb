"""What a fresh reader names as the setting to change stands in the text of each finding."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import pte_lint
from pte_lint.claims.finding import Severity
from pte_lint.report.text import TextOptions, render_text

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "fresh_reader.md"
ROWS = re.findall(
    r"^\| (PTE\d+) \| `([^`]+)` \| (.+?) \| `([^`]+)` \|", PAGE.read_text("utf-8"), re.MULTILINE
)


def test_twenty_findings_of_twenty_rules() -> None:
    assert len(ROWS) >= 20
    assert len({rule for rule, *_ in ROWS}) == len(ROWS)


@pytest.mark.parametrize(("rule", "file", "setting"), [(r, f, s) for r, f, _, s in ROWS])
def test_the_text_names_the_setting(rule: str, file: str, setting: str) -> None:
    path = ROOT / "tests" / file
    data = sorted(path.parent.glob(f"{path.stem}-?.ptd"))
    report = pte_lint.check(path, data=data, select=[rule], isolated=True)
    # Infos are short: their fix is told by -v and by `explain`.
    is_info = all(finding.severity is Severity.INFO for finding in report.findings)
    flat = " ".join(render_text(report, TextOptions(verbose=is_info)).split())
    assert f"{rule} (" in flat
    fix = flat.partition("fix: ")[2] or flat
    assert setting in fix
