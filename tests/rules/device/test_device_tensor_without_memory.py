from __future__ import annotations

from pathlib import Path

import pytest

import pte_lint
from pte_lint.claims.finding import Severity
from pte_lint.testing.builder import D2H, H2D, MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.support.device_programs import (
    BACKEND,
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


def unplanned_result() -> MethodBuilder:
    """What alloc_graph_output=False makes of the default copies (K42)."""
    b = MethodBuilder()
    x = b.h2d(b.input(SIZES))
    z = b.tensor(SIZES, device="cuda:0", planned=False)
    b.delegate(BACKEND, [x], [z], device="cuda:0")
    b.output(b.d2h(z))
    return b


def test_the_delegates_result_has_no_memory() -> None:
    b = unplanned_result()
    found = only(report(b), "PTE316")
    assert found.severity is Severity.ERROR
    assert place(found) == (2, 0, 2)
    assert "alloc_graph_output=False took the memory" in found.remediation
    assert verdicts(b)["1.4"] == verdicts(b)["1.5"] == "execute error Internal"


def test_planned_it_is_fine() -> None:
    assert rules(report(add_method())) == []


@pytest.mark.parametrize("operator", [H2D, D2H])
def test_a_copy_without_a_destination(operator: str) -> None:
    """K35."""
    b = MethodBuilder()
    x = b.input(SIZES)
    source = x if operator == H2D else b.h2d(x)
    device = "cuda:0" if operator == H2D else "cpu"
    out = b.tensor(SIZES, device=device, planned=False)
    b.call(operator, source, out=out)
    b.output(x)
    said = report(b)
    assert only(said, "PTE316").location.value == out
    assert verdict(said) == "execute error Internal"


def test_no_bytes_in_an_arena_without_bytes() -> None:
    """Such an arena has no address."""
    b = MethodBuilder()
    b.output(b.d2h(b.h2d(b.input((0, 4)))))
    said = report(b)
    assert [found.message.partition(";")[0] for found in findings(said, "PTE316")] == [
        "Input 0 has no memory: it is planned in an arena without bytes",
        "Value 1 tagged cuda:0 has no memory: it is planned in an arena without bytes",
        "Output 0 has no memory: it is planned in an arena without bytes",
    ]
    assert verdict(said) == "execute error Internal"


def test_what_does_not_fit_its_arena_is_never_reached() -> None:
    built = build_program(add_method())
    sizes = built.program.execution_plan[0].non_const_buffer_sizes
    program = built.replaced("execution_plan[0].non_const_buffer_sizes", (0,) * len(sizes))
    assert set(rules(report(program, select=("PTE2", "PTE3")), Severity.ERROR)) == {"PTE202"}


def test_an_unplanned_output_is_the_callers_duty() -> None:
    """K36."""
    b = MethodBuilder()
    z = b.h2d(b.input(SIZES))
    b.output(b.d2h(z, planned=False))
    assert rules(report(b)) == []


def test_only_a_delegate_meets_it() -> None:
    b = MethodBuilder()
    x = b.h2d(b.input(SIZES))
    mid = b.tensor(SIZES, device="cuda:0", planned=False)
    b.delegate(BACKEND, [x], [mid], device="cuda:0")
    (z,) = b.delegate(BACKEND, [mid], [SIZES], device="cuda:0")
    b.output(b.d2h(z))
    assert verdict(report(b)) == "execute undefined"


def test_state_that_the_embedder_supplies_is_a_warning() -> None:
    b = MethodBuilder()
    state = b.tensor(SIZES, planned=False, name="cache")
    out = b.d2h(b.h2d(state))
    b.kernel("aten::copy_", state, out, b.bool_value(False), state)
    b.output(out)
    said = report(b)
    found = only(said, "PTE316")
    assert found.severity is Severity.WARNING
    assert "unless the embedder supplies this state" in found.message
    assert verdict(said) == "execute ok"


def test_an_input_that_is_missing_from_the_inputs_is_not_state() -> None:
    """It has no name, which the exporter always gives unplanned state."""
    b = MethodBuilder()
    x = b.tensor(SIZES, device="cuda:0", planned=False)
    (z,) = b.delegate(BACKEND, [x, b.h2d(b.input(SIZES))], [SIZES], device="cuda:0")
    b.output(b.d2h(z))
    assert findings(report(b), "PTE316")[0].severity is Severity.ERROR


@pytest.mark.parametrize(
    ("wrong", "right"),
    [("add_outputs_unplanned", "add_default"), ("mutable_buffer_unplanned", "mutable_buffer")],
)
def test_the_remediation_makes_the_finding_go(wrong: str, right: str) -> None:
    before = pte_lint.check(DATA / f"{wrong}.pte", isolated=True).artifacts[0]
    after = pte_lint.check(DATA / f"{right}.pte", isolated=True).artifacts[0]
    assert findings(before, "PTE316")
    assert findings(after, "PTE316") == []
