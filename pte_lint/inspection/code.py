"""A method's signature and what its instructions are made of."""

from __future__ import annotations

from collections.abc import Mapping

from pte_lint.inspection.tensors import Residence, TensorType
from pte_lint.questions.arena_use import Tenant
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


@dataclass(frozen=True, slots=True)
class StateFacts:
    """Memory that keeps its content between runs: a mutable tensor with a name or initial data."""

    value: int
    name: str | None
    type: TensorType
    residence: Residence
    has_initial_data: bool


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
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
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
