"""What fixers look up about a finding."""

from __future__ import annotations

from pte_lint.claims.finding import Finding
from pte_lint.data.context import Context
from pte_lint.edits.plan_draft import EditError
from pte_lint.ir.steps import Step
from pte_lint.questions.method import Method


def method_of(finding: Finding, context: Context) -> Method:
    """The method that a finding is about.

    Raises:
        EditError: It is about none.
    """
    for method in context.methods:
        if method.index == finding.plan:
            return method
    raise EditError("it is about no method that could be read")


def value_of(finding: Finding) -> int:
    """The value that a finding is about.

    Raises:
        EditError: It is about none.
    """
    if finding.location.value is None:
        raise EditError("it names no value")
    return finding.location.value


def step_of(finding: Finding, method: Method) -> Step:
    """The instruction that a finding is about.

    Raises:
        EditError: It is about none.
    """
    index = finding.location.instruction
    if index is None or not 0 <= index < len(method.steps):
        raise EditError("it names no instruction")
    return method.steps[index]
