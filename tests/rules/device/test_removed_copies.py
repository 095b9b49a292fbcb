"""Boundary copies taken out of programs that use their arenas again and again."""

from __future__ import annotations

import pytest

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.result import ArtifactReport
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import BuiltProgram, build_program
from tests.support.device_programs import BACKEND, SIZES, place, report, rules, verdict
from tests.support.removal import rewired, without

HOST, DEVICE = 1, 2
ALL = ("PTE1", "PTE2", "PTE3")


def spot(arena: int, slot: int) -> dict[str, int]:
    """The place of a 256-byte tensor."""
    return {"memory_id": arena, "offset": 256 * slot}


class Islands(MethodBuilder):
    """Delegates with host kernels between, planned by hand as the exporter plans them."""

    def on_device(self, slot: int) -> int:
        return self.tensor(SIZES, device="cuda:0", **spot(DEVICE, slot))

    def on_host(self, slot: int) -> int:
        return self.tensor(SIZES, **spot(HOST, slot))

    def add(self, left: int, right: int, out: int | None = None) -> int:
        """Steps: h2d, h2d, delegate, d2h."""
        slots = [self.on_device(2), self.on_device(1)]
        for source, target in zip((left, right), slots, strict=True):
            self.call("et_copy::_h2d_copy.out", source, out=target)
        (result,) = self.delegate(BACKEND, slots, [self.on_device(0)], device="cuda:0")
        return self.call("et_copy::_d2h_copy.out", result, out=self.on_host(0))


def islands(count: int = 2, name: str = "forward", *, one_blob: bool = True) -> BuiltProgram:
    """Values 0 and 1 are the inputs; each island is 6 steps: the call's 4, sigmoid, neg."""
    b = Islands(name)
    x, y = b.input(SIZES, **spot(HOST, 0)), b.input(SIZES, **spot(HOST, 2))
    for _ in range(count - 1):
        lit = b.call("aten::sigmoid.out", b.add(x, y), out=b.on_host(1))
        x = b.call("aten::neg.out", lit, out=b.on_host(0))
    b.output(b.add(x, y))
    built = build_program(b)
    return shared(built) if one_blob else built


def shared(built: BuiltProgram, method: int = 0) -> BuiltProgram:
    """All delegates of a method have one blob, as those of equal graphs have."""
    return built.replaced(
        f"execution_plan[{method}].delegates", lambda table: (table[0],) * len(table)
    )


def troubles(said: ArtifactReport) -> list[tuple[str, str, tuple[int | None, ...]]]:
    """Rule, severity and place of all errors and warnings but those about wasted copies."""
    return [
        (f.rule, str(f.severity), place(f))
        for f in said.findings
        if f.severity is not Severity.INFO and f.rule not in ("PTE318", "PTE319")
    ]


def test_as_exported() -> None:
    assert troubles(report(islands(), select=ALL)) == []
    assert verdict(report(islands(), select=ALL)) == "execute ok"


@pytest.mark.parametrize(
    ("step", "rule", "where"),
    [
        (0, "PTE317", (1, 0, 2)),
        (1, "PTE317", (1, 1, 3)),
        (3, "PTE129", (3, None, 5)),
        (6, "PTE317", (7, 0, 8)),
        (7, "PTE317", (7, 1, 9)),
        (9, "PTE130", (None, None, 11)),
    ],
)
def test_each_copy_left_out(step: int, rule: str, where: tuple[int | None, ...]) -> None:
    """What lies in the same bytes from before is no view: not on a device, not as an output."""
    said = report(without(islands(), step), select=ALL)
    assert troubles(said) == [(rule, "error", where)]
    assert verdict(said) == "execute undefined"


@pytest.mark.parametrize("step", [0, 1, 3, 6, 7])
def test_each_copy_left_out_and_its_source_used_instead(step: int) -> None:
    said = report(rewired(islands(), step), select=ALL)
    expected = "PTE305" if step == 3 else "PTE304"
    assert expected in rules(said, Severity.ERROR)
    assert verdict(said) != "execute ok"


def test_without_another_call_of_the_blob_the_last_input_is_only_doubtful() -> None:
    """The second input of each call is also copied elsewhere; so it may be an unused result."""
    built = islands(one_blob=False)
    assert troubles(report(without(built, 7), select=ALL)) == [("PTE317", "warning", (7, 1, 9))]
    assert troubles(report(without(built, 6), select=ALL)) == [("PTE317", "error", (7, 0, 8))]


def test_a_source_that_nobody_reads_any_more_tells() -> None:
    """With one call only, both inputs go nowhere else."""
    built = islands(1)
    assert troubles(report(without(built, 1), select=ALL)) == [("PTE317", "error", (1, 1, 3))]
    (found,) = [f for f in report(without(built, 1)).findings if f.rule == "PTE317"]
    assert "nobody reads input 1" in found.message


def test_several_copies_at_once() -> None:
    """What a call makes of garbage is no error of its own where nobody reads it."""
    said = report(without(islands(), 0, 3, 9), select=ALL)
    assert troubles(said) == [
        ("PTE130", "error", (None, None, 11)),
        ("PTE317", "warning", (1, 0, 2)),
        ("PTE129", "error", (2, None, 5)),
    ]


