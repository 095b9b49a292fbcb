"""A method's signature and what its instructions are made of."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import overload

from pte_lint.inspection.tensors import Residence, TensorType
from pte_lint.questions.largest_tensors import Tenant
from pte_lint.schema.frozen import dataclass

Literal = int | float | bool | str | None
"""A scalar that is fixed in the file."""


@dataclass(frozen=True, slots=True)
class Port:
    """One method input or output.

    `kind` is the value's kind (`Tensor`, `Int`, ...; `missing` when the index is outside the value
    table). `literal` is the number or string that is fixed in the file: the only one that a runner
    may give as an input, or what an output always is. `same_as` names the input that an output
    hands back.
    """

    position: int
    value: int
    kind: str
    type: TensorType | None = None
    residence: Residence | None = None
    literal: Literal = None
    is_fixed: bool = False
    """True when `literal` holds the value (None is a value too)."""
    same_as: int | None = None


class Ports(Sequence[Port]):
    """A method's inputs or outputs, in order.

    A file may list one value a hundred thousand times at four bytes each: what is said of a value
    is kept once, and a port is made when it is asked for.
    """

    __slots__ = ("_described", "_table")

    def __init__(self, table: Sequence[int], describe: Callable[[int, int], Port]) -> None:
        """Describes the value at each index, by its first position."""
        self._table = array("q", table)
        self._described: dict[int, Port] = {}
        for position, value in enumerate(self._table):
            if value not in self._described:
                self._described[value] = describe(position, value)

    def __len__(self) -> int:
        """How many there are."""
        return len(self._table)

    @overload
    def __getitem__(self, at: int) -> Port: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Port, ...]: ...
    def __getitem__(self, at: int | slice) -> Port | tuple[Port, ...]:
        """The port at a position, or those at some."""
        if isinstance(at, slice):
            return tuple(self[position] for position in range(*at.indices(len(self))))
        position = range(len(self))[at]
        port = self._described[self._table[position]]
        return port if port.position == position else replace(port, position=position)

    def __eq__(self, other: object) -> bool:
        """Whether all of them are equal."""
        if not isinstance(other, Ports):
            return NotImplemented
        return self._table == other._table and self._described == other._described

    def __hash__(self) -> int:
        """By the values that are listed."""
        return hash(self._table.tobytes())


@dataclass(frozen=True, slots=True)
class ArenaFacts:
    """One planned buffer."""

    memory_id: int
    device: str
    size: int
    largest: tuple[Tenant, ...] = ()
    """The largest tensors in it, of arenas that are worth a look."""


@dataclass(frozen=True, slots=True)
class OperatorUse:
    """An operator and how many instructions call it. `is_compute` is False for prim operators
    (size arithmetic, views) and boundary copies."""

    operator: str
    calls: int
    is_compute: bool


@dataclass(frozen=True, slots=True)
class CopyUse:
    """Boundary copies of one direction: how many, and the bytes that one run of each moves.

    `direction` is `h2d` or `d2h`. Each reachable copy counts once, also in a loop.
    """

    direction: str
    copies: int
    nbytes: int


@dataclass(frozen=True, slots=True)
class SpecFacts:
    """A compile spec: `value` is the text when it is printable, else the first bytes in hex."""

    key: str
    value: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class InnerOperator:
    """An operator inside of a delegate, by the backend's own name, and how often it is there."""

    operator: str
    count: int


@dataclass(frozen=True, slots=True)
class DelegateArgument:
    """A tensor that a blob takes or gives, as far as its format tells: `float32[2, 3]`."""

    position: int | None
    type: str
    layout: str | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class DelegatePart:
    """A part of a blob that is a container: an engine, a section, a file in it."""

    name: str
    nbytes: int


@dataclass(frozen=True, slots=True)
class DelegateNeed:
    """What a blob was made for: `what` (`accelerator`, ...) and which."""

    what: str
    value: str


