"""Findings are undone, judged again, and taken back where that would bring an error."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from pte_lint.schema.loaded import read_program
from pte_lint.schema.program import BackendDelegateInlineData, Buffer, Operator, Span
from pte_lint.schema.writer.pieces import joined

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.target import Target
from pte_lint.data.context import Context
from pte_lint.data.reading import open_context
from pte_lint.edits.content import DropSegments
from pte_lint.edits.draft import Edit
from pte_lint.edits.fixer import Fixer, fixer
from pte_lint.edits.memory import PlaceArena, Retag
from pte_lint.files.artifact import Artifact, open_artifact
from pte_lint.fix.fixers import FixerLoadError, _add, load_fixers
from pte_lint.fix.proof import prove
from pte_lint.fix.repair import NEEDS_LEAVE, NO_FIXER, TOO_MANY, repair
from pte_lint.fix.repaired import Memory, Repair
from pte_lint.fix.weight import weight
from pte_lint.ir.device import Device
from pte_lint.judging.engine import Settings
from pte_lint.rulebook.fixable import FIXES
from pte_lint.rulebook.registry import load_rules
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.containers import write_program
from pte_lint.testing.program_builder import BuiltProgram, build_program
from tests.fuzz.kill_matrix import FOLDER, stored
from tests.fuzz.sharing import sharing_program
from tests.pte_lint.fix.test_large import large_file
from tests.support.device_programs import add_method
from tests.support.runtime import need_runtime

FIXERS = load_fixers(isolated=True)
CLEAN = Path(__file__).parents[2] / "data" / "clean"
RULES = load_rules(isolated=True)
DEFECTS = {each.rule: each for each in stored()}

#: Seeded defects that the file alone cannot mend, and why.
BEYOND = {
    "PTE015": "which of the segments the shared bytes belong to is lost; export again",
    "PTE131": "nothing frees it: it never has memory",
    "PTE306": "which of its arguments are meant cannot be told from the file",
}


def mended(content: bytes, *, unsafe: bool = True, **options: object) -> tuple[Repair, bytes]:
    with open_artifact(content) as artifact:
        done = repair(artifact, Settings(rules=RULES), FIXERS, unsafe=unsafe, **options)  # type: ignore[arg-type]
        return done, joined(done.pieces, content) if done.pieces is not None else content


def errors(done: Repair) -> list[str]:
    return [f.rule for f in done.after.findings if f.severity is Severity.ERROR]


@pytest.mark.parametrize("rule", sorted(FIXERS))
def test_the_seeded_defect_of_every_rule_with_a_fixer_is_mended(rule: str) -> None:
    done, content = mended((FOLDER / DEFECTS[rule].file).read_bytes())
    mine = [left.why for left in done.left if left.finding.rule == rule]
    if rule in BEYOND:
        assert mine == [BEYOND[rule]]
        return
    assert mine == []
    assert errors(done) == []
    # Whatever was done, a second look finds nothing more to do.
    again, same = mended(content)
    assert again.applied == ()
    assert same == content


@pytest.mark.runtime
@pytest.mark.parametrize("rule", sorted(FIXERS.keys() - BEYOND.keys()))
def test_the_runtime_agrees(rule: str, tmp_path: Path) -> None:
    need_runtime()
    old, new = tmp_path / "old.pte", tmp_path / "new.pte"
    old.write_bytes((FOLDER / DEFECTS[rule].file).read_bytes())
    done, content = mended(old.read_bytes())
    new.write_bytes(content)
    shown = prove(old, new, undefined=done.undefined)
    assert shown
    for each in shown:
        assert each.status in {"equal", "runs now", "defined now"}, each


def both(**options: bool) -> BuiltProgram:
    """A good method before a bad one."""
    return build_program(add_method("good"), add_method("bad", **options))


def test_planned_inputs_are_taken_out_and_memory_shrinks() -> None:
    content = both(skip_h2d=True, skip_d2h=True).bytes()
    done, fixed = mended(content)
    assert [
        (a.finding.rule, a.finding.method, a.finding.subject, a.is_safe) for a in done.applied
    ] == [
        ("PTE301", "bad", "input 0", False),
        ("PTE301", "bad", "input 1", False),
        ("PTE302", "bad", "output 0", False),
    ]
    assert done.memory == (Memory("bad", 1, "cuda:0", 768, 0, 0),)
    assert errors(done) == []
    assert len(fixed) < len(content)


def test_what_is_unsafe_needs_leave() -> None:
    content = both(skip_h2d=True).bytes()
    done, fixed = mended(content, unsafe=False)
    assert done.applied == ()
    assert done.pieces is None
    assert fixed == content
    assert {left.why for left in done.left if left.finding.rule == "PTE301"} == {NEEDS_LEAVE}
    assert {left.why for left in done.left if left.finding.rule == "PTE320"} == {NO_FIXER}


def arena_on_host() -> bytes:
    """A delegate's arguments are tagged for a device, and their arena is on the host."""
    built = both()
    return built.replaced("execution_plan[1].non_const_buffer_device", None).bytes()


