from __future__ import annotations

import pytest
from pte_lint.schema.program import NonConstBufferDevice

from pte_lint.claims.finding import Severity
from pte_lint.testing.builder import D2H, H2D, MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.support.device_programs import (
    BACKEND,
    CUDA,
    SIZES,
    add_method,
    findings,
    only,
    place,
    report,
    rules,
    verdict,
    verdicts,
)

ENTRIES = "execution_plan[0].non_const_buffer_device"


@pytest.mark.parametrize(
    "entries",
    [
        (NonConstBufferDevice(1, 1, 0), NonConstBufferDevice(2, 1, 0)),
        (NonConstBufferDevice(1, 1, 0),),
    ],
)
def test_the_arena_of_the_inputs_is_put_on_the_device(
    entries: tuple[NonConstBufferDevice, ...],
) -> None:
    """K10, K11: set_input looks at tags only, in 1.5 too."""
    built = build_program(add_method()).replaced(ENTRIES, entries)
    said = report(built)
    found = findings(said, "PTE309")
    assert [f.subject for f in found] == ["input 0", "input 1", "output 0"]
    assert all(f.severity is Severity.ERROR for f in found)
    assert verdicts(built)["1.4"] == verdicts(built)["1.5"] == "set_input crash SIGSEGV"


def test_delegate_arguments_without_tags_in_a_device_arena() -> None:
    """K18."""
    b = MethodBuilder()
    x = b.input(SIZES, home="cuda:0")
    out = b.tensor(SIZES, home="cuda:0")
    b.output(*b.delegate(BACKEND, [x], [out], device="cuda:0"))
    assert verdicts(b) == {
        "1.3": "execute ok",
        "1.4": "set_input crash SIGSEGV",
        "1.5": "set_input crash SIGSEGV",
    }


def test_separate_arenas_are_fine() -> None:
    assert rules(report(add_method())) == []


def test_a_copy_to_the_host_cannot_write_there() -> None:
    b = MethodBuilder()
    x = b.h2d(b.input(SIZES))
    b.output(b.call(D2H, x, out=b.tensor(SIZES, home="cuda:0")))
    said = report(b)
    assert only(said, "PTE309").subject == "output 0"
    assert verdict(said) == "execute error Internal"


def test_a_copy_to_the_device_refuses_the_tag() -> None:
    """K16."""
    b = MethodBuilder()
    y = b.tensor(SIZES, home="cuda:0")
    b.call(H2D, b.input(SIZES), out=y)
    b.output(b.call("aten::relu.out", b.input(SIZES), out=SIZES))
    said = report(b)
    assert place(only(said, "PTE309")) == (0, 1, y)
    assert verdict(said) == "execute error InvalidArgument"


def test_a_source_without_its_tag_cannot_be_copied_back() -> None:
    """K17."""
    b = MethodBuilder()
    y = b.tensor(SIZES, home="cuda:0")
    b.delegate(BACKEND, [b.h2d(b.input(SIZES))], [y], device="cuda:0")
    b.output(b.d2h(y))
    said = report(b)
    assert only(said, "PTE309").location.value == y
    assert verdict(said) == "execute error InvalidArgument"


def test_a_host_kernel_touches_it() -> None:
    """K26, untagged."""
    b = MethodBuilder()
    mid = b.tensor(SIZES, home="cuda:0")
    b.call("aten::relu.out", b.input(SIZES), out=mid)
    b.output(b.call("aten::sigmoid.out", mid, out=SIZES))
    said = report(b)
    assert only(said, "PTE309").location.value == mid
    assert verdict(said) == "execute crash SIGSEGV"


def test_a_condition_in_a_device_arena() -> None:
    """K28, untagged."""
    b = MethodBuilder()
    x, p = b.input((), "bool"), b.tensor((), "bool", home="cuda:0")
    b.call("mylib::decide.out", x, out=p)
    b.jump_false(p, 2)
    b.output(x)
    assert verdict(report(b)) == "execute crash SIGSEGV"


@pytest.mark.parametrize(
    ("backend", "severity", "outcome"),
    [
        (BACKEND, Severity.WARNING, "execute ok"),
        (CUDA, Severity.ERROR, "execute error InvalidArgument"),
    ],
)
def test_the_pointer_is_right_and_only_the_tag_is_wrong(
    backend: str, severity: Severity, outcome: str
) -> None:
    b = MethodBuilder()
    x = b.input(SIZES, device="cuda:0", planned=False)
    mid = b.tensor(SIZES, home="cuda:0")
    b.delegate(backend, [x], [mid], device="cuda:0")
    (out,) = b.delegate(BACKEND, [mid], [b.tensor(SIZES, device="cuda:0")], device="cuda:0")
    b.output(out)
    said = report(b)
    assert only(said, "PTE309").severity is severity
    assert verdict(said) == outcome


def test_an_output_that_only_the_caller_reads_is_a_warning() -> None:
    b = MethodBuilder()
    x = b.input(SIZES, device="cuda:0", planned=False)
    b.output(*b.delegate(BACKEND, [x], [b.tensor(SIZES, home="cuda:0")], device="cuda:0"))
    assert only(report(b), "PTE309").severity is Severity.WARNING


def test_an_unused_tensor_there_is_a_warning() -> None:
    b = add_method()
    b.tensor(SIZES, home="cuda:0")
    said = report(b)
    assert "Nothing that uses it looks at the tag" in only(said, "PTE309").message
    assert verdict(said) == "execute ok"
