from __future__ import annotations

from pathlib import Path

import pytest
from pte_lint.schema.program import NonConstBufferDevice

import pte_lint
from pte_lint.testing.builder import D2H, H2D, MethodBuilder
from pte_lint.testing.program_builder import BuiltProgram, build_program
from tests.support.device_programs import (
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

DATA = Path(__file__).parents[2] / "data" / "device"
FIRST = "execution_plan[0].chains[0].instructions[0].instr_args"
LAST = "execution_plan[0].chains[0].instructions[3].instr_args"


def default() -> BuiltProgram:
    return build_program(add_method())


def operator(built: BuiltProgram, name: str) -> int:
    assert built.program.execution_plan
    table = built.program.execution_plan[0].operators or ()
    return [f"{o.name}.{o.overload}" for o in table].index(name)


def test_the_exporters_copies_are_fine() -> None:
    assert rules(report(default())) == []


def test_a_copy_in_the_wrong_direction() -> None:
    built = default()
    said = report(built.replaced(f"{FIRST}.op_index", operator(built, D2H)))
    assert [place(f) for f in findings(said, "PTE306")] == [(0, 0, 0), (0, 1, 2)]
    assert findings(said, "PTE306")[0].evidence["side"] == "source"
    assert verdict(said) == "execute error InvalidArgument"


def test_the_last_copy_in_the_wrong_direction() -> None:
    built = default()
    said = report(built.replaced(f"{LAST}.op_index", operator(built, H2D)))
    assert {place(f)[0] for f in findings(said, "PTE306")} == {3}
    assert verdict(said) == "execute error InvalidArgument"


def test_reversed_arguments() -> None:
    said = report(default().replaced(f"{FIRST}.args", (2, 0, 0)))
    assert findings(said, "PTE306")
    assert verdict(said) == "execute error InvalidArgument"


@pytest.mark.parametrize("args", [(0, 2), (0,), (0, 2, 2, 2), ()])
def test_a_wrong_number_of_arguments(args: tuple[int, ...]) -> None:
    said = report(default().replaced(f"{FIRST}.args", args))
    found = findings(said, "PTE306")[0]
    assert found.evidence == {"arguments": len(args), "wanted": 3}
    assert place(found)[0] == 0
    assert verdict(said) == "execute error InvalidProgram"


def test_a_host_destination() -> None:
    """K16 with memory on the host too: the copy itself is wrong."""
    b = MethodBuilder()
    x = b.input(SIZES)
    b.output(b.call(H2D, x, out=SIZES))
    said = report(b)
    assert place(only(said, "PTE306")) == (0, 1, 1)
    assert verdicts(b)["1.4"] == verdicts(b)["1.5"] == "execute error InvalidArgument"


def test_a_device_source() -> None:
    b = MethodBuilder()
    x = b.h2d(b.input(SIZES))
    y = b.h2d(x)
    b.output(b.d2h(y))
    found = only(report(b), "PTE306")
    assert place(found) == (1, 0, x)
    assert found.evidence["wanted"] == "its source must be on the host"


def test_an_unknown_device_type_has_no_allocator() -> None:
    """K21: the tag's type is looked up at the copy."""
    b = MethodBuilder()
    x = b.input(SIZES)
    y = b.h2d(x, device=(5, 0), home="cuda:0")
    b.output(b.d2h(y))
    assert verdicts(b)["1.4"] == verdicts(b)["1.5"] == "execute error NotFound"


def test_a_copy_that_is_never_reached_is_not_judged() -> None:
    b = MethodBuilder()
    x = b.input(SIZES)
    b.jump(2)
    b.call(H2D, x, out=SIZES)
    b.output(x)
    assert findings(report(b), "PTE306") == []


def test_target_device_cpu_makes_copies_that_always_fail() -> None:
    said = pte_lint.check(DATA / "add_target_cpu.pte", isolated=True).artifacts[0]
    assert "target_device says cpu" in findings(said, "PTE306")[0].remediation
    assert verdict(said) == "execute error InvalidArgument"
    right = pte_lint.check(DATA / "add_no_target_device.pte", isolated=True).artifacts[0]
    assert rules(right) == []


def test_the_device_list_decides_nothing_here() -> None:
    """K9: with right tags and wrong memory the list is to blame, not the copy."""
    built = default().replaced("execution_plan[0].non_const_buffer_device", ())
    said = report(built)
    assert findings(said, "PTE306") == []
    assert findings(said, "PTE308")
    same = default().replaced(
        "execution_plan[0].non_const_buffer_device", (NonConstBufferDevice(2, 1, 0),)
    )
    assert rules(report(same)) == []
