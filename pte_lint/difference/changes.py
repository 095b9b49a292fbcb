"""The kinds of change between two artifacts: one frozen dataclass a kind, with old and new.

A change is worth a reviewer's look, not a fault. `kind` is the word that `--fail-on` takes.
`grows` says how a change compares with a threshold: old and new as numbers, where that makes
sense.
"""

from __future__ import annotations

from typing import ClassVar

from pte_lint.schema.frozen import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change. `method` is None for the artifact as a whole."""

    kind: ClassVar[str] = ""
    method: str | None = None

    def subject(self) -> str:
        """What changed, by logical names: `input 0`, `aten::add.out`."""
        raise NotImplementedError

    def amounts(self) -> tuple[int, int] | None:
        """Old and new as numbers, for thresholds; None where there are none."""
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodAdded(Change):
    """A method that only the new program has; `new` is its signature."""

    kind: ClassVar[str] = "method-added"
    new: str

    def subject(self) -> str:
        """The method."""
        return "method"


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodRemoved(Change):
    """A method that only the old program has: callers of it break."""

    kind: ClassVar[str] = "method-removed"
    old: str

    def subject(self) -> str:
        """The method."""
        return "method"


@dataclass(frozen=True, slots=True, kw_only=True)
class SignatureChanged(Change):
    """An input or output came, went, or changed its kind, element type, shape or fixed value."""

    kind: ClassVar[str] = "signature"
    port: str
    old: str | None
    new: str | None

    def subject(self) -> str:
        """The input or output."""
        return self.port


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacementChanged(Change):
    """An input or output is on another device, or its memory is another's duty (planned or
    caller-owned)."""

    kind: ClassVar[str] = "placement"
    port: str
    old: str
    new: str

    def subject(self) -> str:
        """The input or output."""
        return self.port


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorsChanged(Change):
    """An operator is called more or less often by the host.

    `direction` is `out of a delegate` or `into a delegate` where the method's delegates changed the
    other way, and empty where nothing speaks for either. The likely reading, not a proof: backends
    have names of their own for operators, and most blobs do not tell what is inside.
    """

    kind: ClassVar[str] = "operators"
    operator: str
    old: int
    new: int
    direction: str = ""

    def subject(self) -> str:
        """The operator."""
        return self.operator

    def amounts(self) -> tuple[int, int] | None:
        """Calls."""
        return self.old, self.new


@dataclass(frozen=True, slots=True, kw_only=True)
class DelegationChanged(Change):
    """Another number of calls to a backend, or another number of delegates for it."""

    kind: ClassVar[str] = "delegation"
    backend: str
    old_delegates: int
    new_delegates: int
    old: int
    new: int

    def subject(self) -> str:
        """The backend."""
        return self.backend

    def amounts(self) -> tuple[int, int] | None:
        """Calls."""
        return self.old, self.new


@dataclass(frozen=True, slots=True, kw_only=True)
class InnerOperatorsChanged(Change):
    """An operator is inside of a backend's delegates more or less often, where blobs tell."""

    kind: ClassVar[str] = "delegated-operators"
    backend: str
    operator: str
    old: int
    new: int

    def subject(self) -> str:
        """The backend and its operator."""
        return f"{self.backend} {self.operator}"

    def amounts(self) -> tuple[int, int] | None:
        """How often."""
        return self.old, self.new


@dataclass(frozen=True, slots=True, kw_only=True)
class InstructionsChanged(Change):
    """The instructions differ although no other change says so: order, or operands.

    `first` is the number of the first instruction that differs, `old` and `new` what stands there.
    """

    kind: ClassVar[str] = "instructions"
    first: int
    old: str
    new: str

    def subject(self) -> str:
        """The instruction."""
        return f"instruction {self.first}"


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundaryCopiesChanged(Change):
    """Copies between host and device: how many, and the bytes that one call of the method moves."""

    kind: ClassVar[str] = "boundary-copies"
    direction: str
    old_copies: int
    new_copies: int
    old: int
    new: int

    def subject(self) -> str:
        """The direction."""
        return self.direction

    def amounts(self) -> tuple[int, int] | None:
        """Bytes per call."""
        return self.old, self.new


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedBytesChanged(Change):
    """Planned bytes of one device, with its arenas by number."""

    kind: ClassVar[str] = "planned-bytes"
    device: str
    old: int
    new: int
    old_arenas: tuple[tuple[int, int], ...] = ()
    new_arenas: tuple[tuple[int, int], ...] = ()

    def subject(self) -> str:
        """The device."""
        return self.device

    def amounts(self) -> tuple[int, int] | None:
        """Bytes."""
        return self.old, self.new


@dataclass(frozen=True, slots=True, kw_only=True)
class BlobChanged(Change):
    """A delegate's blob has another size, or, where content was compared, other bytes."""

    kind: ClassVar[str] = "delegate-blob"
    delegate: str
    old: int
    new: int
    content_differs: bool = False

    def subject(self) -> str:
        """The delegate."""
        return self.delegate

    def amounts(self) -> tuple[int, int] | None:
        """Bytes."""
        return self.old, self.new


@dataclass(frozen=True, slots=True, kw_only=True)
class CompileSpecChanged(Change):
    """A compile spec came, went, or has another value."""

    kind: ClassVar[str] = "compile-spec"
    delegate: str
    key: str
    old: str | None
    new: str | None

    def subject(self) -> str:
        """The delegate and the key."""
        return f"{self.delegate} {self.key}"


@dataclass(frozen=True, slots=True, kw_only=True)
class DelegateNeedChanged(Change):
    """A delegate was made for another device or version, or asks for other memory or libraries.

    `what` is `working memory` (bytes), `code for GPUs` (architectures), `library` (machine and
    symbol versions), or the format's own word, such as `accelerator`.
    """

    kind: ClassVar[str] = "delegate-need"
    delegate: str
    what: str
    old: str | None
    new: str | None

    def subject(self) -> str:
        """The delegate and what it needs."""
        return f"{self.delegate} {self.what}"


@dataclass(frozen=True, slots=True, kw_only=True)
class StateChanged(Change):
    """Memory that keeps its content between runs: other tensors, or other places."""

    kind: ClassVar[str] = "state"
    name: str
    old: str | None
    new: str | None

    def subject(self) -> str:
        """The mutable tensor."""
        return self.name
