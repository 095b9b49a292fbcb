"""Selecting rules by id, prefix, name and ALL."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from pte_lint.claims.finding import Finding, Severity
from pte_lint.rulebook.rule import Rule, Scope
from pte_lint.rulebook.selection import SelectorError, find_rule, select_rules


def nothing(*_: object) -> Iterator[Finding]:
    yield from ()


RULES = tuple(
    Rule(i, n, Severity.ERROR, "things", Scope.METHOD, __name__, nothing)
    for i, n in (
        ("PTE101", "bad-index"),
        ("PTE301", "device-input-planned"),
        ("PTE302", "device-output-planned"),
    )
)


def ids(select: tuple[str, ...] = (), ignore: tuple[str, ...] = ()) -> list[str]:
    return [r.id for r in select_rules(RULES, select, ignore)]


@pytest.mark.parametrize(
    ("select", "ignore", "expected"),
    [
        ((), (), ["PTE101", "PTE301", "PTE302"]),
        (("ALL",), ("PTE3",), ["PTE101"]),
        (("PTE3",), (), ["PTE301", "PTE302"]),
        (("pte301",), (), ["PTE301"]),
        (("device-output-planned",), (), ["PTE302"]),
        (("PTE301",), ("PTE3",), ["PTE301"]),
        (("PTE3",), ("PTE301",), ["PTE302"]),
    ],
)
def test_select(select: tuple[str, ...], ignore: tuple[str, ...], expected: list[str]) -> None:
    assert ids(select, ignore) == expected


def test_selectors_that_leave_nothing_are_an_error() -> None:
    """Checking with no rule at all would pass everything."""
    with pytest.raises(SelectorError, match="leave no rule"):
        ids(("PTE301",), ("PTE301",))
    with pytest.raises(SelectorError, match="leave no rule"):
        ids(ignore=("PTE1", "PTE3"))


@pytest.mark.parametrize("unknown", ["PTE9", "device-input-planed", "", "X"])
def test_unknown_selector_is_an_error(unknown: str) -> None:
    with pytest.raises(SelectorError, match="no rule matches"):
        ids(select=(unknown,))
    with pytest.raises(SelectorError):
        ids(ignore=(unknown,))


def test_did_you_mean() -> None:
    with pytest.raises(SelectorError, match="did you mean device-input-planned"):
        find_rule(RULES, "device-input-planed")
    assert find_rule(RULES, "pte302").name == "device-output-planned"


def test_optional_rules_run_when_they_are_asked_for() -> None:
    optional = replace(RULES[-1], is_optional=True)
    rules = (*RULES[:-1], optional)
    usual = [r.id for r in RULES[:-1]]
    assert [r.id for r in select_rules(rules)] == usual
    assert [r.id for r in select_rules(rules, ignore=[RULES[0].id])] == usual[1:]
    for asked in ("ALL", optional.id, optional.name, optional.id[:4]):
        assert optional in select_rules(rules, [asked]), asked
    for named in (optional.id, optional.name):
        assert optional in select_rules(rules, severity=[named])
    assert optional not in select_rules(rules, severity=[RULES[0].id])
