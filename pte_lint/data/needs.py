"""What the runner of an artifact must provide, method by method."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

from pte_lint.claims.need import Need, NeedKind
from pte_lint.data.blobs import blobs
from pte_lint.data.context import Context
from pte_lint.data.externals import externals
from pte_lint.data.named_data import NamedData
from pte_lint.questions.needs import method_needs
from pte_lint.text.printable import printable
from pte_lint.text.words import count

MOST_NEEDS: Final = 1_000
"""Needs of one artifact that are listed: a hostile file can name any number of backends."""


def needs_of(context: Context) -> tuple[Need, ...]:
    """All that the methods need, in their order; data only where none is given beside it."""
    return tuple(islice(_needs(context), MOST_NEEDS))


def _needs(context: Context) -> Iterator[Need]:
    named = NamedData(context)
    for method in context.methods:
        yield from method_needs(method, context.target)
        if context.data:
            continue
        keys = {each.key for each in externals(method) if each.key is not None}
        wants = (want for blob in blobs(method, context) for want in blob.facts.wants)
        keys |= {want.key for want in wants if named.may_lack(want.asked)}
        if keys:
            what = f"a data file with {count(len(keys), 'key')}"
            how = 'Load it with the program:\n\n    Module module("model.pte", "model.ptd");'
            yield Need(NeedKind.DATA, what, printable(method.name), how)
