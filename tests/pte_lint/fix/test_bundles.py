"""A program inside of a bundle is repaired like one that is alone; the test cases stay."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pte_lint.schema.bundled_program import BundledMethodTestSuite, BundledProgram
from pte_lint.schema.loaded import read_bundled_program, read_program
from pte_lint.schema.program import Operator, Span

from pte_lint.fix.proof import prove
from pte_lint.harness.running import program_of
from pte_lint.testing.containers import write_bundled_program, write_program
from tests.fuzz.kill_matrix import FOLDER
from tests.pte_lint.fix.test_repair import BEYOND, DEFECTS, FIXERS, errors, mended
from tests.support.command import command
from tests.support.exact import exact
from tests.support.runtime import need_runtime

BUNDLE = (Path(__file__).parents[2] / "data" / "clean" / "bundled_linear.bpte").read_bytes()


def bundled(program: bytes, suites: bool = False) -> bytes:
    """A program in a bundle: with the test cases of a real one, or an empty suite a method."""
    loaded = read_bundled_program(BUNDLE).bundle
    assert loaded is not None
    inside = replace(loaded, program=Span(len(BUNDLE), len(program)))
    if not suites:
        read = read_program(program).program
        names = [plan.name for plan in (read and read.execution_plan) or ()]
        empty = tuple(BundledMethodTestSuite(name, ()) for name in names if name)
        inside = replace(inside, method_test_suites=empty)
    return write_bundled_program(inside, source=BUNDLE + program)


def with_unused_operator() -> bytes:
    """The real bundle, whose program names an operator that it does not call."""
    program = taken_apart(BUNDLE)[1]
    loaded = read_program(program)
    assert loaded.program is not None
    (plan,) = loaded.program.execution_plan or ()
    plan = replace(plan, operators=(*(plan.operators or ()), Operator("aten::sin", "out")))
    changed = replace(loaded.program, execution_plan=(plan,))
    base = loaded.container.segment_base_offset
    return bundled(write_program(changed, program[base:], source=program), suites=True)


def taken_apart(content: bytes) -> tuple[BundledProgram, bytes]:
    """A bundle without its program, and the program."""
    loaded = read_bundled_program(content)
    assert loaded.bundle is not None
    assert loaded.violations == ()
    span = loaded.bundle.program
    assert span is not None
    assert span.start % 32 == 0
    return replace(loaded.bundle, program=None), content[span.start : span.start + span.size]


@pytest.mark.parametrize("rule", sorted(FIXERS))
def test_the_program_becomes_what_it_becomes_alone(rule: str) -> None:
    program = (FOLDER / DEFECTS[rule].file).read_bytes()
    _, alone = mended(program)
    before = bundled(program)
    done, after = mended(before)
    suites, inside = taken_apart(after)
    assert inside == alone
    assert exact(suites, after) == exact(taken_apart(before)[0], before)
    assert (after == before) == (rule in BEYOND)
    if rule not in BEYOND:
        assert rule in {each.finding.rule for each in done.applied}
        assert mended(after)[1] == after


def test_a_sound_bundle_is_left_alone() -> None:
    done, after = mended(BUNDLE)
    assert done.pieces is None
    assert errors(done) == []
    assert after == BUNDLE


def test_a_damaged_bundle_is_not_rewritten() -> None:
    program = (FOLDER / DEFECTS["PTE703"].file).read_bytes()
    content = bytearray(bundled(program, suites=True))
    at = content.index(b"forward")
    inside = content.index(program)
    if inside < at < inside + len(program):
        at = content.index(b"forward", inside + len(program))
    content[at - 4 : at] = b"\xff" * 4
    done, after = mended(bytes(content))
    assert "the bundle is damaged" in {each.why for each in done.left}
    assert after == bytes(content)


@pytest.mark.runtime
def test_the_command_repairs_a_bundle_and_runs_both(tmp_path: Path) -> None:
    need_runtime()
    path, goal = tmp_path / "bad.bpte", tmp_path / "good.bpte"
    path.write_bytes(with_unused_operator())
    said = command(tmp_path, "fix", path, "-o", goal).stdout
    assert "fixed PTE702" in said
    assert ": equal (" in said
    old, new = program_of(path, tmp_path / "old.pte"), program_of(goal, tmp_path / "new.pte")
    assert {each.status for each in prove(old, new)} == {"equal"}
    before, after = path.read_bytes(), goal.read_bytes()
    assert exact(taken_apart(after)[0], after) == exact(taken_apart(before)[0], before)
