from __future__ import annotations

from dataclasses import replace

from pte_lint.claims.forecast import Outcome
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.data_builder import BuiltData, DataTensor, build_data
from pte_lint.testing.program_builder import build_program
from tests.support.examples import externally
from tests.support.judging import judge, only, verdict

GOOD = build_data({"w": DataTensor([1, 2, 3, 4], (2, 2))})
PROGRAM = build_program(externally()).bytes()


def sized(size: int) -> BuiltData:
    (segment,) = GOOD.flat_tensor.segments or ()
    return GOOD.replaced("segments", (replace(segment, size=size),))


def test_fewer_bytes_than_the_tensor_needs() -> None:
    report = judge(PROGRAM, "PTE516", data={"w.ptd": sized(12).bytes()})
    assert only(report).message == (
        "w has 12 bytes in w.ptd, but 16 are read: the last 4 are whatever lies behind."
    )
    assert verdict(report).outcome is Outcome.UNDEFINED


def test_no_bytes_are_a_null_pointer() -> None:
    report = judge(PROGRAM, "PTE516", data={"w.ptd": sized(0).bytes()})
    assert verdict(report).signal == "SIGSEGV"


def test_a_copy_to_the_device_refuses_a_null_pointer() -> None:
    b = MethodBuilder()
    b.output(b.d2h(b.h2d(b.external("w", (2, 2)))))
    report = judge(build_program(b).bytes(), "PTE516", data={"w.ptd": sized(0).bytes()})
    assert (verdict(report).outcome, verdict(report).error) == (Outcome.ERROR, "Internal")


def test_what_a_delegate_makes_of_a_null_pointer_is_not_known() -> None:
    b = MethodBuilder()
    weight = b.external("w", (2, 2))
    b.output(*b.delegate("HostBackend", [weight], [(2, 2)]))
    report = judge(build_program(b).bytes(), "PTE516", data={"w.ptd": sized(0).bytes()})
    assert verdict(report).outcome is Outcome.UNDEFINED


def test_a_second_tensor_with_the_key_may_need_more() -> None:
    b = MethodBuilder()
    x = b.input((2, 2))
    b.output(b.add(x, b.external("w", (2, 2))), b.external("w", (8,)))
    report = judge(build_program(b).bytes(), "PTE516", data={"w.ptd": GOOD.bytes()})
    assert only(report).evidence["nbytes"] == 32


def test_a_data_file_by_itself() -> None:
    report = judge(sized(12).bytes(), "PTE516", name="w.ptd")
    assert only(report).evidence == {"key": "w", "segment_size": 12, "nbytes": 16}


def test_enough_bytes() -> None:
    assert judge(PROGRAM, "PTE516", data={"w.ptd": GOOD.bytes()}).findings == ()
    assert judge(GOOD.bytes(), "PTE516", name="w.ptd").findings == ()
