"""PTE139, each operator it knows on the real runtime too."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pte_lint.schema.enums import KernelTypes

from pte_lint.claims.profile import default_profile
from pte_lint.ops.operators import broadcasts
from pte_lint.ops.schemas import operator_schema
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import BuiltProgram, build_program
from tests.rules.checks import OK, found, only, verdict
from tests.support.runtime import need_runtime, run_built

RULE = "PTE139"
REFUSED = "execute: error InvalidArgument"


def call(
    operator: str = "aten::relu.out",
    sizes: tuple[int, ...] = (2, 3),
    out: tuple[int, ...] = (2, 3),
    dtype: str = "float32",
    out_dtype: str = "",
) -> BuiltProgram:
    """One call whose tensors all have `sizes`, other arguments as the schema wants them."""
    b = MethodBuilder("forward")
    schema = operator_schema(operator)
    assert schema is not None
    result = b.tensor(out, out_dtype or dtype)
    args = []
    for parameter in schema.parameters:
        accepted = parameter.accepted
        if parameter.is_out:
            args.append(result)
        elif KernelTypes.TENSOR in accepted:
            # A fill value is a tensor without dimensions.
            scalar = args and operator.startswith("aten::fill.")
            args.append(b.input(() if scalar else sizes, dtype))
        elif KernelTypes.INT in accepted:
            args.append(b.int_value(1))
        elif KernelTypes.NULL in accepted:
            args.append(b.null())
        elif KernelTypes.DOUBLE in accepted:
            args.append(b.double_value(1.0))
        elif KernelTypes.BOOL in accepted:
            args.append(b.bool_value(True))
        else:
            args.append(b.string_value("none"))
    b.kernel(operator, *args, result)
    b.output(result)
    return build_program(b)


def test_other_sizes() -> None:
    program = call(out=(3, 2))
    finding = only(program, RULE)
    assert "makes a result of sizes [2, 3]" in finding.message
    assert finding.location.instruction == 0
    assert verdict(program, RULE) == REFUSED


def test_right_sizes() -> None:
    assert found(call(), RULE) == ()
    assert verdict(call(), RULE) == OK


@pytest.mark.parametrize(
    ("first", "second", "out", "fits"),
    [
        ((2, 3), (3,), (2, 3), True),
        ((2, 1), (1, 3), (2, 3), True),
        ((), (4,), (4,), True),
        ((0, 3), (1, 3), (0, 3), True),
        ((2, 3), (2,), (2, 3), False),
        ((2, 3), (3,), (3,), False),
        ((4,), (4,), (1, 4), False),
        ((0,), (3,), (3,), False),
    ],
)
def test_broadcasting(
    tmp_path: Path,
    first: tuple[int, ...],
    second: tuple[int, ...],
    out: tuple[int, ...],
    fits: bool,
) -> None:
    b = MethodBuilder("forward")
    x, y, result = b.input(first), b.input(second), b.tensor(out)
    b.kernel("aten::add.out", x, y, b.int_value(1), result, result)
    b.output(result)
    program = build_program(b)
    assert verdict(program, RULE) == (OK if fits else REFUSED)
    need_runtime()
    run = run_built(tmp_path, program).methods[0].runs[0]
    assert (run.stage, run.error) == ("execute", None if fits else "InvalidArgument")


def test_sizes_that_may_change_are_not_judged() -> None:
    program = call(out=(3, 2)).replaced("execution_plan[0].values[0].val.shape_dynamism", 1)
    assert found(program, RULE) == ()
    program = call(out=(3, 2)).replaced("execution_plan[0].values[1].val.shape_dynamism", 1)
    assert found(program, RULE) == ()


def test_other_operators_are_not_judged() -> None:
    b = MethodBuilder("forward")
    x, out = b.input((2, 3)), b.tensor((6,))
    b.kernel("aten::view_copy.out", x, b.int_list([6]), out, out)
    b.output(out)
    assert found(build_program(b), RULE) == ()


def _known() -> Iterator[str]:
    for operator in sorted(default_profile().kernels):
        if broadcasts(operator) and operator_schema(operator) is not None:
            yield operator


@pytest.mark.runtime
@pytest.mark.parametrize("operator", list(_known()))
def test_on_the_runtime(tmp_path: Path, operator: str) -> None:
    """Some element types suit the operator: with right sizes it runs, with others it is refused."""
    need_runtime()
    for dtype, out_dtype in (
        ("float32", ""),
        ("float32", "bool"),
        ("bool", ""),
        ("int64", ""),
        ("int64", "float32"),
    ):
        right = run_built(tmp_path, call(operator, dtype=dtype, out_dtype=out_dtype))
        if right.methods[0].runs[0].outcome != "ok":
            continue
        program = call(operator, out=(3, 2), dtype=dtype, out_dtype=out_dtype)
        run = run_built(tmp_path, program).methods[0].runs[0]
        assert (run.stage, run.outcome, run.error) == ("execute", "error", "InvalidArgument")
        assert verdict(program, RULE) == REFUSED
        return
    pytest.fail("no element type suits it: the test's arguments need work")
