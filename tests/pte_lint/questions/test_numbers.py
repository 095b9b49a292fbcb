"""Planned and copied bytes, per method and in total."""

from __future__ import annotations

from pte_lint.testing.builder import Label, MethodBuilder
from tests.support.device_programs import SIZES, add_method, island, report


def test_planned_bytes_now_and_with_the_fix() -> None:
    numbers = report(add_method(skip_h2d=True, skip_d2h=True)).numbers
    assert numbers["planned_bytes"] == {"cuda:0": 768}
    assert numbers["planned_bytes_with_fix"] == {"cuda:0": 256}
    assert numbers["bytes_duplicated"] == 512
    assert numbers["methods"][0]["bytes_duplicated"] == 512


def test_a_program_without_such_inputs_names_no_fix() -> None:
    numbers = report(add_method()).numbers
    assert "planned_bytes_with_fix" not in numbers
    assert "bytes_duplicated" not in numbers


def test_copied_bytes_by_direction() -> None:
    numbers = report(add_method()).numbers
    assert numbers["copied_bytes"] == {"h2d": 512, "d2h": 256}
    assert (numbers["redundant_copies"], numbers["redundant_bytes"]) == (0, 0)


def test_redundant_copies() -> None:
    numbers = report(island()).numbers
    assert numbers["copied_bytes"] == {"h2d": 1024, "d2h": 512}
    assert (numbers["redundant_copies"], numbers["redundant_bytes"]) == (1, 256)


def test_methods_are_told_apart_and_summed() -> None:
    numbers = report(add_method("a"), island_named("b")).numbers
    assert [m["method"] for m in numbers["methods"]] == ["a", "b"]
    assert [m["copied_bytes"]["h2d"] for m in numbers["methods"]] == [512, 1024]
    assert numbers["copied_bytes"] == {"h2d": 1536, "d2h": 768}
    assert numbers["redundant_bytes"] == 256


def island_named(name: str) -> MethodBuilder:
    b = island()
    b.name = name
    return b


def test_a_copy_that_is_never_reached_is_not_counted() -> None:
    b = MethodBuilder()
    x, end = b.input(SIZES), Label()
    b.jump(end)
    b.h2d(x)
    b.mark(end)
    b.output(x)
    assert report(b).numbers["copied_bytes"] == {"h2d": 0, "d2h": 0}


def test_host_programs_copy_nothing() -> None:
    b = MethodBuilder()
    b.output(b.call("aten::relu.out", b.input(SIZES), out=SIZES))
    assert "copied_bytes" not in report(b).numbers
