"""Arguments that are no tensors in the file, and that a move may make some."""

from __future__ import annotations

import pytest

from pte_lint.claims.target import Target
from pte_lint.data.reading import open_context
from pte_lint.files.artifact import Artifact
from pte_lint.interpret.file_call import FileCall
from pte_lint.ops.layouts.call import Unknown
from pte_lint.ops.schemas import operator_schema
from pte_lint.questions.placed_call import FilePlacedCall
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program

MUL = "aten::mul.out"


def calls(*, moved: bool) -> tuple[FileCall, FilePlacedCall]:
    """A product whose second factor is a flag in the file, and a tensor after a move."""
    b = MethodBuilder("forward")
    x, y, flag = b.input((2, 3)), b.input((2, 3)), b.bool_value(False)
    b.move(y, flag if moved else b.bool_value(False))
    out = b.tensor((2, 3))
    b.kernel(MUL, x, flag, out, out)
    content = build_program(b).bytes()
    (method,) = open_context(Artifact("input", content), Target(), (), {}).methods
    schema, step = operator_schema(MUL), method.steps[1]
    assert schema is not None
    return FileCall(method, step, schema), FilePlacedCall(method, step, schema, lambda v: False)


def test_what_a_move_may_put_there_is_an_operand_that_is_not_known() -> None:
    call, placed = calls(moved=True)
    known, unknown = call.inputs()
    assert known is not None
    assert known.sizes == (2, 3)
    assert unknown is None
    assert placed.has_tensor(0)
    with pytest.raises(Unknown):
        placed.has_tensor(1)
    with pytest.raises(Unknown):
        placed.inputs()


def test_what_no_move_changes_is_none() -> None:
    call, placed = calls(moved=False)
    assert len(call.inputs()) == 1
    assert not placed.has_tensor(1)
    assert len(placed.inputs()) == 1
