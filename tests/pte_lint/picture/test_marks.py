"""Where findings are put."""

from __future__ import annotations

from collections.abc import Sequence

from pte_lint.claims.finding import Finding, Location, Severity
from pte_lint.picture.scene import MethodScene
from pte_lint.questions.method import Method
from pte_lint.questions.placement.faults import FaultCause
from pte_lint.testing.builder import MethodBuilder
from tests.pte_lint.picture.programs import around_a_delegate, built, planned_on_a_device
from tests.support.pictures import drawn


def scene_with(program: MethodBuilder, *found: Finding) -> MethodScene:
    def find(method: Method) -> Sequence[Finding]:
        return found

    (scene,) = drawn(built(program), find=find)
    return scene


def at(path: str = "execution_plan[0]", **where: int | None) -> Finding:
    return Finding(message="bad", remediation="", location=Location(path, **where))  # type: ignore[arg-type]


def test_an_instruction() -> None:
    scene = scene_with(around_a_delegate(), at(instruction=1, value=2))
    assert list(scene.marks.steps) == [1]
    assert scene.marks.values == {}
    assert list(scene.marks.places.values()) == [["m0-i1"]]


def test_an_input_is_marked_as_value_and_as_port() -> None:
    scene = scene_with(planned_on_a_device(), at(value=1))
    assert list(scene.marks.values) == [1]
    assert list(scene.marks.inputs) == [1]
    assert scene.marks.outputs == {}
    assert list(scene.marks.places.values()) == [["m0-v1", "m0-in1"]]


def test_an_output() -> None:
    scene = scene_with(planned_on_a_device(), at(value=2))
    assert list(scene.marks.outputs) == [0]


def test_a_delegate_is_marked_at_its_first_call() -> None:
    scene = scene_with(around_a_delegate(3), at("execution_plan[0].delegates[1].id"))
    assert list(scene.marks.steps) == [5]


def test_an_operator_is_marked_at_its_first_call() -> None:
    program = around_a_delegate(2)
    names = [f"{o.name}.{o.overload}" for o in program.operators]
    index = names.index("aten::relu.out")
    scene = scene_with(program, at(f"execution_plan[0].operators[{index}]"))
    assert list(scene.marks.steps) == [3]


def test_the_worst_mark_comes_first() -> None:
    mild = Finding(
        message="mild", remediation="", severity=Severity.INFO, location=Location("", instruction=0)
    )
    scene = scene_with(around_a_delegate(), mild, at(instruction=0))
    assert [m.severity for m in scene.marks.steps[0]] == [Severity.ERROR, Severity.INFO]


def test_what_is_out_of_range_marks_nothing() -> None:
    scene = scene_with(
        around_a_delegate(),
        at(instruction=99),
        at(value=99),
        at("execution_plan[0].delegates[9]"),
        at("nonsense"),
    )
    assert (scene.marks.steps, scene.marks.values, scene.marks.inputs) == ({}, {}, {})
    assert len(scene.marks.places) == 4


def test_a_placement_fault_marks_where_it_comes_to_light() -> None:
    """A device tensor read by a host kernel: the finding is about the tensor."""
    b = MethodBuilder()
    x = b.input((4,))
    there = b.h2d(x)
    b.output(b.call("aten::relu.out", there, out=(4,)))
    (scene,) = drawn(
        built(b),
        find=lambda method: [
            Finding(message="bad", remediation="", location=method.location(value=there))
        ],
        rule_name=str(FaultCause.MISSING_D2H),
    )
    assert list(scene.marks.steps) == [1]
    assert list(scene.marks.values) == [there]


def test_an_overlap_is_read_off_the_evidence() -> None:
    evidence = {
        "arena": 1,
        "written_value": 1,
        "written_bytes": [256, 512],
        "needed_value": 0,
        "needed_bytes": [384, 640],
    }
    finding = Finding(
        message="bad",
        remediation="",
        location=Location("", instruction=0, value=1),
        evidence=evidence,
    )
    scene = scene_with(planned_on_a_device(), finding)
    (overlap,) = scene.marks.overlaps
    assert (overlap.memory_id, overlap.step, overlap.start, overlap.end) == (1, 0, 384, 512)
    assert overlap.values == {0, 1}
    assert sorted(scene.marks.values) == [0, 1]


def test_methods_of_one_name_keep_their_findings() -> None:
    program = built(around_a_delegate(name="twin"), around_a_delegate(name="twin"))
    scenes = drawn(program, find=lambda method: [_first(method)] if method.index == 1 else [])
    assert [list(scene.marks.steps) for scene in scenes] == [[], [0]]


def _first(method: Method) -> Finding:
    return Finding(message="bad", remediation="", location=method.location(step=method.steps[0]))


def test_a_value_listed_very_often_marks_its_first_places() -> None:
    b = MethodBuilder()
    x = b.input((2, 2))
    for _ in range(200):
        b.takes(x)
        b.output(x)
    scene = scene_with(b, at(value=x))
    assert sorted(scene.marks.inputs) == sorted(scene.marks.outputs) == list(range(50))


def test_of_very_many_findings_the_worst_are_marked() -> None:
    b = MethodBuilder()
    x = b.input((2, 2))
    b.output(x)
    found = [
        Finding(
            message=f"bad {n}",
            remediation="",
            location=Location("execution_plan[0]", value=x),
            severity=severity,
        )
        for n in range(100)
        for severity in (Severity.INFO, Severity.ERROR)
    ]
    marks = scene_with(b, *found).marks.inputs[0]
    assert [made.severity for made in marks] == [Severity.ERROR] * 50
