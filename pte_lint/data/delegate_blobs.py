"""The delegates of each method with what can be read of their blobs.

Described once, when an artifact is opened: the blobs also tell which arguments of a delegate call
are inputs. A crafted table can name the same bytes any number of times, so the bytes described are
bounded by a small multiple of the file.
"""

from __future__ import annotations

from collections.abc import Sequence

from pte_lint.claims.finding import Location
from pte_lint.ir.delegate_split import Arity
from pte_lint.questions.method import Method
from pte_lint.schema.container import Buffer, Container
from pte_lint.schema.delegates import BlobFacts, describe_blob
from pte_lint.schema.enums import DataLocation
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.loaded import LoadedProgram
from pte_lint.schema.program import BackendDelegate, Program, Span
from pte_lint.schema.xnnpack_graph import Graph

_FREE_BYTES = 1 << 20
_FACTOR = 4
_TOO_MANY = "more delegates name the same blobs than can be read in a time linear in the file"


@dataclass(frozen=True, slots=True)
class Blob:
    """One delegate whose blob is in the file: its index in the method's table, its facts."""

    index: int
    delegate: BackendDelegate
    span: Span
    facts: BlobFacts

    @property
    def backend(self) -> str:
        """The id as the runtime compares it."""
        return (self.delegate.id or "").split("\0", 1)[0]

    def location(self, method: Method, at: int | None = None) -> Location:
        """Where it is: the entry in the table, and a byte of the blob."""
        path = f"{method.path}.delegates[{self.index}]"
        return Location(path, byte_offset=self.span.start if at is None else at)


def describe_delegates(
    loaded: LoadedProgram, buffer: Buffer, most: int
) -> tuple[tuple[Blob, ...], ...]:
    """Describes the delegates of the first plans of a program.

    Args:
        loaded: the program.
        buffer: the whole file, which spans count from.
        most: How many plans.
    """
    program = loaded.program
    if program is None:
        return ()
    left = _FREE_BYTES + _FACTOR * len(buffer)
    found = []
    # By identity: entries that are one table in the file are one record.
    known: dict[int, tuple[Span, BlobFacts] | None] = {}
    for plan in (program.execution_plan or ())[:most]:
        described = []
        for index, delegate in enumerate(plan.delegates or ()):
            if id(delegate) not in known:
                known[id(delegate)] = None
                span = _blob_span(program, loaded.container, delegate)
                if span is not None and delegate.id is not None:
                    facts = BlobFacts("", span, unread=_TOO_MANY)
                    if span.size <= left:
                        left -= span.size
                        facts = _facts(delegate, span, buffer)
                    known[id(delegate)] = span, facts
            both = known[id(delegate)]
            if both is not None:
                described.append(Blob(index, delegate, *both))
        found.append(tuple(described))
    return tuple(found)


def arity(described: Sequence[Blob]) -> dict[int, Arity]:
    """Inputs and outputs by delegate index, where a blob says that inputs come first.

    Where it tells the number of outputs only, inputs are None.
    """
    known: dict[int, Arity] = {}
    for blob in described:
        inputs, outputs = blob.facts.inputs, blob.facts.outputs
        if blob.facts.problems or outputs is None:
            continue
        if inputs is None:
            known[blob.index] = None, len(outputs)
            continue
        order = [argument.index for argument in (*inputs, *outputs)]
        if order == list(range(len(order))):
            known[blob.index] = len(inputs), len(outputs)
    return known


def xnnpack_graphs(described: Sequence[Blob]) -> dict[int, Graph]:
    """The graphs of XNNPACK delegates, by delegate index."""
    return {b.index: b.facts.graph for b in described if b.facts.graph is not None}


def _facts(delegate: BackendDelegate, span: Span, buffer: Buffer) -> BlobFacts:
    specs = {
        spec.key: spec.value
        for spec in delegate.compile_specs or ()
        if spec.key is not None and spec.value is not None
    }
    return describe_blob((delegate.id or "").split("\0", 1)[0], buffer, span, specs)


def _blob_span(program: Program, container: Container, delegate: BackendDelegate) -> Span | None:
    """The bytes of a blob in the file; None where a loader finds none."""
    where = delegate.processed
    if where is None:
        return None
    if where.location == DataLocation.SEGMENT:
        segments = program.segments or ()
        if container.segment_base_offset == 0 or where.index >= len(segments):
            return None
        return container.segment_range(segments[where.index])
    table = program.backend_delegate_data or ()
    if where.location == DataLocation.INLINE and where.index < len(table):
        return table[where.index].data
    return None