@dataclass(frozen=True, slots=True)
class LibraryNeed:
    """A shared library that a delegate names, as far as it is in the program.

    `gpus` are the architectures that it has code for (`sm_90`; `compute_90` for PTX), `versions`
    the newest symbol version of each library that it asks for, `needed` the libraries it is loaded
    with, `missing` the functions of a model that it does not export.
    """

    key: str
    format: str
    machine: str
    gpus: tuple[str, ...] = ()
    kernels: int = 0
    needed: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DelegateFacts:
    """One lowered subgraph.

    `where` is `segment`, `inline`, or `missing` when what the file names is not there. `inputs` and
    `outputs` are the arguments of its first call, told apart as `pte_lint.ir.calling` does;
    None when nothing calls it. `operators` and `wants` (the keys of named data that it loads) are
    empty where the blob's format does not tell.
    """

    index: int
    backend: str
    calls: int
    where: str
    blob_size: int
    blob_start: int | None
    device: str | None
    """The device that it runs on, if it is told: by `target_device`, or by the backend's id."""
    inputs: int | None = None
    outputs: int | None = None
    specs: tuple[SpecFacts, ...] = ()
    blob_format: str | None = None
    """What the blob is, where that can be told safely."""
    operators: tuple[InnerOperator, ...] = ()
    wants: tuple[str, ...] = ()
    takes: tuple[DelegateArgument, ...] = ()
    gives: tuple[DelegateArgument, ...] = ()
    requires: tuple[DelegateNeed, ...] = ()
    scratch: int | None = None
    """Bytes of working memory that it asks for, where its format tells."""
    constants: int = 0
    """Constants that its format lists, and their bytes as far as told."""
    constant_bytes: int = 0
    libraries: tuple[LibraryNeed, ...] = ()
    parts: tuple[DelegatePart, ...] = ()
    """What a blob that is a container holds."""


@dataclass(frozen=True, slots=True)
class StateFacts:
    """Memory that keeps its content between runs: a mutable tensor with a name or initial data, or
    one that is read before it is written. Without initial data it starts with what the runner's
    memory holds, zeros with Module."""

    value: int
    name: str | None
    type: TensorType
    residence: Residence
    has_initial_data: bool
    written_by: tuple[str, ...] = ()
    """The operators and backends that write it, each once, in order."""
    shared_with: tuple[str, ...] = ()
    """Other methods that have a buffer at its place of the arena that methods share."""


@dataclass(frozen=True, slots=True)
class PeakTensor:
    """A tensor with its views that is needed where an arena is fullest. `written_by` is the
    operator that first writes it, None where the caller or the loader does."""

    value: int
    label: str
    type: TensorType | None
    nbytes: int
    written_by: str | None


@dataclass(frozen=True, slots=True)
class ArenaPeak:
    """The most bytes of an arena that are needed at once, and where that first is so.

    `instruction` and `operator` are None before the first instruction and after the last one. The
    largest tensors come first; `more` counts those that are not told.
    """

    memory_id: int
    nbytes: int
    instruction: int | None
    operator: str | None
    tensors: tuple[PeakTensor, ...]
    more: int = 0


@dataclass(frozen=True, slots=True)
class TemporaryUse:
    """Bytes that one call asks the temporary allocator for, free again after it."""

    instruction: int
    operator: str
    nbytes: int


@dataclass(frozen=True, slots=True)
class MemoryFacts:
    """Memory besides the file, in bytes, as runtime 1.5.1 asks for it on 64-bit machines."""

    arenas: tuple[ArenaPeak, ...] = ()
    method_allocator: int = 0
    """What the method allocator needs to load the method, where kernels are looked up in it too: no
    temporary allocator of a size of its own is given, as with Module."""
    beside_temporary: int = 0
    """The same where the temporary allocator has `temporary_to_load` bytes."""
    temporary_to_load: int = 0
    temporary: tuple[TemporaryUse, ...] = ()
    unknown: tuple[str, ...] = ()
    """What asks for more that cannot be told: backends, and kernels by their threads."""


@dataclass(frozen=True, slots=True)
class Share:
    """How much of a method is delegated. Most blobs do not tell what is inside, so this counts
    calls: a delegate call is one, however many operators it replaced."""

    delegate_calls: int
    compute_calls: int
    """Kernel calls that compute: neither boundary copies nor prim operators."""
    delegated: float | None
    """Delegate calls by all calls that compute, 0 to 1; None when nothing computes."""


@dataclass(frozen=True, slots=True)
class MethodFacts:
    """One method."""

    name: str
    inputs: Sequence[Port]
    outputs: Sequence[Port]
    arenas: tuple[ArenaFacts, ...]
    values: int
    instructions: int
    by_kind: Mapping[str, int]
    """Instructions by kind (`kernel call`, ...), most first."""
    operators: tuple[OperatorUse, ...]
    """Most called first, then by name."""
    delegates: tuple[DelegateFacts, ...]
    copies: tuple[CopyUse, ...]
    state: tuple[StateFacts, ...]
    share: Share
    planned_bytes: Mapping[str, int]
    """By device; arenas of negative size left out."""
    memory: MemoryFacts = MemoryFacts()
