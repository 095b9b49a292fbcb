"""Less in delegates than a contract promises, or other backends.

What it finds:
    Methods that call other backends than the contract names, where delegates take a smaller share
    of calls, operators, bytes or multiply-adds, or where operators stay on the host that may not.

What the runtime does:
    It knows of no contract. What is not delegated runs on host kernels: correctly, if they are
    linked, and much slower. A backend that is not linked ends load_method with NotFound. All
    versions.

Why it happens:
    The partitioner declined operators that it took before, or a version of it takes others.

How to fix it:
    Lower the model to the backend that was promised, such as XNNPACK, and where that declines, ask
    its logger why:

        import logging

        from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
        from executorch.exir import to_edge_transform_and_lower

        logging.getLogger("executorch.backends.xnnpack").setLevel(logging.DEBUG)
        edge = to_edge_transform_and_lower(exported, partitioner=[XnnpackPartitioner()])

    Where the change is meant, write the contract anew:

        pte-lint contract model.pte -o contract.toml

How it is confirmed:
    Not by running: the promise stands in the contract alone.

Seen in:
    executorch#5110, executorch#20286
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pte_lint.claims.finding import Finding, Severity, Unchecked
from pte_lint.claims.sign import Unseen
from pte_lint.data.context import Context
from pte_lint.questions.method import Method, Step
from pte_lint.rulebook.contract import GivenContract, broken, contracts_of
from pte_lint.rulebook.rule import Yields, artifact_rule
from pte_lint.text.globs import text_matches

if TYPE_CHECKING:
    from pte_lint.inspection.code import MethodFacts
    from pte_lint.rulebook import contract_model as model

_ON = " on "
_REMEDIATION = "Find out why the partitioner declined, and export again."


@artifact_rule(
    "PTE632",
    "contract-delegation",
    Severity.ERROR,
    "less in delegates than a contract promises, or other backends",
    sign=Unseen("what was promised is not the runtime's matter"),
)
def check(context: Context) -> Yields:
    """No forecast: the file may well run, for others than those it was promised to."""
    for given, contract in contracts_of(context):
        from pte_lint.inspection.contract import backends, delegated, facts_by_name

        facts = facts_by_name(context)
        for name, promised in contract.methods.items():
            if name not in facts:
                continue
            method, each = facts[name]
            wanted, found = promised.backends, backends(each)
            if wanted is not None and not _are(wanted, found):
                yield broken(
                    given,
                    f"methods.{name}.backends",
                    f"that the backends of {name} are",
                    sorted(wanted),
                    list(found),
                    remediation=_REMEDIATION,
                    method=method,
                )
            has = delegated(method, each, context)
            yield from _shares(given, method, promised.least_delegated, has)
            yield from _operators(given, method, promised, each)


def _are(promised: Sequence[str], found: Sequence[str]) -> bool:
    """Whether backends are those promised, on their devices where these are promised too."""
    alone = {name.partition(_ON)[0] for name in found}
    return all(name in found or name in alone for name in promised) and all(
        name in promised or name.partition(_ON)[0] in promised for name in found
    )


def _shares(
    given: GivenContract, method: Method, promised: model.Delegated, has: model.Delegated
) -> Iterator[Finding | Unchecked]:
    for name, field in type(promised).model_fields.items():
        least, found = getattr(promised, name), getattr(has, name)
        what = field.alias or name
        if least is None:
            continue
        if found is None:
            told = f"{given.source}: the least delegated share of {what} of {method.name}"
            yield Unchecked(told, "a delegate's blob does not tell what is inside")
        elif found < least:
            yield broken(
                given,
                f"methods.{method.name}.least-delegated.{what}",
                f"that the share of {what} of {method.name} in delegates is at least",
                least,
                found,
                remediation=_REMEDIATION,
                method=method,
            )


def _operators(
    given: GivenContract, method: Method, promised: model.Method, facts: MethodFacts
) -> Iterator[Finding]:
    """One finding for each operator that stays on the host against the promise."""
    for step in _first_calls(method, {use.operator for use in facts.operators if use.is_compute}):
        operator = step.operator
        refused = [glob for glob in promised.no_host_operators if text_matches(glob, operator)]
        allowed = promised.host_operators
        is_other = allowed is not None and not any(text_matches(g, operator) for g in allowed)
        if refused or is_other:
            key = "no-host-operators" if refused else "host-operators"
            yield broken(
                given,
                f"methods.{method.name}.{key}: {operator}",
                f"that the operators of {method.name} on the host are"
                + (" none of" if refused else ""),
                refused or sorted(allowed or ()),
                operator,
                remediation=_REMEDIATION,
                location=method.location(step=step),
                method=method,
            )


def _first_calls(method: Method, operators: set[str]) -> Iterator[Step]:
    """The first call of each of these operators, in order."""
    left = set(operators)
    for step in method.kernel_calls():
        if step.operator in left:
            left.discard(step.operator)
            yield step
