"""What is known of a delegate's blob without its backend."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pte_lint.schema.frozen import dataclass
from pte_lint.schema.program import Span

if TYPE_CHECKING:
    from pte_lint.schema.xnnpack_graph import Graph


@dataclass(frozen=True, slots=True)
class BlobProblem:
    """Something that the backend trips over when it is given the blob.

    Attributes:
        at: Byte offset in the file.
        message: What is wrong, in one sentence without a full stop.
        error: The runtime error that the backend's init returns for it (load_method), where that
            is certain once init gets this far; None where what follows is not known, and where
            `crashes`.
        since: First release whose backend checks it; "" for all known ones. Before, the damage is
            read through.
        step: When init meets it, comparable with `WantedData.step`.
        crashes: Whether init follows a null pointer there.
        misreads: Whether init goes on and takes what lies behind for content: whatever follows is
            undefined.
    """

    at: int
    message: str
    error: str | None = None
    since: str = ""
    step: int = 0
    crashes: bool = False
    misreads: bool = False

    @property
    def is_refused(self) -> bool:
        """Whether init does not get past it."""
        return self.error is not None or self.crashes


@dataclass(frozen=True, slots=True)
class BlobArgument:
    """One tensor that the blob's graph takes or gives.

    Attributes:
        index: Position among the arguments of the delegate call; None when the format names none.
        dtype: Element type such as `float32`; None when the format has no word for it.
        sizes: Sizes the graph was made for; None when not stored.
        layout: How elements lie in memory, by the backend's own word; None when not stored.
        nbytes: Bytes of an element, where the format stores these in place of a type.
        name: As the format names it; "" when it has no name.
    """

    index: int | None
    dtype: str | None = None
    sizes: tuple[int, ...] | None = None
    layout: str | None = None
    nbytes: int | None = None
    name: str = ""


@dataclass(frozen=True, slots=True)
class BlobPart:
    """A part of a blob that is a container: an engine, a section, a file in it, and its bytes."""

    name: str
    nbytes: int


@dataclass(frozen=True, slots=True)
class GpuTensor:
    """A tensor that the blob's graph keeps on a GPU.

    Attributes:
        index: Among the graph's values.
        dtype: Element type.
        sizes: Sizes; the largest where they can change.
        storage: `buffer`, `texture 2D` or `texture 3D`.
        layout: How elements are packed, by the backend's own word.
        extents: Texels along x, y and z; None for buffers and where that is not known.
    """

    index: int
    dtype: str
    sizes: tuple[int, ...]
    storage: str
    layout: str
    extents: tuple[int, int, int] | None = None


@dataclass(frozen=True, slots=True)
class BlobConstant:
    """A constant of the blob's graph.

    Attributes:
        name: As the format names it; "" when it has no name.
        dtype: Element type; None when the format has no word for it.
        sizes: None when not stored.
        nbytes: Bytes of its storage; None when not stored.
        key: Where it is in the named data map; "" when it is inside.
    """

    name: str
    dtype: str | None = None
    sizes: tuple[int, ...] | None = None
    nbytes: int | None = None
    key: str = ""


@dataclass(frozen=True, slots=True)
class Requirement:
    """What a blob was made for: `what` (`accelerator`, `SoC`, `TOSA version`, ...) and which."""

    what: str
    value: str


@dataclass(frozen=True, slots=True)
class WantedData:
    """A key that the backend asks the named data map for.

    Attributes:
        key: The key.
        role: What it is, such as `weights` or `shared library`.
        size: Bytes that the backend reads without asking how many there are; None when it asks.
        required: Whether init fails without it.
        step: When init asks for it, comparable with `BlobProblem.step`.
        quantized: Whether it belongs to a quantised value: its operator is refused without data.
        early: Whether init reads the bytes itself, and not only a call.
        scales: How many numbers, from its first byte on, init looks at in the step after this one,
            and returns Internal where one of them is not positive, normal and finite; 0 for none.
        scale_bits: 32 for floats, 16 for bfloat16.
    """

    key: str
    role: str
    size: int | None = None
    required: bool = True
    step: int = 0
    quantized: bool = False
    early: bool = False
    scales: int = 0
    scale_bits: int = 0

    @property
    def asked(self) -> str:
        """What the backend asks with: a C string, which ends at its first zero byte."""
        return self.key.split("\0", 1)[0]


UNREAD = (
    "its blob refers to the same so often that reading it would take longer than its size allows"
)
"""Why reading a blob was given up."""


@dataclass(frozen=True, slots=True)
class BlobFacts:
    """What `describe_blob` found.

    Attributes:
        format: Name of the format, or "" when the blob was not recognised.
        span: The blob's bytes in the file.
        problems: In the order in which the backend meets them.
        inputs: Tensors taken, in argument order; None when the format does not tell.
        outputs: Tensors given, in argument order; None when the format does not tell.
        wants: Named data the backend asks for.
        operators: Operator name and count, by name; () when the format does not tell.
        constants: Constants that the format lists.
        requires: Devices, architectures and versions that it was made for.
        graph: The graph of an XNNPACK blob that the backend does not refuse.
        graph_constants: Where in the file the constants of that graph are; None where they are in
            the graph itself.
        scratch: Bytes that each call asks the temporary allocator for; None when the format does
            not tell.
        parts: What a container holds, in its order.
        gpu_tensors: Tensors of a graph for a GPU; constants are not among them.
        opaque: What the format keeps to itself, as the reason why it was not judged; "" when
            everything that the backend's init checks was looked at.
        unread: Why reading it was given up; "" when it was not.
        made_by: The backend whose magic it begins with, where its own id has no reader.
    """

    format: str
    span: Span
    problems: tuple[BlobProblem, ...] = ()
    inputs: tuple[BlobArgument, ...] | None = None
    outputs: tuple[BlobArgument, ...] | None = None
    wants: tuple[WantedData, ...] = ()
    operators: tuple[tuple[str, int], ...] = ()
    opaque: str = ""
    unread: str = ""
    made_by: str = ""
    graph: Graph | None = None
    graph_constants: Span | None = None
    constants: tuple[BlobConstant, ...] = ()
    requires: tuple[Requirement, ...] = ()
    scratch: int | None = None
    parts: tuple[BlobPart, ...] = ()
    gpu_tensors: tuple[GpuTensor, ...] = ()

    @property
    def n_inputs(self) -> int | None:
        """How many tensors the graph takes."""
        return None if self.inputs is None else len(self.inputs)

    @property
    def n_outputs(self) -> int | None:
        """How many tensors the graph gives."""
        return None if self.outputs is None else len(self.outputs)

    @property
    def named_keys(self) -> tuple[str, ...]:
        """The keys of `wants`, each once, in order."""
        return tuple(dict.fromkeys(want.key for want in self.wants))
