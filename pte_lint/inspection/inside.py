"""What is inside of a delegate's blob, and of the libraries that it names, as data."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from pte_lint.data.context import Context
from pte_lint.data.libraries import libraries
from pte_lint.inspection.code import (
    DelegateArgument,
    DelegateNeed,
    DelegatePart,
    InnerOperator,
    LibraryNeed,
)
from pte_lint.inspection.labels import label
from pte_lint.questions.method import Method
from pte_lint.schema.delegates import BlobArgument, BlobFacts, LibraryFacts

_MOST_ARGUMENTS = 4096
_MOST_VERSIONS = 16
_MOST_PARTS = 256


def inside(facts: BlobFacts) -> dict[str, Any]:
    """The fields of `DelegateFacts` that a blob tells."""
    return {
        "operators": tuple(InnerOperator(label(name), count) for name, count in facts.operators),
        "takes": tuple(_argument(each) for each in (facts.inputs or ())[:_MOST_ARGUMENTS]),
        "gives": tuple(_argument(each) for each in (facts.outputs or ())[:_MOST_ARGUMENTS]),
        "requires": tuple(DelegateNeed(each.what, label(each.value)) for each in facts.requires),
        "scratch": facts.scratch,
        "constants": len(facts.constants),
        "constant_bytes": sum(each.nbytes or 0 for each in facts.constants),
        "parts": tuple(
            DelegatePart(label(each.name), each.nbytes) for each in facts.parts[:_MOST_PARTS]
        ),
    }


def library_needs(context: Context, method: Method) -> Mapping[int, tuple[LibraryNeed, ...]]:
    """The libraries of a method's delegates, by delegate index."""
    found: dict[int, list[LibraryNeed]] = defaultdict(list)
    for each in libraries(context):
        if each.method is method:
            found[each.blob.index].append(_library(each.key, each.facts))
    return {index: tuple(needs) for index, needs in found.items()}


def _argument(argument: BlobArgument) -> DelegateArgument:
    dtype = argument.dtype or (f"{argument.nbytes}-byte elements" if argument.nbytes else "?")
    sizes = "" if argument.sizes is None else f"{list(argument.sizes)}"
    name = label(argument.name) if argument.name else None
    return DelegateArgument(argument.index, f"{dtype}{sizes}", argument.layout, name)


def _library(key: str, facts: LibraryFacts) -> LibraryNeed:
    image = facts.image
    return LibraryNeed(
        key=label(key),
        format=facts.format,
        machine=facts.machine,
        gpus=tuple(sorted({code.arch for code in facts.code if code.arch})),
        kernels=len({code.module for code in facts.code}),
        needed=tuple(label(name) for name in image.needed[:_MOST_VERSIONS]) if image else (),
        versions=_newest(image.versions) if image else (),
        missing=facts.missing,
    )


def _newest(versions: tuple[tuple[str, str], ...]) -> tuple[str, ...]:
    """Of each kind of symbol version the newest: `GLIBC_2.34` of `GLIBC_2.2.5` and itself."""
    kinds: dict[str, tuple[tuple[int, ...], str]] = {}
    for _, name in versions:
        kind, _, number = name.rpartition("_")
        parts = number.split(".")
        if kind and all(part.isdigit() and len(part) < 10 for part in parts):
            kinds[kind] = max(kinds.get(kind, ((), "")), (tuple(map(int, parts)), name))
    return tuple(label(name) for _, name in list(kinds.values())[:_MOST_VERSIONS])
