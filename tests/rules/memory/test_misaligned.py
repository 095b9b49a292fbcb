"""PTE205."""

from __future__ import annotations

import pytest

from pte_lint.claims.finding import Severity
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import BuiltProgram, build_program
from tests.rules.checks import OK, found, only, verdict

RULE = "PTE205"


def at(offset: int, dtype: str) -> BuiltProgram:
    b = MethodBuilder("forward")
    b.output(b.input((4,), dtype, memory_id=1, offset=offset))
    return build_program(b)


@pytest.mark.parametrize(("offset", "dtype"), [(2, "float32"), (4, "float64"), (1, "float16")])
def test_an_offset_that_is_no_multiple(offset: int, dtype: str) -> None:
    assert only(at(offset, dtype), RULE).severity is Severity.WARNING
    assert verdict(at(offset, dtype), RULE) == OK


@pytest.mark.parametrize(("offset", "dtype"), [(4, "float32"), (1, "uint8"), (16, "float64")])
def test_a_multiple(offset: int, dtype: str) -> None:
    assert found(at(offset, dtype), RULE) == ()
