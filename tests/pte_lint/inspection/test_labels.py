"""What is kept of names, shapes and lists that are longer than anyone reads."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pte_lint.inspection.labels import LIMIT, label
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.support.look import listings, look


@given(st.text(max_size=LIMIT))
def test_a_short_name_is_kept(text: str) -> None:
    assert label(text) == text


def test_an_absent_name_is_empty() -> None:
    assert label(None) == ""


def test_what_is_no_utf8_becomes_valid() -> None:
    label("bad \udcff").encode("utf-8")
    label("\udcff" * 2 * LIMIT).encode("utf-8")


def test_long_names_are_equal_only_if_they_are() -> None:
    one, two = "x" * 9_999 + "1", "x" * 9_999 + "2"
    assert label(one) == label("x" * 9_999 + "1")
    assert label(one) != label(two)
    assert label(one).startswith("x" * LIMIT + "...[10000 characters, sha256 ")
    assert len(label("x" * 1_000_000)) < LIMIT + 80


def test_more_dimensions_than_the_runtime_takes() -> None:
    b = MethodBuilder()
    b.input((2,))
    many = build_program(b).replaced("execution_plan[0].values[0].val.sizes", (1,) * 1000)
    (facts,) = look(many.bytes()).methods
    kind = facts.inputs[0].type
    assert kind is not None
    assert (kind.rank, len(kind.sizes)) == (1000, 16)
    assert str(kind).startswith("f32[1,1,1,")
    assert "1,... 1000 sizes]" in str(kind)


def test_instructions_do_not_repeat_what_they_mention() -> None:
    b = MethodBuilder()
    x = b.input((2,))
    numbers, text = b.ints(range(5_000)), b.string_value("\u00e9" * 50_000)
    for _ in range(10):
        b.kernel("aten::add.out", x, numbers, text, x)
    (lines,) = listings(build_program(b).bytes())
    assert sum(map(len, lines)) < 10 * 1_000
    (code,) = look(build_program(b).bytes(), code=True).code
    assert sum(map(len, code)) < 10 * 2_000


def test_lists_that_differ_late_differ() -> None:
    def code(last: int) -> tuple[str, ...]:
        b = MethodBuilder()
        x = b.input((2,))
        b.kernel("aten::add.out", x, b.ints([*range(5_000), last]), x)
        (found,) = look(build_program(b).bytes(), code=True).code
        return found

    assert code(1) == code(1)
    assert code(1) != code(2)
