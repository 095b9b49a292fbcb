"""What the patterns and the meanings of each operator say to calls whose tensors are permuted.

As with `checks/test_every_call.py`: what is right is measured elsewhere (docs/values.md), here a
change of any outcome shows as a change of the golden file.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from itertools import permutations
from pathlib import Path

import pytest

from pte_lint.claims.forecast import RUNTIME_VERSIONS
from pte_lint.ops.checks.table import KNOWN
from pte_lint.ops.layouts.call import Misread, PlacedCall, Unknown
from pte_lint.ops.layouts.meanings import meaning_of, reads_by_strides
from pte_lint.ops.layouts.table import PATTERNS
from pte_lint.ops.layouts.terms import Terms
from tests.kernels.bases import bases
from tests.kernels.changes import changes, mapped
from tests.support.direct_calls import DirectPlacedCall
from tests.support.golden import check_golden
from tests.support.kernel_calls import KernelCall, T

GOLDEN = Path(__file__).parent / "golden"

_WORKING = list(bases())
_OPERATORS = sorted(KNOWN)

CALLS = 12
"""Calls that work, and as many with one thing changed, of each operator."""
ORDERED = 16
"""Calls with their tensors in other orders, of each of those."""


def _calls(operator: str) -> Iterator[tuple[str, KernelCall]]:
    draw = random.Random(operator)
    working = [(name, call) for name, call in _WORKING if call.operator == operator]
    yield from working[:CALLS]
    # Also such as the kernel refuses: nothing may fail for them.
    changed = [(f"{n}, {label}", each) for n, call in working[:3] for label, each in changes(call)]
    yield from draw.sample(changed, min(len(changed), CALLS))


def _ordered(label: str, call: KernelCall) -> Iterator[tuple[str, KernelCall]]:
    """With all tensors permuted alike, each permuted alone, and some whose elements are equal."""
    yield label, call
    draw = random.Random(label)
    found = []
    for order in [*permutations(range(3)), (0, 2, 3, 1), (1, 0), (0, 1, 3, 2), (0, 2, 3, 4, 1)]:

        def turned(tensor: T, order: tuple[int, ...] = order) -> T:
            return replace(tensor, order=order) if len(tensor.sizes) == len(order) else tensor

        found.append((f"{label}, all {order}", mapped(call, turned)))
        for n, argument in enumerate(call.args):
            if isinstance(argument, T) and len(argument.sizes) == len(order):
                alone = call.with_argument(n, turned(argument))
                found.append((f"{label}, {n} {order}", alone))
                equal = call.with_argument(n, replace(turned(argument), zeros=True))
                found.append((f"{label}, {n} {order} and equal elements", equal))
            if isinstance(argument, list) and argument and isinstance(argument[0], T):
                first = call.with_argument(n, [turned(argument[0]), *argument[1:]])
                found.append((f"{label}, first of {n} {order}", first))
    yield from draw.sample(found, min(ORDERED, len(found)))


def _judged(call: PlacedCall) -> str:
    try:
        PATTERNS.get(call.operator, lambda _: None)(call)
    except Misread as wrong:
        other = f" and {wrong.other.name}" if wrong.other else ""
        return f"{wrong.how}: {wrong.tensor.name}{other}{', outside' if wrong.outside else ''}"
    except Unknown:
        return "unknown"
    return "right"


def _meant(call: PlacedCall) -> str:
    meaning, terms = meaning_of(call.operator), Terms()
    if meaning is None:
        return "no meaning"
    try:
        rows = [[terms.of(n, i) for i in range(t.numel)] for n, t in enumerate(call.inputs())]
        found = meaning(call, rows, terms)
        some = found[0][:4] if found else ()
        return f"{found} {reads_by_strides(call)} {[terms.bounds(t) for t in some]}"
    except Unknown:
        return "unknown"


@pytest.mark.parametrize("operator", _OPERATORS)
def test_what_is_said_of_layouts(operator: str) -> None:
    counts: Counter[str] = Counter()
    digest = sha256()
    for label, call in _calls(operator):
        digest.update(_meant(DirectPlacedCall(call)).encode())
        for name, ordered in _ordered(label, call):
            placed = DirectPlacedCall(ordered)
            said = _judged(placed)
            if placed.has_looked_at_version:
                older = (DirectPlacedCall(ordered, each) for each in RUNTIME_VERSIONS)
                said = " / ".join(dict.fromkeys(map(_judged, older)))
            counts[said] += 1
            digest.update(f"{name}: {said}\n".encode())
    lines = [f"{counts[said]:4} {said}" for said in sorted(counts)]
    check_golden(
        GOLDEN / f"{operator.replace('::', '.')}.txt",
        "\n".join([*lines, digest.hexdigest()[:16]]) + "\n",
    )
