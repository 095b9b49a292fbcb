"""The calling convention, against argument lists as the exporter emits them."""

from __future__ import annotations

import pytest
from pte_lint.schema.enums import KernelTypes
from pte_lint.schema.program import (
    BoolList,
    EValue,
    Int,
    IntList,
    OptionalTensorList,
    Tensor,
    TensorList,
)

from pte_lint.ir.calling import (
    D2H_COPY,
    ET_COPY_INDEX,
    ET_VIEW,
    H2D_COPY,
    is_scalar_valued,
    kernel_outputs,
    list_items,
)

T = EValue(KernelTypes.TENSOR, Tensor(sizes=(2,), dim_order=(0,)))
I = EValue(KernelTypes.INT, Int(1))  # noqa: E741


def tensors(*items: int) -> EValue:
    return EValue(KernelTypes.TENSOR_LIST, TensorList(items))


@pytest.mark.parametrize(
    ("operator", "args", "values", "first", "written"),
    [
        ("aten::add.out", (0, 1, 2, 3, 3), (T, T, I, T), 3, (3,)),
        ("aten::max.dim_max", (0, 1, 2, 3, 4, 5), (T, I, I, T, T, tensors(3, 4)), 3, (3, 4)),
        (
            "aten::split_with_sizes_copy.out",
            (0, 1, 2, 3, 4),
            (T, I, I, tensors(0), tensors(0)),
            3,
            (3,),
        ),
        ("aten::copy_", (0, 1, 2, 0), (T, T, I), 3, (0,)),
        ("aten::sym_size.int", (0, 1, 2), (T, I, I), 2, (2,)),
        ("executorch_prim::add.Scalar", (0, 1, 1), (I, I), 2, (2,)),
        (ET_VIEW, (0, 1, 2), (T, I, T), 2, (2,)),
        (ET_COPY_INDEX, (0, 1, 2), (T, T, I), 3, (0,)),
        ("et_copy::_h2d_copy.out", (0, 1, 1), (T, T), 1, (1,)),
        ("aten::add.out", (), (), 0, ()),
        ("aten::add.out", (0,), (T,), 0, (0,)),
        ("aten::add.out", (7, 9, 9), (T,), 1, (1,)),
        # Where the schema is known, the return does not matter; elsewhere it is all there is.
        ("aten::add.out", (0, 1, 2, 3, 0), (T, T, I, T), 3, (3,)),
        ("aten::copy_", (0, 1, 2, 1), (T, T, I), 3, (0,)),
        ("aten::max.dim_max", (0, 1, 2, 3, 4, 0), (T, I, I, T, T), 3, (3, 4)),
        ("custom::add.out", (0, 1, 2, 3, 0), (T, T, I, T), 4, (0,)),
        ("custom::split.out", (0, 1, 2), (T, tensors(0), tensors(0)), 1, (1,)),
        ("custom::split.out", (0, 1, 1), (T, tensors(0)), 1, (1,)),
        ("custom::split.out", (0, 1, 2), (T, tensors(1), tensors(0)), 2, (2,)),
        ("custom::split.out", (0, 1, 3, 1), (T, T, T, tensors(1)), 3, (3,)),
        ("custom::both.out", (0, 1, 2, 3), (T, T, T, tensors(1, 2)), 1, (1, 2)),
        ("custom::none.out", (0, 1), (T, tensors()), 1, (1,)),
    ],
)
def test_outputs_of_a_kernel_call(
    operator: str,
    args: tuple[int, ...],
    values: tuple[EValue, ...],
    first: int,
    written: tuple[int, ...],
) -> None:
    assert kernel_outputs(operator, args, values) == (first, written)


def test_prim_loop_counter_is_read_and_written() -> None:
    """In a map loop `add` uses the same id as first argument and slot; it is no in-place call."""
    first, written = kernel_outputs("executorch_prim::add.Scalar", (0, 1, 0), (I, I))
    assert (first, written) == (2, (2,))


def test_list_items_leave_out_absent_elements() -> None:
    value = EValue(KernelTypes.OPTIONAL_TENSOR_LIST, OptionalTensorList((3, -1, 4)))
    assert list_items(value) == (3, 4)
    assert list_items(EValue(KernelTypes.INT_LIST, IntList((1, 2)))) == (1, 2)
    assert list_items(EValue(KernelTypes.TENSOR_LIST, TensorList(None))) == ()
    assert list_items(T) == ()
    assert list_items(None) == ()


def test_scalar_valued_operators() -> None:
    assert is_scalar_valued("executorch_prim::mul.Scalar")
    assert is_scalar_valued("aten::_local_scalar_dense")
    assert not is_scalar_valued(ET_VIEW)
    assert not is_scalar_valued("aten::mul.out")


@pytest.mark.parametrize("operator", [H2D_COPY, D2H_COPY])
def test_a_boundary_copy_writes_its_target_whatever_the_return_names(operator: str) -> None:
    assert kernel_outputs(operator, (0, 1, 2), (T, T, T)) == (1, (1,))
    assert kernel_outputs(operator, (0, 1, 1), (T, T)) == (1, (1,))


@pytest.mark.parametrize(
    ("mask", "written"),
    [((True, True, True), (11, 12, 13)), ((False, True, False), (12,)), ((), (11, 12, 13))],
)
def test_outputs_that_nobody_asks_for(mask: tuple[bool, ...], written: tuple[int, ...]) -> None:
    values = [*[T] * 3, *[I] * 7, EValue(KernelTypes.BOOL_LIST, BoolList(mask)), T, T, T]
    args = (*range(14), 13)
    assert kernel_outputs("aten::convolution_backward.out", args, values) == (11, written)
