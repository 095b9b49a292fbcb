"""Writing a program again loses nothing, and the runtime tells no difference.

Over the files of `tests/data`, and those of the folder that the environment variable
PTE_LINT_CORPUS names.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pte_lint.schema.loaded import read_program

from pte_lint.edits.plan_draft import EditError
from pte_lint.harness.batch import run_batch
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.support.rewriting import (
    OPTIONS,
    again,
    decoded,
    is_steady,
    pairs_of_runs,
    programs,
    roots,
    unlike,
)
from tests.support.runtime import need_runtime

SHARING = frozenset(
    f"found/budget_buffers_{each}.pte"
    for each in ("device_empty", "device_null", "device_zero", "only_out_of_range")
)
"""Made to try readers: thousands of entries of one list are the same few tables."""

PADDING = 128
"""What the exporter fills up the program to, in front of segments."""

ROOTS = roots()


@pytest.fixture(params=["tests/data", "corpus"])
def root(request: pytest.FixtureRequest) -> Path:
    if request.param not in ROOTS:
        pytest.skip("PTE_LINT_CORPUS names no folder")
    return ROOTS[request.param]


def most(content: bytes) -> float:
    """One percent more, and where segments follow, as much as they may be moved on by that."""
    size = int.from_bytes(content[16:24], "little")
    base = int.from_bytes(content[24:32], "little")
    grown = -(-int(1.01 * size) // PADDING) * PADDING
    is_moved = content[8:12] == b"eh00" and 0 < size <= base < grown
    return max(1.01 * len(content), len(content) + grown - base if is_moved else 0)


def test_programs_are_written_again_whole(root: Path) -> None:
    written = 0
    for program in programs(root):
        content = program.content
        tables = decoded(content)
        if tables is None:
            continue
        try:
            new = again(content)
        except EditError:
            continue
        written += 1
        assert decoded(new) == tables, program.name
        assert len(new) <= most(content) or program.name in SHARING, program.name
    assert written > 60


@pytest.mark.runtime
def test_the_runtime_does_the_same(root: Path) -> None:
    need_runtime()
    found, files, ran, unsteady = [], [], 0, 0
    for program in programs(root):
        content = program.content
        try:
            new = again(content)
        except EditError:
            continue
        found.append(program)
        files.append((content, new, program.data))
    for program, (first, second) in zip(found, pairs_of_runs(files), strict=True):
        if unlike(first, second) and not is_steady(program.content, program.data):
            unsteady += 1
            continue
        assert unlike(first, second) == [], program.name
        ran += any(run.outcome == "ok" for method in first.methods for run in method.runs)
    assert ran > 60
    assert unsteady <= 1


@pytest.mark.runtime
def test_another_program_is_seen_to_differ() -> None:
    """In its outputs, or in no more than the runtime's words."""
    need_runtime()

    def program(operator: str, name: str = "out") -> bytes:
        b = MethodBuilder()
        x = b.input((4,))
        b.output(b.call(operator, x, out=(4,)))
        built = build_program(b)
        return built.replaced("execution_plan[0].operators[0].overload", name).bytes()

    sin, other, lost, gone = run_batch(
        [program("aten::sin.out"), program("aten::cos.out")]
        + [program("aten::sin.out", each) for each in ("one", "two")],
        options=OPTIONS,
    )
    assert unlike(sin, sin) == []
    assert any(": outputs: " in each for each in unlike(sin, other))
    told = unlike(lost, gone)
    assert told
    assert all(": logs: " in each for each in told)


def one_call() -> bytes:
    b = MethodBuilder()
    x = b.input((4,))
    b.output(b.call("aten::sin.out", x, out=(4,)))
    return build_program(b).bytes()


def test_content_of_an_unknown_kind_is_not_lost() -> None:
    content = bytearray(one_call())
    assert again(bytes(content))
    program = read_program(bytes(content)).program
    assert program is not None
    value = (program.execution_plan or ())[0].values or ()
    at = value[0].at
    # The type of a value is the first slot of its table.
    vtable = at - int.from_bytes(content[at : at + 4], "little", signed=True)
    place = at + int.from_bytes(content[vtable + 4 : vtable + 6], "little")
    assert content[place] == value[0].val_type
    content[place] = 200
    with pytest.raises(EditError, match="EValue, a union of unknown type"):
        again(bytes(content))


def _header(content: bytes, at: int, change: Callable[[int], int]) -> bytes:
    old = int.from_bytes(content[at : at + 8], "little")
    return content[:at] + change(old).to_bytes(8, "little") + content[at + 8 :]


@pytest.mark.parametrize(
    ("at", "change", "why"),
    [
        (16, lambda size: size + 128, r"segments\[0\] begins before all segments do"),
        (24, lambda base: 0, r"segments\[0\] begins before all segments do"),
        (32, lambda size: size + 1, "ends before what its header promises"),
    ],
    ids=["tables-large", "base-zero", "size-large"],
)
def test_segments_that_are_not_where_segments_are(
    at: int, change: Callable[[int], int], why: str
) -> None:
    """What they hold are tables, or what the header does not promise."""
    path = next(each for each in programs(ROOTS["tests/data"]) if each.name == "clean/linear.pte")
    assert again(path.content)
    with pytest.raises(EditError, match=why):
        again(_header(path.content, at, change))
