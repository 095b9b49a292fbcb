"""PTE141: no elements, no dimensions, and numbers far from any."""

from __future__ import annotations

import pytest

from tests.rules.checks import OK, verdict
from tests.support.kernel_calls import KernelCall, T

RULE = "PTE141"
REFUSED = "execute: error InvalidArgument"


@pytest.mark.parametrize(
    ("dim", "seen"),
    [(1, OK), (2, "execute: crash SIGABRT"), (7, "execute: crash SIGABRT"), (0, REFUSED)],
)
def test_empty_tensors_are_joined_along_dimensions_that_they_have(dim: int, seen: str) -> None:
    joined = KernelCall("aten::cat.out", ([T((0,)), T((2, 0))], dim, T((2, 0))))
    assert verdict(joined.program(), RULE) == seen


def test_tensors_of_one_dimension_and_no_element_are_joined_along_any() -> None:
    joined = KernelCall("aten::cat.out", ([T((0,)), T((0,))], 7, T((0,))))
    assert verdict(joined.program(), RULE) == OK


@pytest.mark.parametrize(("sizes", "half", "seen"), [((4,), (2,), OK), ((), (), REFUSED)])
def test_a_scalar_has_no_halves(sizes: tuple[int, ...], half: tuple[int, ...], seen: str) -> None:
    for dim in (-1, 0):
        assert (
            verdict(KernelCall("aten::glu.out", (T(sizes), dim, T(half))).program(), RULE) == seen
        )


@pytest.mark.parametrize(
    ("mode", "seen"), [(2, OK), (3, REFUSED), (2**32 + 2, OK), (2**32 + 3, REFUSED)]
)
def test_modes_have_32_bits(mode: int, seen: str) -> None:
    for modes in ((mode, 0), (0, mode)):
        args = (T((2, 3, 4, 5)), T((2, 6, 2, 2)), *modes, False, T((2, 3, 6, 2)))
        assert verdict(KernelCall("aten::grid_sampler_2d.out", args).program(), RULE) == seen


@pytest.mark.parametrize(
    ("dim", "seen"),
    [(1, OK), (2, REFUSED), (15, REFUSED), (16, "execute: undefined"), (-17, "execute: undefined")],
)
def test_where_a_last_size_is_put_before_anybody_looks(dim: int, seen: str) -> None:
    args = (T((2, 3), "complex64"), [0, dim], 2, 4, T((2, 4)))
    assert verdict(KernelCall("aten::_fft_c2r.out", args).program(), RULE) == seen


@pytest.mark.parametrize(
    ("sizes", "seen"),
    [((1, 2, 3, 4), OK), ((1, 2, 0, 4), "execute: undefined"), ((1, 0, 0, 4), OK)],
)
@pytest.mark.parametrize("way", [(), (True,)])
def test_pixels_are_made_of_pixels(
    sizes: tuple[int, ...], seen: str, way: tuple[bool, ...]
) -> None:
    name = "bilinear" if way else "nearest"
    args = (T(sizes), [6, 4], *way, None, T((*sizes[:2], 6, 4)))
    assert verdict(KernelCall(f"aten::upsample_{name}2d.vec_out", args).program(), RULE) == seen


@pytest.mark.parametrize(("rows", "seen"), [(0, OK), (2, REFUSED)])
def test_no_element_is_put_whatever_its_type(rows: int, seen: str) -> None:
    sizes = (rows, 3)
    given = (T(sizes, "complex64"), [T((rows,), "int64"), None], T(sizes, "complex64"), False)
    call = KernelCall("aten::index_put.out", (*given, T(sizes, "complex64")))
    assert verdict(call.program(), RULE) == seen


@pytest.mark.parametrize(("sizes", "seen"), [((2, 4), OK), ((3, 5), REFUSED)])
def test_two_outputs_are_compared_before_they_are_resized(
    sizes: tuple[int, ...], seen: str
) -> None:
    for bounded in (0, 1):
        outs = [T((2, 4)), T((2, 4), "int64")]
        outs[bounded] = T(sizes, outs[bounded].dtype, bounded=True)
        call = KernelCall("aten::max.dim_max", (T((2, 3, 4)), 1, False, *outs))
        assert verdict(call.program(), RULE) == seen
    both = (T((3, 5), bounded=True), T((3, 5), "int64", bounded=True))
    call = KernelCall("aten::max.dim_max", (T((2, 3, 4)), 1, False, *both))
    assert verdict(call.program(), RULE) == OK
