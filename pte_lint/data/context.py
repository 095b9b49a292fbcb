"""What rules are given: the artifact, its programs and methods, the target, the data files."""

from __future__ import annotations

from collections.abc import Iterator

from pte_lint.claims.ledger import Ledger
from pte_lint.claims.target import Target
from pte_lint.data.delegate_blobs import Blob
from pte_lint.files.artifact import Artifact
from pte_lint.questions.method import Method
from pte_lint.schema.container import Container
from pte_lint.schema.frozen import dataclass, field
from pte_lint.schema.loaded import LoadedBundle, LoadedFlatTensor, LoadedProgram
from pte_lint.schema.program import Program


@dataclass(frozen=True, slots=True)
class Context:
    """One artifact in front of the rules.

    `program` is None when the file holds no readable program; `methods` holds every plan that
    could be decoded, in order.
    """

    artifact: Artifact
    container: Container
    target: Target
    loaded: LoadedProgram | None = None
    flat_tensor: LoadedFlatTensor | None = None
    """Set when the artifact itself is a .ptd."""
    bundle: LoadedBundle | None = None
    """Set when the artifact is a .bpte; `loaded` is then the program inside."""
    methods: tuple[Method, ...] = ()
    left_out: tuple[tuple[str, int, Ledger], ...] = ()
    """Name, index and reasons of each method that no rule is asked about."""
    data: tuple[LoadedFlatTensor, ...] = ()
    """The .ptd files given beside the program, in order."""
    blobs: tuple[tuple[Blob, ...], ...] = ()
    """By method, its delegates with what can be read of their blobs; see `delegate_blobs`."""
    options: dict[str, object] = field(default_factory=dict)
    kept: dict[str, object] = field(default_factory=dict)
    """What questions worked out about the artifact and others may ask again, by question."""
    ledger: Ledger = field(default_factory=Ledger)
    """What was given up on that belongs to no method; see `method_ledgers`."""

    def method_ledgers(self) -> Iterator[tuple[Ledger, str, int]]:
        """What was given up on by method, with its name and index, in order of methods."""
        told = [(index, name, ledger) for name, index, ledger in self.left_out]
        told += [(method.index, method.name, method.ledger) for method in self.methods]
        for index, name, ledger in sorted(told, key=lambda each: each[0]):
            yield ledger, name, index

    def release(self) -> None:
        """Frees what was worked out about the methods, which are of no use afterwards.

        Methods and their analyses refer to each other: left to themselves they stay until the
        garbage collector comes by, and a large program takes hundreds of megabytes.
        """
        for method in self.methods:
            vars(method).clear()

    @property
    def program(self) -> Program | None:
        """The decoded program, if there is one."""
        return self.loaded.program if self.loaded is not None else None
