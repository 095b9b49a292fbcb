"""Sets the budgets of the analyses far below what they are, for the time being."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Final

SMALL: Final[Mapping[str, int]] = {
    "pte_lint.data.reading:MAX_METHODS": 1,
    "pte_lint.data.constant_bytes:MOST_CONSTANT_BYTES": 0,
    "pte_lint.data.delegate_blobs:_FREE_BYTES": 64,
    "pte_lint.data.delegate_blobs:_FACTOR": 0,
    "pte_lint.interpret.change_meanings:MAX_PLACES": 2,
    "pte_lint.interpret.residency:MAX_PLACES": 2,
    "pte_lint.interpret.reaching:_BUDGET_FLOOR": 2,
    "pte_lint.interpret.reaching:_BUDGET_PER_STEP": 0,
    "pte_lint.interpret.dataflow:_BUDGET_FLOOR": 2,
    "pte_lint.interpret.dataflow:_BUDGET_PER_STEP": 0,
    "pte_lint.interpret.runs:_BUDGET_FLOOR": 2,
    "pte_lint.interpret.runs:_BUDGET_PER_STEP": 0,
    "pte_lint.ir.steps:_LIST_ALLOWANCE": 8,
    "pte_lint.judging.engine:FREE_FINDINGS": 1,
    "pte_lint.judging.engine:MOST_ALIKE": 1,
    "pte_lint.judging.engine:MOST_UNLISTED": 2,
    "pte_lint.questions.liveness:_BUDGET_FLOOR": 2,
    "pte_lint.questions.liveness:_BUDGET_PER_ACCESS": 0,
    "pte_lint.questions.liveness:_BUDGET_PER_STEP": 0,
    "pte_lint.questions.missing_writer:_BUDGET": 1,
    "pte_lint.questions.overlap:_BUDGET_FLOOR": 2,
    "pte_lint.questions.overlap:_BUDGET_PER_STEP": 0,
    "pte_lint.questions.overlap:_MAX_RESULTS": 1,
    "pte_lint.questions.paths:_BUDGET": 2,
    "pte_lint.questions.repeats:_BUDGET": 2,
    "pte_lint.questions.replay:_MOST_BYTES": 2,
    "pte_lint.questions.replay:_MOST_MOVES": 1,
    "pte_lint.questions.replay_elementwise:_MOST_ELEMENTS": 1,
    "pte_lint.questions.storage:_BUDGET_FLOOR": 2,
    "pte_lint.questions.storage:_BUDGET_PER_STEP": 0,
    "pte_lint.rules.structure.endless_loop:_FREE_BLOCKS": 2,
    "pte_lint.rules.structure.endless_loop:_TIMES": 0,
    "pte_lint.schema.limits:FREE_UNSHARED": 0,
}
"""By module and name: a value that small programs come across."""


@contextmanager
def budgets(values: Mapping[str, int]) -> Iterator[None]:
    """Sets budgets, and takes it back in the end.

    Args:
        values: By `module:NAME`.
    """
    before: dict[str, int] = {}
    try:
        for key, value in values.items():
            module, _, name = key.partition(":")
            before[key] = getattr(import_module(module), name)
            setattr(import_module(module), name, value)
        yield
    finally:
        for key, value in before.items():
            module, _, name = key.partition(":")
            setattr(import_module(module), name, value)
