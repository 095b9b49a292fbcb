"""Looks into an artifact."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from pte_lint.claims.result import ArtifactReport
from pte_lint.data.blobs import blobs
from pte_lint.data.context import Context
from pte_lint.data.places import named_place
from pte_lint.files.artifact import Artifact, Buffer, Source
from pte_lint.inspection import layout
from pte_lint.inspection.canonical import canonical_code
from pte_lint.inspection.inside import library_needs
from pte_lint.inspection.keys import key_uses
from pte_lint.inspection.labels import label
from pte_lint.inspection.memory import memory_facts
from pte_lint.inspection.methods import method_facts, with_shared_state
from pte_lint.inspection.model import ConstantFacts, Format, Inspection, SuiteFacts
from pte_lint.inspection.needs import needs
from pte_lint.inspection.regions import RegionKind
from pte_lint.inspection.tensors import tensor_type
from pte_lint.ir.tensor_size import tensor_nbytes
from pte_lint.questions.method import Method
from pte_lint.schema.container import Kind
from pte_lint.schema.program import Span
from pte_lint.schema.violations import Violation
from pte_lint.text.printable import printable

_FORMATS = {
    Kind.PROGRAM: Format.PROGRAM,
    Kind.FLAT_TENSOR: Format.FLAT_TENSOR,
    Kind.BUNDLED_PROGRAM: Format.BUNDLED_PROGRAM,
}
_MAX_DAMAGE = 20
"""Violations that are listed."""

_CHUNK = 1 << 20


class NotInspectable(ValueError):  # noqa: N818 - an answer about a file, not a fault of ours
    """The file is none of the three formats, or so broken that nothing can be read of it."""


def inspect_artifact(source: Source, *, name: str | None = None) -> Inspection:
    """Looks into a .pte, .ptd or .bpte without running it.

    Args:
        source: a path, bytes, or an object with `.buffer`.
        name: the path to report instead of the source's own.

    Raises:
        ArtifactError: the path cannot be read.
        NotInspectable: the file is something else, or nothing in it can be read.
    """
    from pte_lint.judging.engine import Settings
    from pte_lint.judging.session import Session
    from pte_lint.rulebook.registry import load_rules

    with Session(Settings(rules=load_rules(isolated=True))) as session:
        context = readable(session.context(source, name))
        return inspect_context(context, session.judge(context))


def readable(context: Context) -> Context:
    """Makes sure that there is something to look at in what was opened, and returns it.

    Raises:
        NotInspectable: the file is none of the three formats, or has no readable root.
    """
    artifact, kind = context.artifact, context.container.kind
    if kind not in _FORMATS:
        evidence = context.container.sniffed.evidence
        raise NotInspectable(f"{artifact.path} is no .pte, .ptd or .bpte: {evidence}")
    unreadable = (
        context.flat_tensor.flat_tensor is None if context.flat_tensor else context.program is None
    )
    if unreadable:
        first = next(iter(_violations(context)), None)
        why = first.message if first else "it holds no readable root table"
        raise NotInspectable(f"{artifact.path} is too damaged to look into: {why}")
    return context


def inspect_context(
    context: Context,
    report: ArtifactReport | None,
    *,
    code: bool = False,
    content: bool = False,
    files: Sequence[Artifact] = (),
    hashes: bool = False,
) -> Inspection:
    """Collects the facts about an opened artifact.

    Args:
        context: one that is `readable`.
        report: the judgement of the same artifact; it says which runtimes run it.
        code: also the canonical instructions of each method.
        content: also the hashes of constants, blobs and named data: reads the whole file.
        files: the data files that it was opened with, as they were opened.
        hashes: also the hashes of the data of each key, in the program and in data files.

    Raises:
        NotFetchedError: `content` asks for more than may be fetched of an artifact far away.
    """
    program = context.program
    facts = with_shared_state(
        [
            replace(
                method_facts(m, blobs(m, context), library_needs(context, m)),
                memory=memory_facts(m, context),
            )
            for m in context.methods
        ],
        context.methods,
    )
    regions = layout.regions(context)
    found = Inspection(
        path=printable(context.artifact.path),
        format=_FORMATS[context.container.kind],
        size=context.artifact.size,
        sha256=context.artifact.sha256(),
        schema_version=_schema_version(context),
        methods=facts,
        needs=needs(context, facts, report),
        constants=_constants(context.methods, context) if program is not None else (),
        named=layout.named_bytes(context),
        keys=key_uses(context, files, hashes=hashes) if program is not None else (),
        suites=_suites(context),
        regions=regions,
        damage=tuple(_damage(context)),
        code=tuple(canonical_code(m) for m in context.methods) if code else (),
    )
    if content:
        found = replace(found, content=_hashes(context, found))
    return replace(found, fetched=context.artifact.fetched)


def _schema_version(context: Context) -> int:
    if context.program is not None:
        return context.program.version
    if context.flat_tensor is not None and context.flat_tensor.flat_tensor is not None:
        return context.flat_tensor.flat_tensor.version
    return 0


def _constants(methods: Iterable[Method], context: Context) -> tuple[ConstantFacts, ...]:
    users: dict[int, dict[str, None]] = {}
    first: dict[int, tuple[Method, int]] = {}
    for method in methods:
        for v in method.tensors:
            tensor = method.tensor(v)
            if tensor is not None and method.is_constant(v):
                users.setdefault(tensor.data_buffer_idx, {})[label(method.name)] = None
                first.setdefault(tensor.data_buffer_idx, (method, v))
    found = []
    for index in sorted(first):
        method, v = first[index]
        tensor = method.tensor(v)
        if tensor is not None:
            nbytes = tensor_nbytes(tensor)
            start = _constant_start(context, index, nbytes)
            found.append(
                ConstantFacts(index, tensor_type(tensor), nbytes, tuple(users[index]), start)
            )
    return tuple(found)


def _constant_start(context: Context, index: int, nbytes: int) -> int | None:
    program, loaded = context.program, context.loaded
    if program is None or loaded is None:
        return None
    inline = program.constant_buffer or ()
    if index < len(inline):
        storage = inline[index].storage
        return storage.start if storage is not None and storage.size >= nbytes else None
    constants, segments = program.constant_segment, program.segments or ()
    offsets = (constants.offsets or ()) if constants is not None else ()
    if constants is None or index >= len(offsets) or constants.segment_index >= len(segments):
        return None
    span = loaded.container.segment_range(segments[constants.segment_index])
    if span is None or offsets[index] + nbytes > span.size:
        return None
    return span.start + offsets[index]


def _suites(context: Context) -> tuple[SuiteFacts, ...]:
    bundle = context.bundle.bundle if context.bundle is not None else None
    found = []
    for suite in (bundle.method_test_suites or ()) if bundle is not None else ():
        cases = suite.test_cases or ()
        full = sum(1 for case in cases if case.expected_outputs)
        found.append(SuiteFacts(label(suite.method_name), len(cases), full))
    return tuple(found)


def _violations(context: Context) -> Iterator[Violation]:
    for loaded in (context.flat_tensor, context.bundle, context.loaded):
        yield from loaded.violations if loaded is not None else ()


def _damage(context: Context) -> Iterator[str]:
    for number, violation in enumerate(_violations(context)):
        if number == _MAX_DAMAGE:
            yield "and more; `pte-lint check` lists everything"
            return
        where = named_place(context.program, violation.path)
        yield printable(f"{where + ': ' if where else ''}{violation.message} (byte {violation.at})")


def _hashes(context: Context, found: Inspection) -> Mapping[str, str]:
    spans: dict[str, Span] = {}
    for position, method in enumerate(found.methods):
        for delegate in method.delegates:
            if delegate.blob_start is not None:
                span = Span(delegate.blob_start, delegate.blob_size)
                spans[blob_key(position, delegate.index)] = span
    for constant in found.constants:
        if constant.start is not None:
            spans[f"constant {constant.index}"] = Span(constant.start, constant.nbytes)
    for entry in found.named:
        if entry.start is not None and entry.size is not None:
            spans[f"key {entry.key}"] = Span(entry.start, entry.size)
    for region in found.regions:
        if region.kind in (RegionKind.STATE, RegionKind.SEGMENT):
            spans[f"{region.kind} {region.name}"] = Span(region.start, region.size)
    known: dict[Span, str] = {}
    for span in spans.values():
        if span not in known:
            known[span] = _hash(context.artifact.buffer, span)
    return {name: known[span] for name, span in spans.items()}


def blob_key(method: int, delegate: int) -> str:
    """The key of `Inspection.content` for a delegate, by position of the method and index."""
    return f"blob {method}#{delegate}"


def _hash(buffer: Buffer, span: Span) -> str:
    digest = hashlib.sha256()
    end = span.start + span.size
    for at in range(span.start, end, _CHUNK):
        digest.update(buffer[at : min(at + _CHUNK, end)])
    return digest.hexdigest()


__all__ = ["NotInspectable", "blob_key", "inspect_artifact", "inspect_context", "readable"]
