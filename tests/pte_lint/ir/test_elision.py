"""What can be a view that the exporter left out, and what only lies where something was."""

from __future__ import annotations

from typing import Any

import pytest

from pte_lint.claims.finding import Severity
from pte_lint.testing.builder import MethodBuilder
from tests.support.device_programs import place, report, verdict

SIZES = (2, 4)
PLACE: dict[str, Any] = {"memory_id": 1, "offset": 1024}
ALL = ("PTE1", "PTE2", "PTE3")


def read_again(*, returned: bool = False, base: dict[str, Any] | None = None, **view: Any) -> Any:
    """Something is written at a place, and another value there is read; what is said of it."""
    b = MethodBuilder()
    x = b.input(SIZES)
    first = b.tensor(SIZES, **{**PLACE, **(base or {})})
    b.call("aten::sigmoid.out", x, out=first)
    b.output(b.call("aten::neg.out", first, out=SIZES))
    sizes = view.pop("sizes", (8,))
    second = b.tensor(sizes, **{**PLACE, **view})
    dtype = view.get("dtype", "float32")
    if returned:
        b.output(second)
    else:
        b.output(b.call("aten::neg.out", second, out=b.tensor(sizes, dtype)))
    said = report(b, select=ALL)
    return [(f.rule, f.severity) for f in said.findings if f.rule in ("PTE129", "PTE130")]


def test_a_view_on_the_host() -> None:
    assert read_again() == []


@pytest.mark.parametrize(
    "view",
    [{"dtype": "int32"}, {"sizes": (7,)}, {"offset": 1040}, {"dynamism": 1}],
    ids=["element type", "bytes", "place", "sizes that change"],
)
def test_what_the_exporter_never_leaves_out(view: dict[str, Any]) -> None:
    assert read_again(**view) == [("PTE129", Severity.ERROR)]


def test_a_base_whose_sizes_change() -> None:
    """Views of it have sizes that change too, and an instruction of their own."""
    assert read_again(base={"dynamism": 1}) == [("PTE129", Severity.ERROR)]


def test_a_view_that_is_returned_has_an_instruction() -> None:
    assert read_again(returned=True) == [("PTE130", Severity.ERROR)]


def test_a_view_of_what_a_later_step_writes() -> None:
    b = MethodBuilder()
    x = b.input(SIZES)
    view = b.tensor((8,), **PLACE)
    b.output(b.call("aten::neg.out", view, out=(8,)))
    base = b.tensor(SIZES, **PLACE)
    b.output(b.call("aten::sigmoid.out", x, out=base))
    said = report(b, select=ALL)
    assert [(f.rule, place(f)) for f in said.findings if f.severity is Severity.ERROR] == [
        ("PTE129", (0, None, view))
    ]


def test_the_result_of_a_missing_kernel_is_a_warning() -> None:
    """Nobody reads what sigmoid makes, and nobody writes what neg reads."""
    b = MethodBuilder()
    x = b.input((8,), **PLACE)
    lit = b.call("aten::sigmoid.out", x, out=(8,))
    lost = b.tensor((8,), **PLACE)
    b.output(b.call("aten::neg.out", lost, out=(8,)))
    said = report(b, select=ALL)
    (found,) = [f for f in said.findings if f.rule == "PTE129"]
    assert (found.severity, place(found)) == (Severity.WARNING, (1, None, lost))
    assert f"nobody reads value {lit}, which aten::sigmoid.out gives" in found.message
    assert found.forecast is None
    assert verdict(said) == "execute ok"


def test_the_target_of_a_copy_is_not_read() -> None:
    """aten::copy.out takes sizes of its first argument and writes another tensor."""
    b = MethodBuilder()
    x, unwritten = b.input((8,)), b.tensor((8,))
    b.output(b.call("aten::copy.out", unwritten, x, b.bool_value(False), out=(8,)))
    assert verdict(report(b, select=ALL)) == "execute ok"
    assert report(b, select=("PTE129",)).findings == ()


def test_a_result_that_only_its_view_shows_is_not_left_over() -> None:
    """Another value is a view too, of a result that is read under its own name as well."""
    b = MethodBuilder()
    x = b.input(SIZES)
    hidden = b.call("aten::sigmoid.out", x, out=b.tensor(SIZES, memory_id=1, offset=1024))
    seen = b.call("aten::sigmoid.out", x, out=b.tensor(SIZES, memory_id=1, offset=2048))
    b.output(b.call("aten::neg.out", seen, out=SIZES))
    for offset in (1024, 2048):
        view = b.tensor((8,), memory_id=1, offset=offset)
        b.output(b.call("aten::neg.out", view, out=(8,)))
    assert hidden < seen
    assert report(b, select=ALL).findings == ()