def test_in_the_second_method_only() -> None:
    first, second = Islands("first"), Islands("second")
    for b in (first, second):
        x, y = b.input(SIZES, **spot(HOST, 0)), b.input(SIZES, **spot(HOST, 2))
        lit = b.call("aten::sigmoid.out", b.add(x, y), out=b.on_host(1))
        b.output(b.add(lit, y))
    built = shared(shared(build_program(first, second)), 1)
    assert troubles(report(built, select=ALL)) == []
    said = report(without(built, 5, method=1), select=ALL)
    assert [(f.method, f.rule, f.severity) for f in said.findings if f.rule == "PTE317"] == [
        ("second", "PTE317", Severity.ERROR)
    ]
    assert verdict(said, "first") == "execute ok"
    assert verdict(said, "second") == "execute undefined"


@pytest.mark.slow
def test_in_a_program_of_ten_thousand_instructions() -> None:
    built = islands(1667)
    assert troubles(report(built, select=ALL)) == []
    middle = 6 * 800
    for step, rule in ((middle, "PTE317"), (middle + 3, "PTE129"), (10_000 - 1, "PTE130")):
        ((told, severity, _),) = troubles(report(without(built, step), select=ALL))
        assert (told, severity) == (rule, "error"), step


def lost_result(*, target: int, view: bool = False, other: bool = False) -> Finding:
    """A delegate's result without its copy, whose target lies where an input was.

    Args:
        target: How many values are numbered between the result and the target.
        view: Only an elided view of the target is read.
        other: Another delegate takes the result.
    """
    b = Islands()
    x = b.input(SIZES, **spot(HOST, 0))
    fed = b.call("et_copy::_h2d_copy.out", x, out=b.on_device(0))
    (result,) = b.delegate(BACKEND, [fed], [b.on_device(1)], device="cuda:0")
    for _ in range(target):
        b.output(b.call("aten::neg.out", x, out=SIZES))
    host = b.on_host(0)
    read = b.tensor((64,), **spot(HOST, 0)) if view else host
    if other:
        (more,) = b.delegate(BACKEND, [result], [b.on_device(0)], device="cuda:0")
        b.output(b.d2h(more))
    b.output(b.call("aten::sigmoid.out", read, out=b.sizes_of(read)))
    (found,) = [f for f in report(b, select=ALL).findings if f.rule == "PTE129"]
    return found


def test_a_result_that_nobody_reads_beside_a_value_that_nobody_writes() -> None:
    near = lost_result(target=0)
    assert near.severity is Severity.ERROR
    assert "nobody reads value 2, which SomeDeviceBackend gives" in near.message
    assert near.evidence == {"result": 2, "made_by": 1}
    far = lost_result(target=1)
    assert (far.severity, far.forecast) == (Severity.WARNING, None)


def test_a_view_of_what_the_missing_copy_should_have_written() -> None:
    assert lost_result(target=1, view=True).severity is Severity.ERROR


def test_a_result_that_another_delegate_takes_as_well() -> None:
    found = lost_result(target=0, other=True)
    assert found.severity is Severity.WARNING
    assert "no copy takes value 2" in found.message


def test_a_copy_that_is_overwritten_before_it_is_read() -> None:
    """Two inputs of one call in the same bytes: the first copy is lost."""
    b = Islands()
    x, y = b.input(SIZES), b.input(SIZES)
    one, two = b.on_device(0), b.on_device(0)
    for source, target in ((x, one), (y, two)):
        b.call("et_copy::_h2d_copy.out", source, out=target)
    (result,) = b.delegate(BACKEND, [one, two], [b.on_device(1)], device="cuda:0")
    b.output(b.d2h(result))
    said = report(b, select=ALL)
    assert ("PTE203", Severity.ERROR) in [(f.rule, f.severity) for f in said.findings]
    assert verdict(said) == "execute undefined"


def test_state_is_read_where_it_is_and_not_where_it_was() -> None:
    """The copy of a buffer to the device is gone; what an earlier call left there is used."""
    b = Islands()
    x, state = b.input(SIZES), b.state(SIZES, initial=b"\x00" * 256)
    before = b.call("et_copy::_h2d_copy.out", x, out=b.on_device(0))
    (first,) = b.delegate(BACKEND, [before], [b.on_device(1)], device="cuda:0")
    held = b.call("et_copy::_h2d_copy.out", state, out=b.on_device(0))
    (second,) = b.delegate(BACKEND, [held, first], [b.on_device(2)], device="cuda:0")
    b.kernel("aten::copy_", state, b.d2h(second), b.bool_value(False), state)
    b.output(b.d2h(second))
    built = build_program(b)
    assert troubles(report(built, select=ALL)) == []
    assert troubles(report(without(built, 2), select=ALL)) == [("PTE317", "error", (2, 0, held))]


def test_a_view_of_an_input_may_go_to_the_device() -> None:
    """Views are elided on the host only, before the copy: nothing writes them under their name."""
    b = Islands()
    x = b.input(SIZES, **spot(HOST, 0))
    view = b.tensor((64,), **spot(HOST, 0))
    (z,) = b.delegate(BACKEND, [b.h2d(view)], [(64,)], device="cuda:0")
    b.output(b.d2h(z))
    assert x != view
    assert troubles(report(b, select=ALL)) == []
