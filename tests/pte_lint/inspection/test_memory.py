"""Memory while a method runs: peaks with their tensors, and what allocators are asked for."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from pte_lint.inspection import inspect_artifact
from pte_lint.questions.arena_use import live_bytes, tenancies
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.support.examples import delegated
from tests.support.look import opened

CLEAN = Path(__file__).parents[2] / "data" / "clean"


def test_tensors_at_the_peak_with_their_operators() -> None:
    b = MethodBuilder()
    x = b.input((4,))
    y = b.call("aten::mul.out", x, x, out=(4,))
    b.output(b.add(x, y))
    (method,) = inspect_artifact(build_program(b).bytes()).methods
    (arena,) = method.memory.arenas
    assert (arena.nbytes, arena.instruction, arena.operator) == (48, 1, "aten::add.out")
    assert [(t.label, t.nbytes, t.written_by) for t in arena.tensors] == [
        ("input 0", 16, None),
        ("value 1", 16, "aten::mul.out"),
        ("output 0", 16, "aten::add.out"),
    ]


def test_scratch_that_a_delegate_says_it_asks_for() -> None:
    blocks = (b"vela_bin_stream", b""), (b"scratch_size", b"\0\2\0\0"), (b"vela_end_stream", b"")
    blob = b"".join(
        struct.pack("<16sIB11x", name, len(data), 0) + data.ljust(-(-len(data) // 16) * 16, b"\0")
        for name, data in blocks
    )
    (method,) = inspect_artifact(build_program(delegated("EthosUBackend", blob)).bytes()).methods
    (use,) = method.memory.temporary
    assert (use.instruction, use.operator, use.nbytes) == (0, "EthosUBackend", 512)
    assert method.memory.unknown == ("backend EthosUBackend",)


@pytest.mark.parametrize("path", sorted(CLEAN.glob("*.pte")), ids=lambda path: path.name)
def test_tensors_at_a_peak_add_up_to_it(path: Path) -> None:
    for method in inspect_artifact(path).methods:
        for arena in method.memory.arenas:
            told = sum(tensor.nbytes for tensor in arena.tensors)
            assert told == arena.nbytes if not arena.more else told < arena.nbytes


def test_the_peak_is_the_most_of_all_moments() -> None:
    with opened(CLEAN / "transformer_block.pte") as context:
        (method,) = context.methods
        moments = [live for _, live in live_bytes(tenancies(method)[1])]
    (facts,) = inspect_artifact(CLEAN / "transformer_block.pte").methods
    assert facts.memory.arenas[0].nbytes == max(moments) > 0
