"""`--fail-on`: which changes are too much."""

from __future__ import annotations

import pytest

from pte_lint.cli.diff import EPILOG
from pte_lint.difference import changes, whole
from pte_lint.difference.changes import Change
from pte_lint.difference.failing import ANY, KINDS, Condition, ConditionError, failing


def planned(old: int, new: int) -> Change:
    return changes.PlannedBytesChanged(method="forward", device="cpu", old=old, new=new)


def new_finding(severity: str) -> Change:
    return whole.NewFinding(
        rule="PTE301", name="x", severity=severity, message="", about="", fingerprint=severity
    )


@pytest.mark.parametrize(
    ("text", "old", "new", "matches"),
    [
        ("planned-bytes", 100, 99, True),
        ("planned-bytes>5%", 100, 105, False),
        ("planned-bytes>5%", 100, 106, True),
        ("planned-bytes>5%", 100, 1, False),
        ("planned-bytes>5%", 0, 1, True),
        ("planned-bytes>0", 100, 99, False),
        ("planned-bytes>0", 100, 101, True),
        ("planned-bytes>1KiB", 0, 1024, False),
        ("planned-bytes>1 KiB", 0, 1025, True),
        ("planned-bytes>0.5MiB", 0, (1 << 19) + 1, True),
        ("placement", 1, 2, False),
        ("any", 2, 1, True),
    ],
)
def test_limits(text: str, old: int, new: int, matches: bool) -> None:
    assert Condition.parse(text).matches(planned(old, new)) is matches


@pytest.mark.parametrize(
    ("text", "failed"),
    [
        ("new-findings", ["error", "warning", "info"]),
        ("new-findings=info", ["error", "warning", "info"]),
        ("new-findings=warning", ["error", "warning"]),
        ("new-findings=error", ["error"]),
        ("fixed-findings", []),
    ],
)
def test_severities(text: str, failed: list[str]) -> None:
    condition = Condition.parse(text)
    told = [new_finding(s) for s in ("error", "warning", "info")]
    assert [c.severity for c in told if condition.matches(c)] == failed  # type: ignore[attr-defined]


def test_a_fixed_finding_is_never_any() -> None:
    fixed = whole.FixedFinding(
        rule="PTE301", name="x", severity="error", message="", about="", fingerprint="0"
    )
    assert not Condition.parse("any").matches(fixed)
    assert Condition.parse("fixed-findings").matches(fixed)


def test_worse_verdicts_and_new_requirements() -> None:
    worse = whole.VerdictChanged(old="", new="", old_rank=0, new_rank=3)
    better = whole.VerdictChanged(old="", new="", old_rank=3, new_rank=0)
    gone = whole.RequirementChanged(what="backend", name="x", old=True, new=False)
    came = whole.RequirementChanged(what="backend", name="x", old=False, new=True)
    conditions = [Condition.parse("verdict>0"), Condition.parse("requirements>0")]
    assert [c for c, _ in failing([worse, better, gone, came], conditions)] == [worse, came]


def test_the_first_condition_is_told() -> None:
    conditions = [Condition.parse("planned-bytes>5%"), Condition.parse("any")]
    change = planned(1, 2)
    assert failing([change], conditions) == ((change, conditions[0]),)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "cannot read ''"),
        ("planned-bytes<5", "cannot read"),
        ("planned-bytes>5 apples", "cannot read"),
        ("plannedbytes", "did you mean planned-bytes?"),
        ("zzz", "known are verdict, "),
        ("placement>5%", "placement has no amount"),
        ("any>5", "any has no amount"),
        ("placement=error", "placement has no severity"),
        ("new-findings=bad", "no severity 'bad'; known are error, warning, info"),
    ],
)
def test_what_is_no_condition(text: str, why: str) -> None:
    with pytest.raises(ConditionError) as caught:
        Condition.parse(text)
    assert why in str(caught.value)


@pytest.mark.parametrize(
    "text", ["any", "planned-bytes>5%", "planned-bytes>2048", "new-findings=error"]
)
def test_it_prints_as_it_reads(text: str) -> None:
    condition = Condition.parse(text)
    assert str(condition) == text
    assert Condition.parse(str(condition)) == condition


def test_every_kind_is_known_by_its_word() -> None:
    def below(cls: type[Change]) -> set[str]:
        return {cls.kind}.union(*(below(sub) for sub in cls.__subclasses__()))

    assert below(Change) - {""} == set(KINDS)
    assert all(kind == cls.kind for kind, cls in KINDS.items())


def test_the_help_names_every_kind() -> None:
    words = EPILOG.replace(",", " ").split()
    assert {*KINDS, ANY} <= set(words)
