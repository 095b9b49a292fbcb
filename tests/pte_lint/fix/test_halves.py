"""Findings of one rule that cannot be undone together are undone in halves, and not without end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from pte_lint.schema.loaded import read_program
from pte_lint.schema.writer.pieces import joined

from pte_lint.claims.finding import Finding
from pte_lint.claims.result import ArtifactReport
from pte_lint.data.context import Context
from pte_lint.edits.draft import Edit
from pte_lint.edits.fixer import Fixer
from pte_lint.edits.memory import PlaceArena
from pte_lint.files.artifact import Artifact
from pte_lint.fix import repair as repairing
from pte_lint.fix.fixers import load_fixers
from pte_lint.fix.repair import _MOST_IN_VAIN, repair
from pte_lint.fix.repaired import Repair
from pte_lint.ir.device import Device
from pte_lint.judging.engine import Settings, judge
from pte_lint.rulebook.registry import load_rules
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.support.sharing_writer import write_shared

_COUNT = 64
_SETTINGS = Settings(rules=load_rules(isolated=True))
_FIXER = load_fixers(isolated=True)["PTE207"]


def _unused_arenas() -> bytes:
    b = MethodBuilder()
    x = b.input((4,))
    b.output(b.add(x, x))
    sizes = (0, 48, *(32,) * _COUNT)
    path = "execution_plan[0].non_const_buffer_sizes"
    return build_program(b).replaced(path, sizes).bytes()


def _number(finding: Finding) -> int:
    """The position of the finding's arena among the unused ones."""
    return int(finding.message.split()[1]) - 2


def _repaired(is_bad: Callable[[int], bool]) -> Repair:
    """The program with the arenas repaired; to undo a bad one brings an error."""

    def edits(finding: Finding, context: Context) -> Iterator[Edit]:
        yield from _FIXER.edits(finding, context)
        if is_bad(_number(finding)):
            assert finding.plan is not None
            yield PlaceArena(finding.plan, 1, Device(1, 7))

    fixer: Fixer = replace(_FIXER, edits=edits)
    return repair(Artifact("input", _unused_arenas()), _SETTINGS, {"PTE207": fixer})


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Sizes of the programs that were judged, the source first."""
    sizes: list[int] = []

    def counted(context: Context, settings: Settings) -> ArtifactReport:
        sizes.append(context.artifact.size)
        return judge(context, settings)

    monkeypatch.setattr(repairing, "judge", counted)
    return sizes


@pytest.mark.parametrize(
    "bad", [{0}, {_COUNT - 1}, {20, 40}, set(range(8)), {3, 9, 11, 30, 47, 60}]
)
def test_those_that_can_be_undone_are(bad: set[int]) -> None:
    done = _repaired(lambda number: number in bad)
    assert {_number(each.finding) for each in done.applied} == set(range(_COUNT)) - bad
    left = {_number(each.finding): each.why for each in done.left if each.finding.rule == "PTE207"}
    assert left.keys() == bad
    assert all(why.startswith("undoing it would bring PTE") for why in left.values())


def test_where_none_can_be_undone_few_are_tried_alone(judged: list[int]) -> None:
    done = _repaired(lambda number: True)
    assert done.applied == ()
    assert len(judged) == 1 + _MOST_IN_VAIN
    told = [each.why for each in done.left if each.finding.rule == "PTE207"]
    assert len(told) == _COUNT
    assert all(why.endswith("(tried with others, and not alone)") for why in told)


def test_findings_that_are_undone_alike_make_one_program(judged: list[int]) -> None:
    """As those do that are undone by planning memory again, whichever of them are tried."""
    fixer: Fixer = replace(_FIXER, edits=lambda *_: ())
    done = repair(Artifact("input", _unused_arenas()), _SETTINGS, {"PTE207": fixer})
    told = {each.why for each in done.left if each.finding.rule == "PTE207"}
    assert told == {"the edit did not undo it (tried with others, and not alone)"}
    assert len(judged) == 2


def test_methods_that_are_one_table_stay_one() -> None:
    """Of a thousand methods that are the same table one is repaired, and the others not copied."""
    built = build_program(_method())
    (plan,) = built.program.execution_plan or ()
    other = replace(plan, name="other", non_const_buffer_sizes=(0, 48, 32))
    source = write_shared(
        replace(built.program, execution_plan=(other, *(plan,) * 1_000)), built.segment_data
    )
    done = repair(Artifact("input", source), _SETTINGS, {"PTE207": _FIXER})
    assert [each.finding.method for each in done.applied] == ["other"]
    assert done.pieces is not None
    fixed = joined(done.pieces, source)
    assert len(fixed) < 2 * len(source)
    read = read_program(fixed).program
    assert read is not None
    first, *rest = read.execution_plan or ()
    assert (first.non_const_buffer_sizes or ())[2:] in ((), (0,))
    assert len(rest) == 1_000
    assert all(each == rest[0] for each in rest)


def _method() -> MethodBuilder:
    b = MethodBuilder("forward")
    x = b.input((4,))
    b.output(b.add(x, x))
    return b
