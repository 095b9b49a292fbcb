"""What is inside of delegates, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pte_lint.inspection.code import DelegateArgument, DelegateFacts
from pte_lint.inspection.model import Inspection
from pte_lint.report.phrases import human_bytes, plural
from pte_lint.schema.frozen import dataclass

_MOST = 200
"""Delegates that are told of."""
_MOST_EACH = 12
"""Things of one kind of one delegate."""


@dataclass(frozen=True, slots=True)
class DelegateCard:
    """One delegate: whose, and rows of what is told and what it says."""

    method: str
    title: str
    rows: tuple[tuple[str, str], ...]


def delegate_cards(inspection: Inspection) -> tuple[DelegateCard, ...]:
    """The delegates of all methods whose blob can be read, the first ones of many."""
    cards: list[DelegateCard] = []
    for method in inspection.methods:
        for delegate in method.delegates:
            if delegate.blob_format and len(cards) < _MOST:
                title = f"#{delegate.index} {delegate.backend}"
                cards.append(DelegateCard(method.name, title, tuple(_rows(delegate))))
    return tuple(cards)


def _rows(delegate: DelegateFacts) -> Iterator[tuple[str, str]]:
    yield "blob", f"{delegate.blob_format}, {human_bytes(delegate.blob_size)}"
    yield from (("made for", f"{each.what} {each.value}") for each in delegate.requires)
    if delegate.operators:
        yield "inside", _several([f"{each.count} {each.operator}" for each in delegate.operators])
    if delegate.takes:
        yield "takes", _several([_argument(each) for each in delegate.takes])
    if delegate.gives:
        yield "gives", _several([_argument(each) for each in delegate.gives])
    if delegate.scratch is not None:
        yield "working memory", human_bytes(delegate.scratch)
    if delegate.constants:
        total = human_bytes(delegate.constant_bytes)
        yield "constants", f"{plural(delegate.constants, 'constant')}, {total}"
    if delegate.parts:
        yield (
            "holds",
            _several([f"{each.name} ({human_bytes(each.nbytes)})" for each in delegate.parts]),
        )


def _argument(argument: DelegateArgument) -> str:
    return " ".join(each for each in (argument.name, argument.type) if each)


def _several(items: Sequence[str]) -> str:
    more = f", and {len(items) - _MOST_EACH} more" if len(items) > _MOST_EACH else ""
    return ", ".join(items[:_MOST_EACH]) + more
