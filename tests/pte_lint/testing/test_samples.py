"""The programs that plugins are held to: those that run do, and pte-lint has no errors for them."""

from __future__ import annotations

import pytest

from pte_lint.claims.finding import Severity
from pte_lint.rulebook.registry import load_rules
from pte_lint.testing import Runtime, judge
from pte_lint.testing.samples import others, running

RUNNING, OTHERS = dict(running()), dict(others())


@pytest.mark.runtime
@pytest.mark.parametrize("what", RUNNING)
def test_programs_that_run_do(pte_lint_runtime: Runtime, what: str) -> None:
    pte_lint_runtime.assert_runs(RUNNING[what])


@pytest.mark.parametrize("what", RUNNING)
def test_pte_lint_has_no_error_for_them(what: str) -> None:
    report = judge(RUNNING[what], *load_rules(isolated=True))
    assert [f for f in report.findings if f.severity is Severity.ERROR] == []


@pytest.mark.parametrize("what", OTHERS)
def test_no_built_in_rule_fails_on_the_others(what: str) -> None:
    judge(OTHERS[what], *load_rules(isolated=True))


def test_the_samples_differ() -> None:
    assert len({*RUNNING.values(), *OTHERS.values()}) == len(RUNNING) + len(OTHERS)
