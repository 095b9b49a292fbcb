"""A program that is larger than its contract promises, in the file or in memory.

What it finds:
    More bytes of the file, of delegates' data on a device, of planned memory (of a method or all,
    by device or in all), or of one tensor, than the contract allows.

What the runtime does:
    It knows of no contract. Where the memory is not there, load_method ends with
    MemoryAllocationFailed, or the process is ended by the system. All versions.

Why it happens:
    Other shapes, another precision, or a memory plan that shares less.

How to fix it:
    Look where the bytes are, and export smaller:

        pte-lint inspect model.pte

    Where the change is meant, write the contract anew:

        pte-lint contract model.pte -o contract.toml

How it is confirmed:
    Not by running: the promise stands in the contract alone.

Seen in:
    executorch#7678, executorch#21958
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.sign import Unseen
from pte_lint.data.context import Context
from pte_lint.questions.method import Method
from pte_lint.rulebook.contract import GivenContract, broken, contracts_of
from pte_lint.rulebook.rule import Yields, artifact_rule

_ALL = "all"
_WHERE = {_ALL: "in all", "h2d": "to devices", "d2h": "from devices"}
_REMEDIATION = "See where the bytes are (`pte-lint inspect FILE`), and export smaller."


@artifact_rule(
    "PTE633",
    "contract-size",
    Severity.ERROR,
    "programs that are larger than a contract promises",
    sign=Unseen("what was promised is not the runtime's matter"),
)
def check(context: Context) -> Yields:
    """No forecast: the file may well run, where there is more memory."""
    for given, contract in contracts_of(context):
        from pte_lint.inspection.contract import (
            copied,
            facts_by_name,
            file_bytes,
            largest_tensor,
            planned,
        )

        facts = facts_by_name(context)
        has = planned(each for _, each in facts.values())
        whole = _table("most-bytes", "the file's bytes", contract.most_bytes, file_bytes(context))
        everywhere = _table("most-planned", "planned bytes", contract.most_planned, has)
        yield from _over(given, None, (*whole, *everywhere))
        for name, promised in contract.methods.items():
            if name not in facts:
                continue
            method, each = facts[name]
            key, what = f"methods.{name}.most-planned", f"planned bytes of {name}"
            memory = _table(key, what, promised.most_planned, planned([each]))
            key, what = f"methods.{name}.most-copied", f"the bytes that {name} copies"
            copies = _table(key, what, promised.most_copied, copied(each))
            yield from _over(given, method, (*memory, *copies))
            size, value = largest_tensor(method)
            if promised.largest_tensor is not None and size > promised.largest_tensor:
                yield broken(
                    given,
                    f"methods.{name}.largest-tensor",
                    f"that the largest tensor of {name} has at most, in bytes,",
                    promised.largest_tensor,
                    size,
                    remediation=_REMEDIATION,
                    location=method.location(value=value),
                    method=method,
                )


def _table(
    key: str, what: str, most: Mapping[str, int] | None, found: Mapping[str, int]
) -> Iterator[tuple[str, str, int, int]]:
    """What is over its limit, with both sides.

    Where devices are named, those that are not may have nothing.
    """
    if most is None:
        return
    is_by_device = any(name != _ALL for name in most)
    others = (name for name in found if is_by_device and name not in most and name != _ALL)
    for name in (*most, *others):
        limit, nbytes = most.get(name, 0), found.get(name, 0)
        if nbytes > limit:
            where = _WHERE.get(name, f"on {name}")
            yield f"{key}.{name}", f"that {what} {where} are at most", limit, nbytes


def _over(
    given: GivenContract, method: Method | None, over: Iterable[tuple[str, str, int, int]]
) -> Iterator[Finding]:
    for key, what, limit, nbytes in over:
        yield broken(given, key, what, limit, nbytes, remediation=_REMEDIATION, method=method)