def test_what_a_repair_uncovers_is_repaired_in_turn() -> None:
    done, _ = mended(arena_on_host())
    assert {a.finding.rule for a in done.applied} == {"PTE308"}
    assert {a.finding.method for a in done.applied} == {"bad"}
    assert errors(done) == []


def test_copies_are_left_out_before_what_they_alone_use() -> None:
    b = MethodBuilder()
    x = b.input((4,))
    (y,) = b.delegate("CudaBackend", [b.h2d(x)], [(4,)], device="cuda:0")
    b.d2h(y)
    b.output(b.add(x, x))
    names = (*b.operators, Operator("aten::maximum", "out"))
    content = build_program(b).replaced("execution_plan[0].operators", names)
    done, again = mended(content.bytes())
    assert [a.finding.rule for a in done.applied] == ["PTE319", "PTE702"]
    assert not mended(again)[0].applied


@fixer("PTE308", "put the arena on another device", safe=True)
def wrong(finding: Finding, context: Context) -> Iterator[Edit]:
    assert finding.plan is not None
    yield Retag(finding.plan, 2, Device(1, 7))
    yield PlaceArena(finding.plan, 1, Device(1, 7))
    yield PlaceArena(finding.plan, 2, Device(1, 0))


def test_a_repair_that_brings_an_error_is_taken_back() -> None:
    content = arena_on_host()
    with open_artifact(content) as artifact:
        done = repair(artifact, Settings(rules=RULES), {"PTE308": wrong})
    assert done.applied == ()
    assert done.pieces is None
    assert [f.rule for f in done.after.findings] == [f.rule for f in done.before.findings]
    why = {left.why for left in done.left if left.finding.rule == "PTE308"}
    assert len(why) == 1
    assert why.pop().startswith("undoing it would bring PTE3")


@fixer("PTE308", "do nothing of use", safe=True)
def idle(finding: Finding, context: Context) -> Iterator[Edit]:
    assert finding.plan is not None
    yield Retag(finding.plan, 0, Device(0, 0))


def test_an_edit_that_undoes_nothing_is_not_called_a_fix() -> None:
    with open_artifact(arena_on_host()) as artifact:
        done = repair(artifact, Settings(rules=RULES), {"PTE308": idle})
    assert done.applied == ()
    assert {left.why for left in done.left if left.finding.rule == "PTE308"} == {
        "the edit did not undo it"
    }


@fixer("PTE308", "drop what is not there", safe=True)
def impossible(finding: Finding, context: Context) -> Iterator[Edit]:
    yield DropSegments((99,))


def test_an_edit_that_does_not_fit_says_so() -> None:
    with open_artifact(arena_on_host()) as artifact:
        done = repair(artifact, Settings(rules=RULES), {"PTE308": impossible})
    assert {left.why for left in done.left if left.finding.rule == "PTE308"} == {
        "there is no segment 99"
    }


def test_a_clean_program_stays_as_it_is() -> None:
    content = build_program(add_method()).bytes()
    done, fixed = mended(content)
    assert (done.applied, done.memory, done.pieces) == ((), (), None)
    assert fixed == content


