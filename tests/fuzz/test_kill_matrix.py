"""The kill matrix: every rule has a defect, and what is written down about it is still so."""

from __future__ import annotations

from pathlib import Path

import pytest

from pte_lint.claims.finding import Severity
from pte_lint.rulebook.registry import load_rules
from tests.fuzz.kill_matrix import (
    FOLDER,
    PAGE,
    Defect,
    as_said,
    judged,
    judged_good,
    page,
    stored,
)
from tests.fuzz.odd import ODD_DEFECTS
from tests.support.golden import check_golden
from tests.support.said import said

GOLDEN = Path(__file__).parent / "golden"
STORED = stored()

#: What zlib writes differs from version to version.
DEPEND_ON_A_LIBRARY = frozenset({"PTE003"})

#: PTE208 wants more memory than the probe has, all devices of one type are the same to it, and the
#: data file that PTE511 asks for is not given.
BEYOND_THE_PROBE = frozenset({"PTE208", "PTE311", "PTE511"})


def test_every_rule_has_a_defect() -> None:
    assert {each.rule for each in STORED} == {rule.id for rule in load_rules(isolated=True)}


@pytest.mark.parametrize("defect", STORED, ids=lambda defect: defect.rule)
def test_what_is_said_now_is_what_is_written_down(defect: Defect) -> None:
    """By the rule and only the right ones; the runtime, when asked, did not refute it."""
    report = judged(defect)
    now = as_said(defect, report)
    assert now == defect
    check_golden(GOLDEN / f"{defect.rule}.txt", said(report))
    assert _is_borne_out(now)


def _is_borne_out(defect: Defect) -> bool:
    """Whether what the runtime did fits the verdict. Garbage must have shown in some way."""
    if not defect.runtime or defect.rule in BEYOND_THE_PROBE:
        return True
    if defect.verdict.endswith("unjudged"):
        return True  # nothing is foretold that could be refuted
    if defect.verdict.endswith("undefined"):
        return defect.runtime != "runs"
    if defect.verdict.endswith("wrong"):
        # A kernel that does not look at the order does the same as before.
        return defect.runtime.startswith("runs")
    if defect.verdict == "execute ok":
        # Where no content is in the file, results hang on what the arena holds at first.
        unwritten = "; results depend on unwritten memory" if defect.rule == "PTE508" else ""
        return defect.runtime == f"runs{unwritten}"
    return defect.runtime == defect.verdict


@pytest.mark.parametrize("defect", STORED, ids=lambda defect: defect.rule)
def test_the_good_file_is_silent(defect: Defect, tmp_path: Path) -> None:
    findings = judged_good(defect, tmp_path).findings
    assert defect.rule not in {f.rule for f in findings}
    assert not [f.message for f in findings if f.severity is Severity.ERROR]


@pytest.mark.parametrize("rule", sorted(ODD_DEFECTS))
def test_what_is_stored_is_what_is_made(rule: str) -> None:
    odd = ODD_DEFECTS[rule]()
    (defect,) = [each for each in STORED if each.rule == rule]
    assert (defect.what, Path(defect.file).suffix) == (odd.what, Path(odd.name).suffix)
    if rule not in DEPEND_ON_A_LIBRARY:
        assert (FOLDER / defect.file).read_bytes() == odd.file


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text("utf-8") == page(STORED)
