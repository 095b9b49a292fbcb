"""PTE508."""

from __future__ import annotations

import pytest

from pte_lint.claims.finding import Severity
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import BuiltProgram, build_program
from tests.rules.checks import OK, found, only, verdict
from tests.support.language_models import CONTEXT, WIDTH, decoder
from tests.support.language_models import program as language_program

RULE = "PTE508"


def counter(*, initial: list[float] | None = None, first: bool = True) -> BuiltProgram:
    """A buffer that every run adds its input to; `first` reads it before it is written."""
    b = MethodBuilder()
    x = b.input((4,))
    state = b.state((4,), initial=initial)
    other = b.state((4,), initial=[1, 2, 3, 4])
    if not first:
        b.kernel("aten::copy_", state, x, b.bool_value(False), state)
    total = b.add(state, x)
    b.kernel("aten::copy_", state, total, b.bool_value(False), state)
    b.kernel("aten::copy_", other, b.add(other, x), b.bool_value(False), other)
    b.output(total)
    return build_program(b)


def test_a_buffer_that_starts_with_whatever_is_there() -> None:
    finding = only(counter(), RULE)
    assert finding.severity is Severity.INFO
    assert finding.message.startswith("The first content of 1 buffer (value 1) is not in the file")
    assert finding.evidence == {"values": [1]}
    assert verdict(counter(), RULE) == OK


@pytest.mark.parametrize(
    "program",
    [counter(initial=[0, 0, 0, 0]), counter(first=False)],
    ids=["content in the file", "written first"],
)
def test_nothing_depends_on_it(program: BuiltProgram) -> None:
    assert found(program, RULE) == ()


def _decoder(*, counts: bool) -> MethodBuilder:
    """A cache without content that positions index; `counts` beside a counter without any."""
    b = decoder()
    cache = b.state((1, CONTEXT, WIDTH))
    row = b.constant(bytes(4 * WIDTH), (1, 1, WIDTH))
    indices = b.optional_list([None, b.inputs[1]])
    b.kernel("aten::index_put_", cache, indices, row, b.bool_value(False), cache)
    if counts:
        counter = b.state((1,))
        total = b.add(counter, counter)
        b.kernel("aten::copy_", counter, total, b.bool_value(False), counter)
    return b


def test_caches_of_language_models_start_empty() -> None:
    """The same method in a program that is none has them told."""
    assert found(language_program(_decoder(counts=False)), RULE) == ()
    assert len(only(language_program(_decoder(counts=True)), RULE).evidence["values"]) == 1
    assert len(only(build_program(_decoder(counts=False)), RULE).evidence["values"]) == 1
