"""What loading and running takes of the allocators is what the runtime asks for."""

from __future__ import annotations

from pathlib import Path

import pytest

from pte_lint.harness.build import Probe
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.harness.memory_use import compared

CLEAN = Path(__file__).parents[1] / "data" / "clean"

pytestmark = pytest.mark.runtime


def test_real_files(probe: Probe) -> None:
    found = list(compared(sorted(CLEAN.glob("*.pte"))))
    assert [each for each in found if not each.is_equal] == []
    told = [each for each in found if not each.said.unknown]
    assert len({each.file for each in told}) > 40


def _topk(sizes: tuple[int, ...], dim: int) -> MethodBuilder:
    b = MethodBuilder()
    x = b.input(sizes)
    k, largest = b.int_value(1), b.bool_value(True)
    out = list(sizes)
    out[dim] = 1
    values, indices = b.tensor(out), b.tensor(out, "int64")
    both = b.tensor_list([values, indices])
    b.kernel("aten::topk.values", x, k, b.int_value(dim), largest, largest, values, indices, both)
    b.output(values, indices)
    return b


@pytest.mark.parametrize(("sizes", "dim", "nbytes"), [((3, 7), 1, 112), ((3, 7), -2, 48)])
def test_kernels_that_ask_for_temporary_memory(
    probe: Probe, tmp_path: Path, sizes: tuple[int, ...], dim: int, nbytes: int
) -> None:
    (tmp_path / "model.pte").write_bytes(build_program(_topk(sizes, dim)).bytes())
    (each,) = compared([tmp_path / "model.pte"])
    assert each.is_equal
    assert (each.temporary, each.said.most_temporary) == (nbytes, nbytes)
    (call,) = each.said.temporary
    assert (call.step, call.operator) == (0, "aten::topk.values")


def test_keys_of_a_program_and_of_data_files(probe: Probe, tmp_path: Path) -> None:
    """Then the runtime makes a map of both."""
    (tmp_path / "model.pte").write_bytes((CLEAN / "shared_named_data.pte").read_bytes())
    (without, *_) = compared([tmp_path / "model.pte"])
    data = (CLEAN / "external_constants.ptd").read_bytes()
    (tmp_path / "model.ptd").write_bytes(data)
    (given, *_) = compared([tmp_path / "model.pte"])
    assert given.is_equal
    assert given.allocator == without.allocator + 24
