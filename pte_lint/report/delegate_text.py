"""Delegates in the text of `inspect`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pte_lint.inspection.code import DelegateArgument, DelegateFacts, LibraryNeed
from pte_lint.report.columns import count, size
from pte_lint.report.layout import wrap
from pte_lint.text.sanitise import name


def delegate_lines(delegate: DelegateFacts, *, full: bool) -> Iterator[str]:
    """The lines about one delegate.

    Args:
        delegate: The delegate.
        full: Also what its blob takes and gives, and what its libraries are loaded with.
    """
    arguments = ""
    if delegate.inputs is not None and delegate.outputs is not None:
        arguments = f", {delegate.inputs} in, {delegate.outputs} out"
    blob = f"blob {size(delegate.blob_size)}"
    if delegate.where != "segment":
        blob += f" ({delegate.where})"
    known = f", {name(delegate.blob_format)}" if delegate.blob_format else ""
    calls = count(delegate.calls, "call")
    yield f"    #{delegate.index} {name(delegate.backend)}: {calls}{arguments}, {blob}{known}"
    if delegate.operators:
        inner = ", ".join(f"{o.count:,} {name(o.operator)}" for o in delegate.operators)
        yield from wrap(f"inside: {inner}", indent=" " * 9, first=" " * 7)
    for need in delegate.requires:
        yield f"       made for {need.what} {name(need.value)}"
    if delegate.scratch is not None:
        yield f"       working memory {size(delegate.scratch)}"
    for library in delegate.libraries:
        yield from _library(library, full)
    if full:
        yield from _arguments("takes", delegate.takes)
        yield from _arguments("gives", delegate.gives)
        if delegate.constants:
            total = size(delegate.constant_bytes)
            yield f"       {count(delegate.constants, 'constant')}, {total}"
        for part in delegate.parts:
            yield f"       holds {name(part.name)}, {size(part.nbytes)}"
        for key in delegate.wants:
            yield f"       needs {name(key)}"
    for spec in delegate.specs:
        yield f"       {name(spec.key)} = {name(spec.value)}"


def _library(library: LibraryNeed, full: bool) -> Iterator[str]:
    gpus = ""
    if library.gpus:
        gpus = f", {count(library.kernels, 'kernel')} for {', '.join(map(name, library.gpus))}"
    kind = f"{library.format or 'no'} library".strip()
    yield f"       {kind} {name(library.key)}: {name(library.machine or '?')}{gpus}"
    if full and library.needed:
        loaded = ", ".join(map(name, (*library.needed, *library.versions)))
        yield from wrap(f"loaded with {loaded}", indent=" " * 11, first=" " * 9)
    if library.missing:
        yield f"         does not export {', '.join(library.missing)}"


def _arguments(verb: str, arguments: Sequence[DelegateArgument]) -> Iterator[str]:
    for each in arguments:
        position = "?" if each.position is None else each.position
        layout = f", {each.layout}" if each.layout else ""
        called = f", {name(each.name)}" if each.name else ""
        yield f"       {verb} {position}: {each.type}{layout}{called}"