def wasteful_method(name: str = "forward") -> MethodBuilder:
    """Four tensors of 64 bytes one after the other: two places are enough."""
    b = MethodBuilder(name)
    v = b.input((16,))
    for _ in range(3):
        v = b.call("aten::sigmoid.out", v, out=(16,))
    b.output(v)
    return b


def wasteful() -> bytes:
    return build_program(wasteful_method()).bytes()


def test_a_method_with_an_error_keeps_its_plan() -> None:
    """What it does may hang on what lies where."""
    built = build_program(wasteful_method("good"), wasteful_method("bad"), wasteful_method("fine"))
    content = built.replaced("execution_plan[1].operators[0].name", "aten::nothing").bytes()
    done, _ = mended(content, plan_memory=True)
    assert errors(done) == ["PTE401"]
    assert [each.method for each in done.memory] == ["good", "fine"]


@pytest.mark.parametrize(("operator", "arenas"), [("aten::sin.out", 1), ("aten::nothing.out", 0)])
def test_what_would_be_smaller_stays_where_an_error_does(operator: str, arenas: int) -> None:
    """Inputs that are taken out of their arena, and another operator, which may be unknown."""
    b = add_method(skip_h2d=True)
    b.output(b.call(operator, b.input((4,)), out=(4,)))
    done, _ = mended(build_program(b).bytes())
    assert {a.finding.rule for a in done.applied} == {"PTE301"}
    assert len(errors(done)) == 1 - arenas
    assert len(done.memory) == arenas


@pytest.mark.runtime
def test_memory_is_planned_again_where_asked(tmp_path: Path) -> None:
    need_runtime()
    content = wasteful()
    assert mended(content)[0].pieces is None
    done, fixed = mended(content, plan_memory=True)
    assert done.memory == (Memory("forward", 1, "cpu", 256, 128, 128),)
    (tmp_path / "old.pte").write_bytes(content)
    (tmp_path / "new.pte").write_bytes(fixed)
    (shown,) = prove(tmp_path / "old.pte", tmp_path / "new.pte")
    assert shown.status == "equal"
    assert mended(fixed, plan_memory=True)[0].pieces is None


@pytest.mark.runtime
def test_another_program_is_seen_to_be_another(tmp_path: Path) -> None:
    need_runtime()
    other = MethodBuilder()
    v = other.input((16,))
    for _ in range(2):
        v = other.call("aten::sigmoid.out", v, out=(16,))
    other.output(v)
    old, new = tmp_path / "old.pte", tmp_path / "new.pte"
    old.write_bytes(wasteful())
    new.write_bytes(build_program(other).bytes())
    (shown,) = prove(old, new)
    assert (shown.status, shown.is_wrong) == ("differs", True)
    assert shown.detail == "output 0, inputs 'default'"
    new.write_bytes(both(skip_h2d=True).bytes())
    assert [(s.method, s.status) for s in prove(old, new)][1] == ("bad", "fails now")


