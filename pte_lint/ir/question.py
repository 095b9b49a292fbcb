"""Questions about a method, each worked out once, when somebody first asks."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar, cast

from pte_lint.clock import ANALYSIS, timed
from pte_lint.ir.method import Method

T = TypeVar("T")
_UNASKED = object()


def question(work_out: Callable[[Method], T]) -> Callable[[Method], T]:
    """Lets a function of a method keep its answer with the method; the making of it is timed.

    The function's name ends in `_of`; without that it is what timings call it.
    """
    name = work_out.__name__.removesuffix("_of")

    @wraps(work_out)
    def ask(method: Method) -> T:
        answers = method.answers
        answer = answers.get(work_out, _UNASKED)
        if answer is _UNASKED:
            with timed(ANALYSIS, name):
                answer = answers[work_out] = work_out(method)
        return cast("T", answer)

    return ask
