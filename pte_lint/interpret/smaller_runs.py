"""Runs with smaller inputs than the largest that the file allows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pte_lint.interpret.choices import Given, smaller_inputs
from pte_lint.interpret.runs import Interpretation, interpretation_of
from pte_lint.interpret.state import Sizes
from pte_lint.ir.method import Method
from pte_lint.ir.steps import StepKind


def smaller_runs(method: Method) -> Iterator[tuple[Given, Mapping[int, Sizes]]]:
    """Smaller inputs that a method without jumps runs with, as far as its calls are followed.

    Yields sizes by input, and by tensor those that steps give it; None for what is not known.
    """
    if method.of_kind(StepKind.JUMP):
        return
    run = interpretation_of(method)
    largest = run if run.largest is None else run.largest
    if largest.faults or not largest.complete:
        return
    for given in smaller_inputs(largest.given or {}):
        played = Interpretation(method, given)
        if played.complete and not played.faults and len(played.ends) == 1:
            yield given, played.ends[0].sizes
