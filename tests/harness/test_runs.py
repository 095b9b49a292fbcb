"""A program is run in each way once, and not in thousands of ways."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pte_lint.claims.target import Target
from pte_lint.data.reading import open_context
from pte_lint.files.artifact import Artifact
from pte_lint.harness.options import ProbeOptions
from pte_lint.harness.runs import How, Runs, TooManyRuns
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program


@pytest.fixture
def ways(monkeypatch: pytest.MonkeyPatch) -> tuple[Runs, list[tuple[int, dict[int, Any]]]]:
    """Runs that allow for two ways, and the inputs that were set first, with sizes."""
    monkeypatch.setattr("pte_lint.harness.runs._TRIES", 2)
    monkeypatch.setattr("pte_lint.harness.runs._TRIED_BYTES", 0)
    b = MethodBuilder()
    x = b.input((4,))
    b.output(b.add(x, x))
    context = open_context(Artifact("input", build_program(b).bytes()), Target(), (), {})
    made: list[tuple[int, dict[int, Any]]] = []

    def run(path: Path, *, data: object, options: ProbeOptions) -> Any:
        made.append((options.first_input, dict(options.input_sizes)))
        ends = "error" if options.verification == "minimal" else "ok"
        return SimpleNamespace(program=SimpleNamespace(outcome=ends))

    return Runs(Path("input"), context, (), ProbeOptions(), run), made


def test_after_many_ways_inputs_are_set_in_their_own_order(
    ways: tuple[Runs, list[tuple[int, dict[int, Any]]]],
) -> None:
    runs, made = ways
    plain, second = runs.get(How()), runs.get(How(first_input=1))
    assert plain is not second
    assert runs.get(How(first_input=1)) is second
    assert runs.get(How(first_input=2)) is plain
    assert made == [(0, {}), (1, {})]
    # Another level or runtime is no way that a file can ask for thousands of.
    assert runs.get(How(full=False)) is not plain
    assert made[2:] == [(0, {})]


def test_after_many_ways_sizes_are_not_left_out(
    ways: tuple[Runs, list[tuple[int, dict[int, Any]]]],
) -> None:
    """With other sizes a run shows nothing about the claim: it could only seem to refute it."""
    runs, made = ways
    runs.get(How())
    runs.get(How(sizes=((0, (2,)),)))
    with pytest.raises(TooManyRuns):
        runs.get(How(sizes=((0, (3,)),)))
    assert made == [(0, {}), (0, {0: (2,)})]


def test_what_does_not_load_is_run_once_however_it_would_be_called(
    ways: tuple[Runs, list[tuple[int, dict[int, Any]]]],
) -> None:
    runs, made = ways
    loaded, refused = runs.get(How()), runs.get(How(full=False))
    assert loaded is not refused
    assert runs.get(How(full=False, first_input=1)) is refused
    assert runs.get(How(full=False, sizes=((0, (2,)),))) is refused
    assert runs.get(How(full=False, loader="mmap")) is not refused
    with pytest.raises(TooManyRuns):
        runs.get(How(sizes=((0, (2,)),)))
    assert made == [(0, {}), (0, {}), (0, {})]
