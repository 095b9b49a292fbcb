"""What is worked out about an artifact is gone when its report is there, without any collection."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest
from pte_lint.schema.program import ExecutionPlan, Program

import pte_lint
from pte_lint.data.context import Context
from pte_lint.ir.steps import Step
from pte_lint.questions.method import Method

FILES = sorted(Path(__file__).parents[1].joinpath("data").rglob("*.pte"))[::6]


@pytest.fixture(autouse=True)
def no_collection() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def _kept() -> list[str]:
    kinds = (Context, ExecutionPlan, Method, Program, Step)
    return [type(each).__name__ for each in gc.get_objects() if isinstance(each, kinds)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_nothing_stays(path: Path) -> None:
    before = len(_kept())
    report = pte_lint.check(path, isolated=True)
    assert len(_kept()) == before
    assert report.artifacts[0].findings is not None
