"""Draws test programs: what tests of pictures share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from pte_lint._version import __version__
from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import Forecast, Stage, error
from pte_lint.claims.result import Report
from pte_lint.claims.target import Target
from pte_lint.data.context import Context
from pte_lint.data.reading import open_context
from pte_lint.files.artifact import Source, open_artifact
from pte_lint.judging.engine import Settings, judge
from pte_lint.judging.finish import complete, fingerprinted
from pte_lint.picture import html
from pte_lint.picture.scene import MethodScene, scenes
from pte_lint.questions.method import Method
from pte_lint.questions.numbers import planned_without
from pte_lint.questions.placement.faults import FaultCause
from pte_lint.rulebook.registry import load_rules
from pte_lint.rulebook.rule import Rule, Scope

RULES = load_rules(isolated=True)

FindIn = Callable[[Method], Sequence[Finding]]
"""What stands in for the rules: findings of one method, as a rule would yield them."""


@contextmanager
def looked_at(
    source: Source,
    *,
    name: str | None = "model.pte",
    find: FindIn | None = None,
    rule: str = "PTE999",
    rule_name: str = "test-rule",
) -> Iterator[tuple[Report, Context]]:
    """Opens and judges an artifact, with all rules or with `find` in their place."""
    rules: tuple[Rule, ...] = RULES
    target = Target()
    with open_artifact(source, name) as artifact:
        context = open_context(artifact, target, (), {})
        if find is not None:
            rules = ()
        said = judge(context, Settings(rules=rules, target=target))
        if find is not None:
            asked = Rule(rule, rule_name, Severity.ERROR, "", Scope.METHOD, __name__, find)
            found = [
                complete(each, asked, target, method.name)
                for method in context.methods
                for each in find(method)
            ]
            said = type(said)(
                said.path, said.kind, said.size, said.sha256, said.verdict, fingerprinted(found)
            )
        yield Report(target, (said,), __version__), context


def page(source: Source, *, name: str | None = "model.pte", find: FindIn | None = None) -> str:
    """The HTML report of an artifact."""
    with looked_at(source, name=name, find=find) as (report, context):
        return html.render(report, context)


def drawn(
    source: Source,
    *,
    find: FindIn | None = None,
    rule: str = "PTE999",
    rule_name: str = "test-rule",
) -> tuple[MethodScene, ...]:
    """The methods of an artifact, drawn up; what they need of the file stays valid."""
    with looked_at(source, find=find, rule=rule, rule_name=rule_name) as (report, context):
        return scenes(context, report.findings)


def nothing(method: Method) -> Sequence[Finding]:
    """Finds nothing."""
    return ()


def planned_inputs(method: Method) -> Sequence[Finding]:
    """Findings about device inputs that are planned as well, with what their fix would save.

    Stands in for the rule so that golden files do not change with its words.
    """
    inputs = [v for v, _ in method.placement.by_tensor(FaultCause.PLANNED_INPUT)]
    evidence = {
        "planned_bytes_by_device": method.planned_bytes(),
        "planned_bytes_by_device_with_fix": planned_without(method, inputs),
    }
    return [
        Finding(
            message=f"{method.describe(v)} is planned twice.",
            remediation="Do not plan it:\n\n    MemoryPlanningPass(alloc_graph_input=False)\n",
            location=method.location(value=v),
            forecast=Forecast.always(error(Stage.SET_INPUT, "NotSupported")),
            evidence=evidence if inputs else {},
            subject=method.describe(v),
        )
        for v in inputs
    ]
