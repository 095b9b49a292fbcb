"""Findings confirmed in edited copies: undone, tried, and reached behind others."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pte_lint.claims.finding import Confirmation, Finding
from pte_lint.claims.result import ArtifactReport
from pte_lint.claims.target import Target
from pte_lint.data.reading import open_context
from pte_lint.files.artifact import open_artifact
from pte_lint.fix.counterfactual import confirm_by_repair
from pte_lint.fix.remedies import load_remedies
from pte_lint.harness import driver
from pte_lint.harness.confirm import ConfirmOptions, confirm
from pte_lint.harness.options import ProbeOptions
from pte_lint.judging.engine import Settings, judge
from pte_lint.rulebook.registry import load_rules
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.fuzz.xnnpack_seeds import GraphBuilder, graph_program
from tests.support.runtime import need_runtime

pytestmark = pytest.mark.runtime

DEFECTS = Path(__file__).parents[2] / "fuzz" / "defects"


def _judged(program: bytes) -> ArtifactReport:
    settings = Settings(rules=load_rules(isolated=True), target=Target())
    with open_artifact(program) as artifact:
        return judge(open_context(artifact, settings.target, (), {}), settings)


def _confirmed(program: bytes, *planted: Finding) -> dict[tuple[str, str], Confirmation]:
    """Confirmations by rule and subject, of findings that are planted too."""
    need_runtime()
    rules = load_rules(isolated=True)
    settings = Settings(rules=rules, target=Target())
    options = ConfirmOptions(
        ProbeOptions(device_memory="emulated"), signs={rule.id: rule.sign for rule in rules}
    )
    with ExitStack() as stack:
        artifact = stack.enter_context(open_artifact(program))
        context = open_context(artifact, settings.target, (), {})
        report = judge(context, settings)
        report = replace(report, findings=(*report.findings, *planted))
        report = confirm(report, context, (), options)
        report = confirm_by_repair(
            report,
            context,
            ((), ()),
            settings=settings,
            options=options,
            remedies=load_remedies(isolated=True),
        )
    return {(f.rule, f.subject): f.confirmation for f in report.findings if f.confirmation}


def _relu_of_unwritten() -> Any:
    b = MethodBuilder("forward")
    b.input((4,))
    x, y = b.tensor((4,)), b.tensor((4,))
    b.kernel("aten::relu.out", x, y, y)
    b.output(y)
    return build_program(b)


def test_what_nobody_writes_follows_the_memory_that_it_is_given() -> None:
    shown = _confirmed(_relu_of_unwritten().bytes())
    ((key, one),) = [(k, c) for k, c in shown.items() if k[0] == "PTE129"]
    assert one.status == "confirmed_by_repair", key
    assert "has an arena of its own" in one.evidence["reason"]


def test_what_something_writes_at_the_same_place_is_taken_along() -> None:
    """A view whose call is left out, of sizes that may change: its bytes are written."""
    b = MethodBuilder("forward")
    x, y = b.input((4,)), b.tensor((2, 2), dynamism=1)
    written = b.tensor((4,), memory_id=1, offset=64)
    b.kernel("aten::relu.out", x, written, written)
    view = b.tensor((2, 2), dynamism=1, memory_id=1, offset=64)
    b.kernel("aten::relu.out", view, y, y)
    b.output(y)
    shown = _confirmed(build_program(b).bytes())
    (one,) = [c for (rule, _), c in shown.items() if rule == "PTE129"]
    assert one.status == "unsupported"
    assert "the data show nothing by themselves" in one.evidence["reason"]


@pytest.mark.parametrize(("offset", "is_before"), [(64, False), (68, True)])
def test_what_is_written_later_or_to_some_of_the_bytes_stays(offset: int, is_before: bool) -> None:
    """No view shows that: what is read is what the memory held."""
    b = MethodBuilder("forward")
    x, y = b.input((4,)), b.tensor((4,), memory_id=1, offset=256)
    unwritten = b.tensor((4,), memory_id=1, offset=64)
    other = b.tensor((4,), memory_id=1, offset=offset)
    if is_before:
        b.kernel("aten::relu.out", x, other, other)
    b.kernel("aten::relu.out", unwritten, y, y)
    if not is_before:
        b.kernel("aten::relu.out", x, other, other)
    b.output(y)
    shown = _confirmed(build_program(b).bytes())
    (one,) = [c for (rule, _), c in shown.items() if rule == "PTE129"]
    assert one.status == "confirmed_by_repair"
    assert "has an arena of its own" in one.evidence["reason"]


def test_an_output_shows_nothing_that_is_written_to_the_same_place() -> None:
    """Exporters leave out no call of a view that is returned: what is read is what was there."""
    b = MethodBuilder("forward")
    x, y = b.input((4,)), b.tensor((4,))
    written = b.tensor((4,), memory_id=1, offset=64)
    b.kernel("aten::relu.out", x, written, written)
    unwritten = b.tensor((4,), memory_id=1, offset=64)
    b.kernel("aten::relu.out", unwritten, y, y)
    b.output(y)
    b.output(unwritten)
    shown = _confirmed(build_program(b).bytes())
    assert [c.status for (rule, _), c in shown.items() if rule == "PTE129"] == [
        "confirmed_by_repair"
    ]


def _written_by_a_call_that_fails(is_there: bool) -> Any:
    """What is read is written by a call that its kernel refuses; without it nothing writes it."""
    b = MethodBuilder("forward")
    x, y = b.input((3,)), b.tensor((4,))
    made = b.tensor((4,), memory_id=1, offset=128)
    if is_there:
        b.kernel("aten::relu.out", x, made, made)
    b.kernel("aten::relu.out", made, y, y)
    b.output(y)
    return build_program(b)


def test_what_an_undone_call_would_have_written_is_no_fault_of_the_file() -> None:
    """The finding is true of the copy without that call, and false of the file."""
    lacking = _judged(_written_by_a_call_that_fails(False).bytes())
    (planted,) = [f for f in lacking.findings if f.rule == "PTE129"]
    program = _written_by_a_call_that_fails(True).bytes()
    assert "PTE129" not in {f.rule for f in _judged(program).findings}
    shown = _confirmed(program, planted)
    assert shown["PTE129", planted.subject].status not in ("confirmed", "confirmed_by_repair")
    assert [c.status for (rule, _), c in shown.items() if rule == "PTE139"] == ["confirmed"]


@pytest.mark.parametrize("is_whole", [True, False])
def test_a_converted_file_is_taken_back(is_whole: bool) -> None:
    """Where more than the conversion is wrong, that it is taken back shows nothing."""
    b = MethodBuilder("forward")
    x, y = b.input((10,)), b.tensor((10,))
    b.kernel("aten::relu.out", x, y, y)
    b.output(y)
    program = build_program(b, named_data={"text": b"\n" * 64})
    if not is_whole:
        path = "execution_plan[0].chains[0].instructions[0].instr_args.args"
        program = program.replaced(path, (x, y))
    converted = program.bytes().replace(b"\n", b"\r\n")
    (planted,) = [f for f in _judged(converted).findings if f.rule == "PTE005"]
    shown = _confirmed(converted)["PTE005", planted.subject]
    if is_whole:
        assert (shown.status, shown.evidence["reason"]) == (
            "confirmed_by_repair",
            "taken back in a copy of the file, every method runs",
        )
    else:
        assert (shown.status, shown.evidence["reason"]) == (
            "unsupported",
            "it fails of what the conversion moved: taken back, it runs",
        )


@pytest.mark.parametrize("other", ["aten::relu.out", "aten::neg.out"])
def test_a_method_whose_name_another_has_is_tried_by_itself(other: str) -> None:
    """It shows where the two differ in what they give."""
    methods = []
    for operator, size in (("aten::relu.out", 4), (other, 4)):
        b = MethodBuilder("forward")
        x, y = b.input((size,)), b.tensor((size,), offset=64 * len(methods))
        b.kernel(operator, x, y, y)
        b.output(y)
        methods.append(b)
    shown = _confirmed(build_program(*methods).bytes())
    told = [c.status for (rule, _), c in shown.items() if rule == "PTE103"]
    assert told == ["unsupported" if other == "aten::relu.out" else "confirmed_by_repair"]


def test_a_failure_that_names_no_argument_is_undone() -> None:
    """`relu` of a number aborts; of a tensor it does not."""
    b = MethodBuilder("forward")
    x, y = b.input((4,)), b.tensor((4,))
    number = b.int_value(3)
    b.kernel("aten::relu.out", x, y, y)
    b.output(y)
    good = build_program(b)
    path = "execution_plan[0].chains[0].instructions[0].instr_args.args"
    shown = _confirmed(good.replaced(path, (number, y, y)).bytes())
    (one,) = [c for k, c in shown.items() if k[0] == "PTE124"]
    assert one.status == "confirmed_by_repair"
    assert "undone in a copy of the file" in one.evidence["reason"]


def test_each_of_several_is_reached_behind_the_ones_before() -> None:
    """Two inputs lie outside of an arena that is too small: loading ends at the first."""
    b = MethodBuilder("forward")
    x, y = b.input((4,)), b.input((4,))
    z = b.tensor((4,))
    b.kernel("aten::mul.out", x, y, z, z)
    b.output(z)
    path = "execution_plan[0].non_const_buffer_sizes"
    shown = _confirmed(build_program(b).replaced(path, (0, 0)).bytes())
    outside = [c for (rule, _), c in shown.items() if rule == "PTE202"]
    assert len(outside) == 3
    assert {c.status for c in outside} == {"confirmed"}
    assert [len(c.evidence.get("after_undoing", ())) for c in outside] == [0, 1, 2]


@pytest.mark.parametrize(("most", "undone"), [(0, [0]), (1, [0, 1]), (8, [0, 1, 2])])
def test_so_many_copies_are_made(
    most: int, undone: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three findings of which each ends the run: the second shows in a copy, the third in two."""
    b = MethodBuilder("forward")
    x, y = b.input((4,)), b.input((4,))
    z = b.tensor((4,))
    b.kernel("aten::mul.out", x, y, z, z)
    b.output(z)
    path = "execution_plan[0].non_const_buffer_sizes"
    content = build_program(b).replaced(path, (0, 0)).bytes()
    monkeypatch.setattr("pte_lint.fix.copies._FREE", 0)
    monkeypatch.setattr("pte_lint.fix.copies._TIMES", most)
    shown = _confirmed(content)
    outside = [c for (rule, _), c in shown.items() if rule == "PTE202"]
    told = [len(c.evidence.get("after_undoing", ())) for c in outside if c.status == "confirmed"]
    assert told == undone
    assert {c.status for c in outside} <= {"confirmed", "consistent", "not_reached"}


