"""Single calls of prim ops on numbers at the edges of their types, and what the table says of them.

    python -m tests.pte_lint.ops.prim_calls --stride 1

makes all of them on the installed runtime; a fixed sample runs with the tests.
"""

from __future__ import annotations

import argparse
import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pte_lint.schema.enums import KernelTypes

from pte_lint.harness.batch import run_batch
from pte_lint.harness.outcome import MethodRun
from pte_lint.ops.numbers import Number, double
from pte_lint.ops.prims import PRIM_OPS, Result, divides_by, refused_for, result
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program

WHOLE = (0, 1, -1, 2, -2, 7, -7, 2**31 - 1, 2**31, -(2**31), 2**32 + 1, 2**53, 2**53 + 1)
WHOLE += (-(2**53) - 1, 2**62, 2**63 - 1, 1 - 2**63, -(2**63))
DOUBLES = (0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.49999999999999994, 3.7, -7.25)
DOUBLES += (2.0**53, 2.0**63, -(2.0**63), 9.223372036854775e18, -9.3e18, 1e300, 5e-324)
DOUBLES += (math.inf, -math.inf, math.nan)
TENSOR = "tensor"
EDGES = (*WHOLE, *DOUBLES, True, False, None, TENSOR)

Argument = Number | str | None

_KINDS = {bool: KernelTypes.BOOL, int: KernelTypes.INT, float: KernelTypes.DOUBLE}
_PACKED = 100
"""Calls that go well in one method."""


@dataclass(frozen=True)
class PrimCall:
    """One call; the slot for the result holds None before it."""

    operator: str
    args: tuple[Argument, ...]

    @property
    def operands(self) -> list[Result]:
        """The arguments as the table takes them."""
        return [_operand(each) for each in self.args]

    @property
    def failure(self) -> str | None:
        """How the table says it fails, if it does."""
        op, operands = PRIM_OPS[self.operator], self.operands
        wrong = any(x.kind not in kinds for x, kinds in zip(operands, op.accepted, strict=True))
        if wrong or refused_for(self.operator, operands) is not None:
            return "SIGABRT" if op.aborts else "InvalidType"
        return None if divides_by(self.operator, operands) is None else "SIGFPE"

    def make(self, b: MethodBuilder) -> int:
        """Adds it to a method; returns the slot."""
        slot = b.null()
        b.kernel(self.operator, *(_value(b, each) for each in self.args), slot)
        return slot

    def checked(self, b: MethodBuilder) -> list[object]:
        """Adds it to a method, with outputs that show its result to the last bit.

        Returns:
            What the table says these outputs are; None for one that it does not know.
        """
        said = result(self.operator, self.operands)
        slot = self.make(b)
        b.output(slot)
        if said.number is None:
            return [None]
        expected: list[object] = [KernelTypes(said.kind).name.lower()]
        same = b.null()
        b.kernel("executorch_prim::eq.Scalar", slot, _value(b, said.number), same)
        b.output(same)
        expected.append(not math.isnan(said.number))
        if said.kind == KernelTypes.DOUBLE and float(said.number) == 0:
            inverse = b.null()
            b.kernel("executorch_prim::truediv.Scalar", b.int_value(1), slot, inverse)
            b.output(inverse)
            expected.append("inf" if math.copysign(1, said.number) > 0 else "-inf")
        return expected


def _operand(argument: Argument) -> Result:
    if argument is None:
        return Result(KernelTypes.NULL)
    if isinstance(argument, str):
        return Result(KernelTypes.TENSOR)
    number = double(argument) if isinstance(argument, float) else argument
    return Result(_KINDS[type(argument)], number)


def _value(b: MethodBuilder, argument: Argument) -> int:
    if argument is None:
        return b.null()
    if isinstance(argument, str):
        return b.constant(bytes(8), (2,))
    if isinstance(argument, bool):
        return b.bool_value(argument)
    return b.int_value(argument) if isinstance(argument, int) else b.double_value(argument)


def all_calls() -> Iterator[PrimCall]:
    """Every op that calculates with numbers, on all pairs of edges; three for a choice."""
    for name, op in PRIM_OPS.items():
        if op.value is None:
            continue
        some = [(True, False, 1, None), EDGES[::5], EDGES[::7]]
        edges = some if len(op.accepted) == len(some) else [EDGES] * len(op.accepted)
        for args in itertools.product(*edges):
            yield PrimCall(name, args)


def disagreements(calls: Iterable[PrimCall]) -> Iterator[str]:
    """Makes the calls on the installed runtime; yields where it does not do what the table says."""
    failing: list[PrimCall] = []
    working: list[PrimCall] = []
    for call in calls:
        (working if call.failure is None else failing).append(call)
    packs = [working[n : n + _PACKED] for n in range(0, len(working), _PACKED)]
    jobs: list[tuple[Sequence[PrimCall], bytes, list[object]]] = []
    for pack in [*packs, *([call] for call in failing)]:
        b = MethodBuilder("forward")
        expected: list[object] = []
        if pack[0].failure is None:
            for call in pack:
                expected += call.checked(b)
        else:
            pack[0].make(b)
        jobs.append((pack, build_program(b).bytes(), expected))
    for (pack, _, expected), ran in zip(jobs, run_batch(job[1] for job in jobs), strict=True):
        yield from _differences(pack, expected, ran.methods[0].runs[0])


def _differences(
    pack: Sequence[PrimCall], expected: Sequence[object], run: MethodRun
) -> Iterator[str]:
    failure = pack[0].failure
    if failure is not None or run.outcome != "ok":
        if (run.stage, run.error or run.signal) != ("execute", failure):
            yield f"{pack[0]}: {run.stage} {run.outcome} {run.error or run.signal}, not {failure}"
        return
    outputs = iter(run.outputs)
    said = iter(expected)
    for call in pack:
        wanted = [next(said) for _ in range(len(call.checked(MethodBuilder("other"))))]
        shown = [next(outputs) for _ in wanted]
        seen = [shown[0].kind, *(each.value for each in shown[1:])]
        if wanted not in (seen, [None]):
            yield f"{call}: {shown[0].value!r} {seen}, not {wanted}"


def main() -> None:
    """Makes every n-th call."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--stride", type=int, default=10)
    calls = list(all_calls())[:: parser.parse_args().stride]
    found = list(disagreements(calls))
    print(*found, f"{len(calls)} calls, {len(found)} differences", sep="\n")


if __name__ == "__main__":
    main()
