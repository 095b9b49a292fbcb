"""Traces of silently wrong data: results that are decided by what memory held before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pte_lint.harness.outcome import MethodRun, TensorFacts
from pte_lint.ir.method import Method
from pte_lint.ir.question import question

BASELINE = "rising"
POISONED = {
    "poisoned_device": "device memory",
    "poisoned_host": "host arenas",
}
"""Variants that differ from `rising` only in what the named memory held before."""


def decided_by_memory(runs: Mapping[str, MethodRun], method: Method) -> str | None:
    """What shows that results depend on memory that nothing wrote; None where nothing does.

    Outputs, copies or delegate inputs that change with what memory held before, or from a first run
    to a second with the same inputs. A method with state of its own changes from run to run by
    right, so the second run counts only without mutable state.

    Args:
        runs: the runs of one method, by variant.
        method: the method.
    """
    runs = {name: run for name, run in runs.items() if not run.damaged}
    baseline = runs.get(BASELINE)
    if baseline is None or baseline.outcome not in ("ok", "undefined"):
        return None
    for variant, memory in POISONED.items():
        other = runs.get(variant)
        if other is None:
            continue
        if other.outcome == "crash":
            return f"with a pattern in {memory} before the run, it crashes ({other.signal})"
        if other.outcome not in ("ok", "undefined"):
            continue
        if variant == "poisoned_host" and _has_state(method):
            continue  # the loader zeroes host arenas, and mutable state may rely on that
        if _data(other) != _data(baseline):
            return f"the results change with what {memory} held before the run"
    if (
        baseline.outputs_second_run
        and not _has_state(method)
        and _digests(baseline.outputs_second_run) != _digests(baseline.outputs)
    ):
        return "a second run with the same inputs gives other results"
    return None


@question
def _has_state(method: Method) -> bool:
    """True when some tensor that outlives a run is read before the run writes it."""
    for v in method.tensors:
        if method.has_initial_state(v):
            return True
        readers, writers = method.readers(v), method.writers(v)
        if (
            readers
            and writers
            and not method.is_input[v]
            and method.is_planned(v)
            and readers[0] <= writers[0]
            and any(method.steps[w].args[:1] == (v,) for w in writers)
        ):
            return True
    return False


def _digests(outputs: Sequence[TensorFacts]) -> list[object]:
    return [(o.kind, o.digest, o.value, o.sizes) for o in outputs]


def _data(run: MethodRun) -> object:
    return (
        _digests(run.outputs),
        [(c.instruction, c.digest) for c in run.copies],
        [[(a.index, a.digest) for a in call.args] for call in run.delegate_calls],
    )


def follows_memory(runs: Mapping[str, MethodRun]) -> bool:
    """Whether what a method copies, hands on and returns follows what memory held before."""
    pairs = [(BASELINE, variant) for variant in POISONED]
    pairs += [("falling", f"falling_{variant}") for variant in POISONED]
    return any(
        (before := _data_of(runs.get(first))) is not None
        and (after := _data_of(runs.get(second))) is not None
        and before != after
        for first, second in pairs
    )


COLOURED = (BASELINE, *POISONED, "falling", *(f"falling_{variant}" for variant in POISONED))
"""The variants that `follows_memory` looks at: both ways of every condition that is an input."""


def _data_of(run: MethodRun | None) -> object:
    if run is None or run.damaged or run.outcome not in ("ok", "undefined"):
        return None
    return _data(run)


def results_of(run: MethodRun | None) -> object:
    """What a run returned, to be compared with another's; None where it did not get there."""
    if run is None or run.damaged or run.outcome not in ("ok", "undefined") or not run.outputs:
        return None
    return _digests(run.outputs), _digests(run.outputs_second_run)