def test_a_program_without_methods_is_not_refuted() -> None:
    """It loads; `load_method` is never called, for there is no name to call it with."""
    shown = _confirmed(_relu_of_unwritten().replaced("execution_plan", ()).bytes())
    (one,) = [c for (rule, _), c in shown.items() if rule == "PTE101"]
    assert (one.status, one.evidence["sign"]) == ("confirmed", "methods: 0")


def test_a_program_that_is_right_is_left_alone(tmp_path: Path) -> None:
    b = MethodBuilder("forward")
    x, y = b.input((4,)), b.tensor((4,))
    b.kernel("aten::relu.out", x, y, y)
    b.output(y)
    assert {c.status for c in _confirmed(build_program(b).bytes()).values()} <= {"unsupported"}


def test_what_was_freed_and_is_read_ends_a_run_that_may_not_touch_it() -> None:
    program = (DEFECTS / "PTE439.pte").read_bytes()
    shown = _confirmed(program)["PTE439", "delegates[0] constants"]
    assert (shown.status, shown.evidence["reason"]) == (
        "confirmed",
        "loaded so that nobody may touch what was freed, the run dies of a read of it: crash "
        "SIGSEGV in execute (instruction 0)",
    )


def test_what_is_not_freed_is_read_in_peace() -> None:
    """The claim of the program above about one whose layer packs its constants."""
    (found,) = (f for f in _judged((DEFECTS / "PTE439.pte").read_bytes()).findings if f.forecast)
    g = GraphBuilder()
    given, made = g.external(1, (3, 3)), g.external(2, (3, 3))
    weights, bias = g.constant((3, 3)), g.constant((3,))
    g.node("FullyConnected", input1_id=given, filter_id=weights, bias_id=bias, output_id=made)
    shown = _confirmed(graph_program(g), found)
    assert shown[found.rule, found.subject].status == "unsupported"


def test_no_copy_is_run_twice_in_the_same_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """References to values that are not there, one behind the other."""
    runs: list[str] = []
    ask = driver.ask_probe

    def counted(path: Path, **given: Any) -> Any:
        if path.name.startswith("copy-"):
            runs.append(f"{path} {given['options']}")
        return ask(path, **given)

    monkeypatch.setattr(driver, "ask_probe", counted)
    b = MethodBuilder("forward")
    x = b.input((4,))
    for _ in range(3):
        x = b.call("aten::relu.out", x, out=(4,))
    b.output(x)
    _confirmed(build_program(b).replaced("execution_plan[0].values", None).bytes())
    assert len(runs) >= 6
    assert len(set(runs)) == len(runs)
