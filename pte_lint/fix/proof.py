"""Runs a program and its repaired version on the real runtime, and compares.

Each method is called with inputs of several values, twice in a row, and with memory that holds
other patterns before. Where the old program ran, outputs must be equal bit by bit; where it failed
or computed garbage, the new one must run.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

from pte_lint.harness.driver import run_probe
from pte_lint.harness.options import ProbeOptions
from pte_lint.harness.outcome import MethodReport, MethodRun, ProbeRun, Step, TensorFacts
from pte_lint.schema.frozen import dataclass

VARIANTS = ("default", "rising", "falling", "poisoned_host", "poisoned_device")


@dataclass(frozen=True, slots=True)
class Shown:
    """What the runs of one method showed.

    Attributes:
        method: Its name.
        status: ``equal``, ``runs now``, ``defined now`` (it ran, and computed garbage),
            ``fails still``, ``differs`` or ``fails now``.
        detail: What was compared, or where it went apart.
    """

    method: str
    status: str
    detail: str

    @property
    def is_wrong(self) -> bool:
        """Whether the repair changed what the program does."""
        return self.status in ("differs", "fails now")


def prove(
    old: Path,
    new: Path,
    data: Sequence[Path] = (),
    undefined: Collection[str] = (),
    *,
    new_data: Sequence[Path] | None = None,
    options: ProbeOptions | None = None,
) -> list[Shown]:
    """Runs both programs.

    Args:
        old: The program.
        new: Its repaired version.
        data: .ptd files that both are loaded with.
        undefined: Methods of the old program whose results mean nothing; see `Repair.undefined`.
        new_data: Those of the new program, if they are others.
        options: Where and how long programs run; what is run is settled here.

    Raises:
        HarnessUnavailable: The runtime or the compiler is missing.
    """
    options = replace(options or ProbeOptions(), variants=VARIANTS, verification="full")
    first = run_probe(old, data=data, options=options)
    second = run_probe(new, data=data if new_data is None else new_data, options=options)
    return compared(first, second, undefined)


def compared(first: ProbeRun, second: ProbeRun, undefined: Collection[str] = ()) -> list[Shown]:
    """What runs of a program and of its repaired version show, by method; see `prove`."""
    return [_compared(first, method, undefined) for method in second.methods]


def _compared(first: ProbeRun, after: MethodReport, undefined: Collection[str]) -> Shown:
    name = after.name or ""
    before = next((m for m in first.methods if m.index == after.index), None)
    was = _failure(before.runs) if before is not None else _ending(first.program)
    now = _failure(after.runs)
    if was is not None and now is not None:
        return Shown(name, "fails still", now)
    if was is not None:
        return Shown(name, "runs now", f"it failed before: {was}")
    if now is not None or before is None:
        return Shown(name, "fails now", now or "it was not run")
    pairs = list(zip(before.runs, after.runs, strict=True))
    for mine, other in pairs:
        for what, old, new in (
            ("output", mine.outputs, other.outputs),
            ("output of a second run", mine.outputs_second_run, other.outputs_second_run),
        ):
            at = _first_unlike(old, new)
            if at is not None:
                status = "defined now" if name in undefined else "differs"
                return Shown(name, status, f"{what} {at}, inputs {mine.variant!r}")
    kinds = sorted({backend for run in after.runs for backend in run.standins})
    by = f", with a stand-in for {', '.join(kinds)}" if kinds else ""
    return Shown(name, "equal", f"outputs of {len(pairs)} calls{by}")


def _first_unlike(old: Sequence[TensorFacts], new: Sequence[TensorFacts]) -> int | None:
    """The first output that differs in kind, type, sizes or bytes; where it lies may change."""
    if len(old) != len(new):
        return min(len(old), len(new))
    for at, (one, other) in enumerate(zip(old, new, strict=True)):
        if (one.kind, one.dtype, one.sizes, one.digest, one.value) != (
            other.kind,
            other.dtype,
            other.sizes,
            other.digest,
            other.value,
        ):
            return at
    return None


def _failure(runs: Sequence[MethodRun]) -> str | None:
    return next((said for run in runs if (said := _ending(run)) is not None), None)


def _ending(run: Step) -> str | None:
    if run.outcome == "ok":
        return None
    return f"{run.stage}: {run.error or run.signal or run.outcome}"
