"""Finds where two runs of a method went apart: how silent wrong results are made visible."""

from __future__ import annotations

from collections.abc import Iterator

from pte_lint.harness.outcome import MethodRun
from pte_lint.schema.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Difference:
    """The first thing that differs between two runs.

    Attributes:
        what: ``copy``, ``delegate argument``, ``output``, ``second run output`` or ``end``.
        position: Index of the copy, call or output.
        argument: Argument of the delegate call, for ``delegate argument``.
        instruction: Instruction of the copy or call in its chain, ``None`` for others.
        first: What the first run had: a digest or a value; for ``end`` its stage and outcome.
        second: What the second run had.
    """

    what: str
    position: int
    argument: int | None
    instruction: int | None
    first: str
    second: str


def first_difference(first: MethodRun, second: MethodRun) -> Difference | None:
    """Compares what two runs copied, handed to stand-ins and returned, in that order.

    Meaningful for runs with the same inputs: ``rising`` against ``poisoned_device`` or
    ``poisoned_host``, or the same variant of two versions of a program. NaN results compare by
    their bytes. Only the first 400 copies and calls are known.

    Returns:
        The first difference, ``None`` if there is none.
    """
    # One run of instructions mixes copies and calls; the earliest instruction is the one to blame.
    found = [d for d in (_first(_copies(first), _copies(second)),) if d is not None]
    found += [d for d in (_first(_arguments(first), _arguments(second)),) if d is not None]
    if found:
        return min(found, key=lambda d: d.instruction if d.instruction is not None else -1)
    if (first.stage, first.outcome) != (second.stage, second.outcome):
        ends = [f"{run.stage} {run.outcome}" for run in (first, second)]
        return Difference("end", 0, None, None, ends[0], ends[1])
    return _first(_outputs(first), _outputs(second))


_Entry = tuple[str, int, int | None, int | None, str]


def _first(first: Iterator[_Entry], second: Iterator[_Entry]) -> Difference | None:
    for mine, other in zip(first, second, strict=False):
        if mine != other:
            return Difference(*mine, other[4])
    return None


def _copies(run: MethodRun) -> Iterator[_Entry]:
    for index, copy in enumerate(run.copies):
        yield "copy", index, None, copy.instruction, copy.digest


def _arguments(run: MethodRun) -> Iterator[_Entry]:
    for index, call in enumerate(run.delegate_calls):
        for argument in call.args:
            if not argument.output:
                digest = argument.digest or ""
                yield "delegate argument", index, argument.index, call.instruction, digest


def _outputs(run: MethodRun) -> Iterator[_Entry]:
    for what, outputs in (
        ("output", run.outputs),
        ("second run output", run.outputs_second_run),
    ):
        for index, output in enumerate(outputs):
            shown = output.digest if output.digest is not None else repr(output.value)
            yield what, index, None, None, f"{output.kind} {list(output.sizes)} {shown}"
