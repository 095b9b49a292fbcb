"""PTE508."""

from __future__ import annotations

import pytest

from pte_lint.claims.finding import Severity
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import BuiltProgram, build_program
from tests.rules.checks import OK, found, only, verdict

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
