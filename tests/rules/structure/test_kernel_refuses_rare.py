"""PTE141 for operators that exports seldom leave to kernels: how calls end, on the runtime too."""

from __future__ import annotations

from typing import Final

import pytest

from pte_lint.harness.batch import BatchItem, run_batch
from tests.rules.checks import OK, verdict
from tests.support.kernel_calls import Argument, KernelCall, T
from tests.support.runtime import need_runtime

RULE = "PTE141"
REFUSED = "execute: error InvalidArgument"
ABORTS = "execute: crash SIGABRT"
DIVIDES = "execute: crash SIGFPE"
THROWS = "execute: error Internal"
UNDEFINED = "execute: undefined"
Q: Final = "quantized_decomposed::"

IMAGE = T((2, 3, 4, 5))
ONE, ROW = T((1, 3, 4, 5)), T((3,), "float64")
SHARES = T((3,), "int64")
LEVELS = T((2, 3), "int8")


def call(operator: str, *args: Argument) -> KernelCall:
    return KernelCall(operator if "::" in operator else f"aten::{operator}", args)


def channels(axis: int, code: int = 1, zeros: Argument = SHARES, low: int = -8) -> KernelCall:
    real = T((2, 3))
    name = f"{Q}dequantize_per_channel.out"
    return call(name, LEVELS, ROW, zeros, axis, low, 100, code, None, real)


def looked_up(width: int, rows: int, groups: int) -> KernelCall:
    table, scales = T((rows, 4), "uint8"), T((rows, groups))
    indices, name = T((2,), "int64", zeros=True), "byte" if width == 8 else f"{width}bit"
    out = T((2, 4 * 8 // width))
    return call(f"{Q}embedding_{name}.out", table, scales, None, 0, 255, indices, out)


EMPTY = T((3, 0), "float16", bounded=True)
SOFTMAX = call("_log_softmax.out", EMPTY, 1, False, EMPTY)

ENDS: Final[dict[str, tuple[KernelCall, str]]] = {
    "a softmax of no elements, of rows that may change": (SOFTMAX, DIVIDES),
    "narrow by a dimension": (call("narrow_copy.out", IMAGE, 0, 1, 1, ONE), OK),
    "narrow by one from the end": (call("narrow_copy.out", IMAGE, -4, 1, 1, ONE), ABORTS),
    "narrow by one that is not there": (call("narrow_copy.out", IMAGE, 4, 1, 1, ONE), REFUSED),
    "narrow from the end on": (call("narrow_copy.out", IMAGE, 0, -1, 1, ONE), REFUSED),
    "narrow too far": (call("narrow_copy.out", IMAGE, 0, 2, 1, ONE), REFUSED),
    "unfold from the end": (
        call("unfold_copy.out", IMAGE, -3, 2, 1, T((2, 2, 4, 5, 2))),
        OK,
    ),
    "unfold too far from the end": (
        call("unfold_copy.out", IMAGE, -5, 2, 1, T((2, 2, 4, 5, 2))),
        ABORTS,
    ),
    "unfold twice too far from the end": (
        call("unfold_copy.out", IMAGE, -9, 2, 1, T((2, 2, 4, 5, 2))),
        REFUSED,
    ),
    "unfold a number": (call("unfold_copy.out", T(()), 0, 1, 1, T((1,))), ABORTS),
    "a diagonal named twice": (call("diagonal_copy.out", IMAGE, 0, 1, -3, T((2, 5, 3))), REFUSED),
    "replicated pixels": (call("replication_pad1d.out", T((2, 3)), [1, 0], T((2, 4))), OK),
    "replicated nothing": (call("replication_pad1d.out", T((2, 0)), [1, 0], T((2, 1))), ABORTS),
    "reflected too far": (call("reflection_pad1d.out", T((2, 3)), [3, 0], T((2, 6))), REFUSED),
    "a dimension transformed twice": (
        call("_fft_r2c.out", T((2, 4)), [1, 1], 0, True, T((2, 3), "complex64")),
        THROWS,
    ),
    "whole numbers transformed": (
        call("_fft_r2c.out", T((2, 4), "int32"), [1], 0, True, T((2, 3), "complex64")),
        ABORTS,
    ),
    "gradients that are added": (
        call(
            "max_pool2d_with_indices_backward.grad_input",
            *(T((1, 2, 2, 3)), T((1, 2, 4, 6)), [2, 2], [], [0, 0], [1, 1], False),
            *(T((1, 2, 2, 3), "int64", zeros=True), T((1, 2, 4, 6))),
        ),
        UNDEFINED,
    ),
    "channels": (channels(1), OK),
    "channels from the end": (channels(-1), OK),
    "channels that are not there": (channels(2), ABORTS),
    "channels of another type": (channels(1, code=0), ABORTS),
    "no zero points, and no zero": (channels(1, zeros=None, low=1), ABORTS),
    "short zero points": (channels(1, zeros=T((3,), "int32")), UNDEFINED),
    "rows": (looked_up(4, 3, 2), OK),
    "rows that groups do not divide": (looked_up(4, 3, 3), ABORTS),
    "rows without groups": (looked_up(4, 3, 0), DIVIDES),
    "no rows of bytes": (looked_up(8, 0, 2), ABORTS),
    "no rows of half bytes": (looked_up(4, 0, 2), UNDEFINED),
    "no room for rows of a type that came later": (
        call(
            f"{Q}embedding_2bit.out",
            *(T((6, 4), "uint8", bounded=True), T((6, 2), "bfloat16", bounded=True), None, 0, 255),
            *(T((2, 3), "int64", zeros=True), T((2, 3, 0), "bfloat16", bounded=True)),
        ),
        ABORTS,
    ),
    "a product without groups": (
        call(
            f"{Q}mixed_linear.out", T((3, 4)), T((5, 4), "int8"), T((5, 0)), None, None, T((3, 5))
        ),
        DIVIDES,
    ),
}


@pytest.mark.parametrize("name", ENDS)
def test_how_a_call_ends(name: str) -> None:
    made, outcome = ENDS[name]
    assert verdict(made.program(returned=True), RULE) == outcome


@pytest.mark.parametrize(("version", "outcome"), [("1.3", ABORTS), ("1.4", OK)])
def test_tables_of_bfloat16_came_with_1_4(version: str, outcome: str) -> None:
    short = T((3, 2), "bfloat16")
    indices, out = T((2,), "int64", zeros=True), T((2, 4), "bfloat16")
    made = call(f"{Q}embedding_byte.out", T((3, 4), "int8"), short, None, 0, 1, indices, out)
    said = verdict(made.program(returned=True), RULE, target=f"executorch=={version}")
    assert said == outcome


@pytest.mark.parametrize(("version", "outcome"), [("1.3", REFUSED), ("1.4", DIVIDES)])
def test_what_all_versions_stop_at_each_in_its_way(version: str, outcome: str) -> None:
    said = verdict(SOFTMAX.program(returned=True), RULE, target=f"executorch=={version}")
    assert said == outcome


@pytest.mark.runtime
def test_on_the_runtime() -> None:
    """Each call ends as foretold; what is undefined may end as it likes."""
    need_runtime()
    known = {name: end for name, end in ENDS.items() if end[1] != UNDEFINED}
    items = [BatchItem(made.program(returned=True).bytes()) for made, _ in known.values()]
    seen = {}
    for name, run in zip(known, run_batch(items, variants=("default",)), strict=True):
        one = run.methods[0].runs[0]
        error = one.error or one.signal
        seen[name] = f"{one.stage}: {one.outcome}" + (f" {error}" if error else "")
    assert seen == {name: outcome for name, (_, outcome) in known.items()}
