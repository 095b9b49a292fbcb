"""One name of half a megabyte that many methods share: no report repeats it as a whole."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace

import pytest

import pte_lint
from pte_lint.report.formats import FORMATS, render
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.support.sharing_writer import write_shared


@pytest.mark.parametrize("form", list(FORMATS))
def test_a_long_name_is_not_held_many_times(form: str) -> None:
    name = "A" * 300_000
    methods = []
    for number in range(100):
        b = MethodBuilder(f"m{number}")
        x = b.input((2,))
        b.output(b.call("mine::missing.out", x, out=(2,)))
        methods.append(b)
    built = build_program(*methods)
    plans = tuple(replace(p, name=name) for p in built.program.execution_plan or ())
    program = replace(built.program, execution_plan=plans)
    report = pte_lint.check(write_shared(program, built.segment_data), isolated=True)
    assert len(report.findings) >= 100
    render(report, form)  # imports what the format needs
    tracemalloc.start()
    text = render(report, form)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert name not in text
    assert peak < 20 * len(name), "a copy for each method would be a hundred times the name"
