"""Outputs beside expected ones, and calls beside PyTorch's, as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from pte_lint.claims.finding import Json
from pte_lint.report.layout import Painter, labelled
from pte_lint.text.words import count

_MOST: Final = 5
"""Wrong calls shown; JSON has more."""


def value_lines(evidence: Mapping[str, Json], indent: str, paint: Painter) -> Iterator[str]:
    """Which expected outputs were met, and which calls differ from PyTorch's operators."""
    cases = evidence.get("expected")
    for each in cases if isinstance(cases, list) else ():
        style = "good" if each["status"] == "equal" else "error"
        yield from labelled(f"{each['case']}: ", str(each["reason"]), indent, paint, style=style)
    reference = evidence.get("reference")
    if isinstance(reference, Mapping) and "calls_compared" in reference:
        yield from _reference(reference, indent, paint)


def _reference(told: Mapping[str, Json], indent: str, paint: Painter) -> Iterator[str]:
    wrong = told["wrong_calls"]
    number = count(int(told["calls_compared"]), "call")
    inputs = "; ".join(told["inputs"]) or "no inputs"
    result = f"{len(wrong)} differ{'s' * (len(wrong) == 1)}" if wrong else "none differs"
    text = f"{number} compared with PyTorch {told['torch'] or ''}, given {inputs}: {result}"
    yield from labelled("reference: ", text, indent, paint, style="error" if wrong else "good")
    for n, each in enumerate(wrong[:_MOST]):
        label = "first wrong call: " if n == 0 else "also: "
        place = f"instruction {each['instruction']} ({each['operator']}), given {each['inputs']}"
        yield from labelled(label, f"{place}: {each['reason']}", indent, paint, style="error")
    if len(wrong) > _MOST:
        yield from labelled("also: ", f"{len(wrong) - _MOST} more", indent, paint)
    for name, why in told["failed"].items():
        yield from labelled("not run: ", f"given {name}: {why}", indent, paint)
    for name, why in told["not_compared"].items():
        yield from labelled("not compared: ", f"{name}: {why}", indent, paint)
