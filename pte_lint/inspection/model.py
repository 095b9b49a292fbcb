"""What an artifact contains: data only, no rendering.

Every name is as the file has it (see `pte_lint.inspection.labels`), every size is in bytes, and
every offset counts from the start of the file unless it says otherwise. All of it is read off the
program; no segment is read.
"""

from __future__ import annotations

from collections.abc import Mapping

from pte_lint.claims.need import Need
from pte_lint.files.fetched import Fetched
from pte_lint.inspection.code import MethodFacts
from pte_lint.inspection.regions import Region
from pte_lint.inspection.tensors import TensorType
from pte_lint.schema.frozen import dataclass, field
from pte_lint.schema.str_enum import StrEnum


class Format(StrEnum):
    """The three formats that can be looked into."""

    PROGRAM = "program"
    FLAT_TENSOR = "ptd"
    BUNDLED_PROGRAM = "bpte"


@dataclass(frozen=True, slots=True)
class BackendNeed:
    """A backend that must be registered: delegates that name it and calls to them."""

    backend: str
    delegates: int
    calls: int


@dataclass(frozen=True, slots=True)
class KernelNeed:
    """A kernel that must be registered, with the calls to it over all methods."""

    operator: str
    calls: int


@dataclass(frozen=True, slots=True)
class DeviceNeed:
    """A device whose memory the runner must manage.

    `planned_bytes` is the sum over methods (a runner may load one of them only), `callers` how
    many method inputs and outputs the caller binds to memory of this device.
    """

    device: str
    planned_bytes: int
    copies: int
    callers: int


@dataclass(frozen=True, slots=True)
class ExternalNeed:
    """Data that a .ptd must bring, by key. `by` is what asks for it: `tensor`, or `delegate` and
    its backend. `type` is None where any bytes will do."""

    key: str
    type: TensorType | None
    mutable: bool
    by: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """What stops a runtime version: the verdict that is not ok."""

    runtime: str
    method: str | None
    stage: str
    outcome: str
    error: str | None
    rule: str | None


@dataclass(frozen=True, slots=True)
class Needs:
    """What the runner must provide.

    `runtimes` are the known versions on which every method runs, oldest first; `minimum_runtime`
    is the first of them, None when there is none.
    """

    minimum_runtime: str | None = None
    runtimes: tuple[str, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    backends: tuple[BackendNeed, ...] = ()
    kernels: tuple[KernelNeed, ...] = ()
    devices: tuple[DeviceNeed, ...] = ()
    external: tuple[ExternalNeed, ...] = ()
    given: tuple[Need, ...] = ()
    """What no runner has by itself: backends and kernels that the target lacks, device memory,
    memory for unplanned outputs, data files."""


@dataclass(frozen=True, slots=True)
class NamedBytes:
    """A key of the program's named data or of a .ptd, with where its bytes are.

    `type` is set for the tensors of a .ptd. `size` is None where the segment does not exist.
    """

    key: str
    segment: int
    size: int | None
    type: TensorType | None = None
    start: int | None = None


@dataclass(frozen=True, slots=True)
class KeyPlace:
    """A place that has a key: `program`, or a data file. `sha256` only where it was asked for."""

    where: str
    size: int | None
    sha256: str | None = None


@dataclass(frozen=True, slots=True)
class KeyUse:
    """A key of named data: the methods that ask for it, what in them does (`tensor` or a backend),
    and the places that have it, of which the last one is used: data files win."""

    key: str
    methods: tuple[str, ...]
    by: tuple[str, ...]
    places: tuple[KeyPlace, ...]

    @property
    def differs(self) -> bool:
        """Whether two places have other bytes for it, as far as sizes and hashes tell."""
        return len({(p.size, p.sha256) for p in self.places}) > 1


@dataclass(frozen=True, slots=True)
class ConstantFacts:
    """One constant of the program: its index, type, bytes at that type, and who uses it."""

    index: int
    type: TensorType
    nbytes: int
    methods: tuple[str, ...]
    start: int | None = None
    """Where its bytes are; None where they are outside the file."""


@dataclass(frozen=True, slots=True)
class SuiteFacts:
    """The test cases of a bundled program for one method."""

    method: str
    cases: int
    cases_with_outputs: int


@dataclass(frozen=True, slots=True)
class Inspection:
    """Everything that `pte-lint inspect` shows."""

    path: str
    format: Format
    size: int
    sha256: str | None
    """Of the whole file; None for files too large to read just for that."""
    schema_version: int
    methods: tuple[MethodFacts, ...] = ()
    needs: Needs = Needs()
    constants: tuple[ConstantFacts, ...] = ()
    named: tuple[NamedBytes, ...] = ()
    keys: tuple[KeyUse, ...] = ()
    """Of a program: who asks for which key of named data, and where it is."""
    suites: tuple[SuiteFacts, ...] = ()
    regions: tuple[Region, ...] = ()
    """Where the bytes of the file go: without gaps, without overlaps, in file order."""
    damage: tuple[str, ...] = ()
    """What could not be decoded; empty for a sound file."""
    code: tuple[tuple[str, ...], ...] = ()
    """The instructions of each method in a form that does not depend on how values are numbered or
    planned; only where asked for. See `pte_lint.inspection.canonical`."""
    content: Mapping[str, str] = field(default_factory=dict)
    """SHA-256 by `blob <method>#<delegate>`, `constant <index>`, `key <key>`, or region; only where
    content was asked for."""
    fetched: Fetched | None = None
    """What was fetched of it; None for what was here."""

    def bytes_by_kind(self) -> dict[str, int]:
        """Bytes of the file by what they are for, largest first; sums to the file's size."""
        totals: dict[str, int] = {}
        for region in self.regions:
            totals[str(region.kind)] = totals.get(str(region.kind), 0) + region.size
        return dict(sorted(totals.items(), key=lambda item: (-item[1], item[0])))
