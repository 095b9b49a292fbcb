"""What the checks of each kernel say to a sample of calls: those of the sweep (`tests.kernels`),
with two things changed, and with arguments that are not known.

Nothing here tells whether it is right (the sweep asks the runtime): a change of any outcome shows
as a change of the golden files, to be read and accepted.
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

import pytest

from pte_lint.claims.forecast import NEWEST, RUNTIME_VERSIONS
from pte_lint.ops.checks.call import Refused
from pte_lint.ops.checks.table import KNOWN, check_of
from tests.kernels.bases import bases
from tests.kernels.changes import changes
from tests.support.direct_calls import DirectCall
from tests.support.golden import check_golden
from tests.support.kernel_calls import KernelCall

GOLDEN = Path(__file__).parent / "golden"

CHANGED = 240
"""Calls with one thing changed, of each operator."""
CHANGED_AGAIN = 20
"""Calls with another thing changed, of each of a few changed ones."""


@cache
def _working() -> dict[str, list[tuple[str, KernelCall]]]:
    found: dict[str, list[tuple[str, KernelCall]]] = defaultdict(list)
    for name, call in bases():
        found[call.operator].append((name, call))
    return found


@dataclass(frozen=True)
class Asked:
    """A call with a name of its own; what is at the `unknown` positions may be anything."""

    label: str
    call: KernelCall
    unknown: Collection[int] = ()


def _calls(operator: str) -> Iterator[Asked]:
    draw = random.Random(operator)
    working = _working()[operator]
    for name, call in working[:10]:
        places = range(len(call.args))
        yield Asked(name, call)
        yield Asked(f"{name}, nothing known", call, places)
        for position in places:
            yield Asked(f"{name}, {position} not known", call, {position})
    chosen = working if len(working) <= 6 else draw.sample(working, 6)
    single = [(f"{n}, {label}", each) for n, call in chosen for label, each in changes(call)]
    for name, call in draw.sample(single, min(CHANGED, len(single))):
        yield Asked(name, call)
    for name, call in draw.choices(single, k=4):
        again = list(changes(call))
        for label, each in draw.choices(again, k=CHANGED_AGAIN):
            yield Asked(f"{name}, {label}", each)


def _outcome(asked: Asked, runtime: str) -> tuple[str, DirectCall]:
    direct = DirectCall(asked.call, runtime, asked.unknown)
    check = check_of(asked.call.operator)
    assert check is not None
    try:
        check(direct)
    except Refused as reason:
        first = ", first" if reason.first else ""
        return f"{reason.end}, {reason.cause}{first}: {reason}", direct
    return "can", direct


def _said(asked: Asked) -> Iterator[str]:
    newest, direct = _outcome(asked, NEWEST)
    looked = "numbers" if direct.has_looked_at_numbers else "no numbers"
    yield f"{newest} after {looked} and {direct.resized}"
    if direct.has_looked_at_version:
        for runtime in RUNTIME_VERSIONS[:-1]:
            older, _ = _outcome(asked, runtime)
            if older != newest:
                yield f"{runtime}: {older}"


@pytest.mark.parametrize("operator", sorted(KNOWN))
def test_what_is_said_of_calls(operator: str) -> None:
    counts: Counter[str] = Counter()
    digest = sha256()
    for asked in _calls(operator):
        for said in _said(asked):
            counts[re.sub(r"\d+", "#", said.partition(" after ")[0])] += 1
            digest.update(f"{asked.label}: {said}\n".encode())
    lines = [f"{counts[said]:4} {said}" for said in sorted(counts)]
    name = operator.replace("::", ".")
    check_golden(GOLDEN / f"{name}.txt", "\n".join([*lines, digest.hexdigest()[:16]]) + "\n")