@pytest.mark.parametrize(("most", "undone"), [(2, ["PTE207", "PTE207"]), (3, None)])
def test_so_many_repairs_are_made_and_the_rest_is_told(
    most: int, undone: list[str] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two unused arenas, and an operator that is never called, which is of another rule."""
    b = MethodBuilder()
    x = b.input((4,))
    b.output(b.add(x, x))
    program, plan = build_program(b), "execution_plan[0]"
    program = program.replaced(f"{plan}.operators", (*b.operators, Operator("aten::sin", "out")))
    program = program.replaced(f"{plan}.non_const_buffer_sizes", (0, 48, 32, 32))
    monkeypatch.setattr("pte_lint.fix.repair._MOST_UNDONE", most)
    done, _ = mended(program.bytes())
    assert sorted(a.finding.rule for a in done.applied) == (undone or ["PTE207"] * 2 + ["PTE702"])
    told = [left for left in done.left if left.finding.rule == "PTE702"]
    assert [t.why for t in told] == (["too much was to be undone: repair again"] if undone else [])


def test_so_many_programs_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two rules, and so two programs on the way."""
    b = MethodBuilder()
    x = b.input((4,))
    b.output(b.add(x, x))
    program, plan = build_program(b), "execution_plan[0]"
    program = program.replaced(f"{plan}.operators", (*b.operators, Operator("aten::sin", "out")))
    content = program.replaced(f"{plan}.non_const_buffer_sizes", (0, 48, 32)).bytes()
    monkeypatch.setattr("pte_lint.fix.repair._TRIED_BYTES", 0)
    for tries, undone in ((0, []), (1, ["PTE207"]), (2, ["PTE207", "PTE702"])):
        monkeypatch.setattr("pte_lint.fix.repair._TRIES", tries)
        done, _ = mended(content)
        assert sorted(a.finding.rule for a in done.applied) == undone
        left = {"PTE207", "PTE702"}.difference(undone)
        told = {each.finding.rule: each.why for each in done.left if each.finding.rule in left}
        assert told == dict.fromkeys(left, TOO_MANY)


def weight_of(path: Path) -> int:
    with open_artifact(path) as artifact:
        return weight(open_context(artifact, Target(), [], {}))


def test_what_is_tried_is_counted_by_tables_and_not_by_weights(tmp_path: Path) -> None:
    large_file(tmp_path / "large.pte", 1 << 30)
    large_file(tmp_path / "small.pte", 16)
    small = weight_of(tmp_path / "small.pte")
    assert 500 < small == weight_of(tmp_path / "large.pte") < 5_000
    # What stands in the tables for kernels and delegates.
    plain = CLEAN / "no_header.pte"
    loaded = read_program(plain.read_bytes()).program
    assert loaded is not None
    blob = Span(0, 160_000)
    for heavy in (
        replace(loaded, constant_buffer=(Buffer(), Buffer(blob))),
        replace(loaded, backend_delegate_data=(BackendDelegateInlineData(blob),)),
    ):
        (tmp_path / "heavy.pte").write_bytes(write_program(heavy, source=bytes(blob.size)))
        assert (tmp_path / "heavy.pte").stat().st_size > blob.size
        assert weight_of(tmp_path / "heavy.pte") < 2 * weight_of(plain)
    # The same table again and again is judged again and again.
    (tmp_path / "shared.pte").write_bytes(sharing_program(Random(1), most=600))
    assert weight_of(tmp_path / "shared.pte") > (tmp_path / "shared.pte").stat().st_size
    (tmp_path / "none.pte").write_bytes(b"nothing")
    assert weight_of(tmp_path / "none.pte") == 1


def test_no_program_is_no_failure() -> None:
    with open_artifact(b"nothing at all") as artifact:
        done = repair(artifact, Settings(rules=RULES), FIXERS, unsafe=True)
    assert done.pieces is None
    assert isinstance(artifact, Artifact)


def test_each_rule_has_one_fixer_and_each_fixer_a_rule() -> None:
    assert FIXERS.keys() <= {rule.id for rule in RULES}
    with pytest.raises(FixerLoadError, match="PTE301 has a fixer already"):
        _add(dict(FIXERS), "mine", [FIXERS["PTE301"]])
    with pytest.raises(FixerLoadError, match=r"no pte_lint\.edits\.fixer\.Fixer"):
        _add({}, "mine", ["PTE301"])
    assert all(isinstance(each, Fixer) and not each.what.endswith(".") for each in FIXERS.values())


def test_the_table_that_reports_look_into_is_that_of_the_fixers() -> None:
    assert {rule: "safe" if f.is_safe else "unsafe" for rule, f in FIXERS.items()} == FIXES
    # Reading it must not cost what loading fixers costs.
    code = "import sys, pte_lint.rulebook.fixable; print(*sys.modules)"
    command = [sys.executable, "-c", code]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert "pte_lint.rulebook.fixable" in loaded
    assert not [m for m in loaded if m.startswith(("pte_lint.fix.", "pte_lint.edits"))]
