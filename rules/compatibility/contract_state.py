"""State that is other than a contract promises.

What it finds:
    Buffers that keep their content between runs and that a contract promises, where a method does
    not have them, where their element type, sizes or first content differ, and where methods that
    are to share them keep them in different places.

What the runtime does:
    It knows of no contract. A method without its buffer keeps no state. Methods share a buffer
    where it has the same arena and offset in all of them and the runner gives them one arena, as
    Module with share_memory_arenas does with the arenas 1 and 2 (extension/module/module.h); at
    different places each has its own, and what one wrote the other does not find.

Why it happens:
    Buffers were renamed, or the methods were planned one by one instead of together.

How to fix it:
    Export the methods in one program, and let the planner share their buffers:

        from executorch.exir import ExecutorchBackendConfig
        from executorch.exir.passes import MemoryPlanningPass

        ExecutorchBackendConfig(memory_planning_pass=MemoryPlanningPass(share_mutable_buffers=True))

    Where the change is meant, write the contract anew:

        pte-lint contract model.pte -o contract.toml

How it is confirmed:
    Not by running: the promise stands in the contract alone.

Seen in:
    executorch#4908, executorch#21746
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pte_lint.claims.finding import Finding, Json, Severity
from pte_lint.claims.sign import Unseen
from pte_lint.data.context import Context
from pte_lint.rulebook.contract import GivenContract, broken, contracts_of
from pte_lint.rulebook.rule import Yields, artifact_rule

if TYPE_CHECKING:
    from pte_lint.rulebook.contract_model import State

_REMEDIATION = "Export the methods in one program that shares and names its buffers."


@artifact_rule(
    "PTE634",
    "contract-state",
    Severity.ERROR,
    "state that is other than a contract promises",
    sign=Unseen("what was promised is not the runtime's matter"),
)
def check(context: Context) -> Yields:
    """No forecast: the file may well run, for others than those it was promised to."""
    for given, contract in contracts_of(context):
        if not contract.state or context.program is None:
            continue
        from pte_lint.inspection.contract import facts_by_name, states

        found = {s.name: s for s in states(each for _, each in facts_by_name(context).values())}
        for position, promised in enumerate(contract.state):
            yield from _state(given, f"state[{position}]", promised, found)


def _state(
    given: GivenContract, key: str, promised: State, known: dict[str, State]
) -> Iterator[Finding]:
    has = known.get(promised.name)
    if has is None:
        what = f"that the state {promised.name} is there; all state is"
        yield _broken(given, key, what, promised.name, sorted(known) or None)
        return
    missing = [name for name in promised.methods if name not in has.methods]
    if missing:
        what = f"that the methods with the state {promised.name} are"
        yield _broken(given, f"{key}.methods", what, list(promised.methods), list(has.methods))
    for name, field in type(promised).model_fields.items():
        one, other = getattr(promised, name), getattr(has, name)
        if name in ("name", "methods") or one is None or one == other:
            continue
        if name == "shared" and not one:
            continue
        told = "sharing by methods" if name == "shared" else field.alias or name
        what = f"that the {told} of the state {promised.name} is"
        yield _broken(given, f"{key}.{field.alias or name}", what, one, other)


def _broken(given: GivenContract, key: str, what: str, promised: Json, found: Json) -> Finding:
    return broken(given, key, what, promised, found, remediation=_REMEDIATION)
