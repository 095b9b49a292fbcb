"""What reports, `explain` and the rules' JSON say of repairs is what a repair does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import pte_lint
from pte_lint.claims.finding import Severity
from pte_lint.claims.result import Report
from pte_lint.fix.proof import prove
from pte_lint.fix.repair import NEEDS_LEAVE, NO_FIXER, UNSURE
from pte_lint.report import json_report, sarif
from pte_lint.report.rule_json import rules_json
from pte_lint.report.rule_text import rule_text
from pte_lint.rulebook.fixable import FIXES, NEED_ERROR, fix_of
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.fuzz.kill_matrix import FOLDER
from tests.pte_lint.fix.test_repair import BEYOND, DEFECTS, FIXERS, RULES, mended
from tests.support.runtime import need_runtime

BY_ID = {rule.id: rule for rule in RULES}


def told(report: Report, rule: str) -> set[str | None]:
    """What a report says of the repair of a rule's findings, the same in both formats."""
    findings = json.loads(json_report.render(report))["artifacts"][0]["findings"]
    results = json.loads(sarif.render(report))["runs"][0]["results"]
    mine = [f["fix"] for f in findings if f["rule"] == rule]
    assert mine == [r["properties"].get("fix") for r in results if r["ruleId"] == rule]
    return set(mine)


@pytest.mark.parametrize("rule", sorted(DEFECTS))
def test_the_seeded_defect_of_each_rule_is_mended_as_it_is_told(rule: str) -> None:
    path = FOLDER / DEFECTS[rule].file
    content = path.read_bytes()
    done, _ = mended(content)
    shown = [f for f in done.before.findings if f.rule == rule]
    if not shown:
        return  # it takes data files or options, and rules with fixers take none
    fix = fix_of(rule)
    assert told(Report(pte_lint.Target(), (done.before,), "0"), rule) == {fix}
    assert json.loads(rules_json([BY_ID[rule]], documents=False))[0]["fix"] == fix
    sentence = {
        None: "",
        "safe": "`pte-lint fix` can repair",
        "unsafe": "`pte-lint fix --unsafe-fixes` can repair",
    }[fix]
    explained = rule_text(BY_ID[rule])
    assert sentence in explained
    assert ("pte-lint fix" in explained.partition("What it finds")[0]) == bool(sentence)
    undone = {a.is_safe for a in done.applied if a.finding.rule == rule}
    left = {each.why for each in done.left if each.finding.rule == rule}
    if fix is None:
        assert undone == set()
        assert left <= {NO_FIXER}
    elif rule in BEYOND:
        assert left == {BEYOND[rule]}
    else:
        assert undone == {fix == "safe"}
        careful, _ = mended(content, unsafe=False)
        alone = {a.finding.rule for a in careful.applied}
        assert (rule in alone) == (fix == "safe")
        if fix == "unsafe":
            why = {each.why for each in careful.left if each.finding.rule == rule}
            assert why == {NEEDS_LEAVE}


def test_rules_with_fixers_are_shown_by_their_defects() -> None:
    for rule in FIXERS:
        done, _ = mended((FOLDER / DEFECTS[rule].file).read_bytes())
        assert rule in {f.rule for f in done.before.findings}
    assert {rule for rule, each in FIXERS.items() if each.needs_error} == NEED_ERROR
    assert FIXES.keys() == FIXERS.keys()


def overlapping(offset: int, name: str = "forward") -> MethodBuilder:
    """y = x * w, with x at byte 4096 and y at another."""
    b = MethodBuilder(name)
    x = b.input((16, 16), memory_id=1, offset=4096)
    weight = b.constant([1.5] * 256, (16, 16))
    y = b.tensor((16, 16), memory_id=1, offset=offset)
    b.output(b.call("aten::mul.out", x, weight, out=y))
    return b


UNSURE_AT, SURE_AT, APART = 4032, 4160, 8192


def test_what_may_be_right_is_changed_with_leave_alone() -> None:
    """One method without, one with a finding that is unsure."""
    content = build_program(overlapping(APART, "good"), overlapping(UNSURE_AT, "bad")).bytes()
    done, same = mended(content, unsafe=False)
    assert [(f.rule, f.severity) for f in done.before.findings if f.rule == "PTE204"] == [
        ("PTE204", Severity.WARNING)
    ]
    assert told(Report(pte_lint.Target(), (done.before,), "0"), "PTE204") == {"unsafe"}
    assert {each.why for each in done.left if each.finding.rule == "PTE204"} == {UNSURE}
    assert (done.applied, same) == ((), content)
    done, _ = mended(content)
    assert [(a.finding.rule, a.is_safe) for a in done.applied] == [("PTE204", False)]
    assert done.undefined == {"bad"}


def test_what_is_wrong_for_sure_is_mended_without() -> None:
    content = build_program(overlapping(APART, "good"), overlapping(SURE_AT, "bad")).bytes()
    done, _ = mended(content, unsafe=False)
    assert [(a.finding.rule, a.is_safe) for a in done.applied] == [("PTE204", True)]
    assert done.undefined == {"bad"}


def test_a_smaller_plan_is_not_made_where_results_may_change() -> None:
    """The arena is far larger than what is in it, in both methods."""
    content = build_program(overlapping(APART, "good"), overlapping(UNSURE_AT, "bad")).bytes()
    done, _ = mended(content, unsafe=False, plan_memory=True)
    assert {each.method for each in done.memory} == {"good"}


def spread() -> bytes:
    """y = x * w with x of one element, which y's first is written over."""
    b = MethodBuilder("forward")
    # Of different types: the kernel reads x anew for each element.
    x = b.input((1,), "int32", memory_id=1, offset=4096)
    weight = b.constant([1.5] * 32, (32,))
    y = b.tensor((32,), memory_id=1, offset=4096)
    b.output(b.call("aten::mul.out", x, weight, out=y))
    return build_program(b).bytes()


@pytest.mark.runtime
def test_results_that_change_with_leave_are_not_called_equal(tmp_path: Path) -> None:
    need_runtime()
    old, new = tmp_path / "old.pte", tmp_path / "new.pte"
    old.write_bytes(spread())
    done, content = mended(spread())
    new.write_bytes(content)
    assert [(a.finding.rule, a.is_safe) for a in done.applied] == [("PTE204", False)]
    assert [s.status for s in prove(old, new, undefined=done.undefined)] == ["defined now"]
    assert [s.status for s in prove(old, new)] == ["differs"]
