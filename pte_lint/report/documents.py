"""The JSON documents of `inspect` and `diff`, as dataclasses: their JSON Schemas follow from these.

Keys may be added, never renamed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Literal

from pte_lint._version import __version__
from pte_lint.difference import changes, whole
from pte_lint.difference.changes import Change
from pte_lint.files.fetched import Fetched
from pte_lint.inspection.code import MethodFacts
from pte_lint.inspection.model import (
    ConstantFacts,
    Format,
    Inspection,
    KeyUse,
    NamedBytes,
    Needs,
    SuiteFacts,
)
from pte_lint.inspection.regions import Region
from pte_lint.schema.frozen import dataclass, field


@dataclass(frozen=True, slots=True)
class Tool:
    """What made the document."""

    name: str = "pte-lint"
    version: str = __version__


@dataclass(frozen=True, slots=True)
class InspectedArtifact:
    """The artifact as a whole. `schema_version` is the format's own version field."""

    path: str
    kind: Format
    size: int
    sha256: str | None
    schema_version: int
    damage: tuple[str, ...]
    fetched: Fetched | None = None


@dataclass(frozen=True, slots=True)
class InspectedMethod(MethodFacts):
    """A method, and its instructions as text where they were asked for."""

    listing: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class InspectedBytes:
    """Where the bytes of the file go."""

    by_kind: Mapping[str, int]
    regions: tuple[Region, ...]


@dataclass(frozen=True, slots=True)
class InspectionDocument:
    """`pte-lint inspect --json`.

    `unlisted` counts the items that would make the document many times as long as the file, by the
    path of their list (`methods[0].inputs`).
    """

    artifact: InspectedArtifact
    methods: tuple[InspectedMethod, ...]
    needs: Needs
    constants: tuple[ConstantFacts, ...]
    named_data: tuple[NamedBytes, ...]
    keys: tuple[KeyUse, ...]
    test_suites: tuple[SuiteFacts, ...]
    bytes: InspectedBytes
    schema_version: Literal[1] = 1
    tool: Tool = Tool()
    unlisted: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ComparedArtifact:
    """One of the two artifacts of a comparison."""

    path: str
    kind: Format
    size: int
    sha256: str | None
    fetched: Fetched | None = None


AnyChange = (
    whole.VerdictChanged
    | whole.NewFinding
    | whole.FixedFinding
    | whole.RuntimesChanged
    | whole.RequirementChanged
    | whole.FileSizeChanged
    | whole.BytesChanged
    | whole.ConstantsChanged
    | whole.NamedDataChanged
    | changes.MethodAdded
    | changes.MethodRemoved
    | changes.SignatureChanged
    | changes.PlacementChanged
    | changes.OperatorsChanged
    | changes.DelegationChanged
    | changes.InnerOperatorsChanged
    | changes.InstructionsChanged
    | changes.BoundaryCopiesChanged
    | changes.PlannedBytesChanged
    | changes.BlobChanged
    | changes.CompileSpecChanged
    | changes.DelegateNeedChanged
    | changes.StateChanged
)
"""Every kind of change."""


@dataclass(frozen=True, slots=True)
class ComparedChange:
    """One change. `kind` is the word that `--fail-on` takes, `fails` the condition it meets."""

    kind: str
    subject: str
    method: str | None
    fails: str | None
    change: AnyChange


@dataclass(frozen=True, slots=True)
class ComparisonSummary:
    """Counts."""

    changes: int
    failing: int


@dataclass(frozen=True, slots=True)
class DifferenceDocument:
    """`pte-lint diff --format json`."""

    old: ComparedArtifact
    new: ComparedArtifact
    content_compared: bool
    changes: tuple[ComparedChange, ...]
    summary: ComparisonSummary
    schema_version: Literal[1] = 1
    tool: Tool = Tool()


def inspected_method(facts: MethodFacts, listing: tuple[str, ...] | None) -> InspectedMethod:
    """Adds the listing to the facts."""
    known = {f.name: getattr(facts, f.name) for f in fields(MethodFacts)}
    return InspectedMethod(**known, listing=listing)


def compared_artifact(inspection: Inspection) -> ComparedArtifact:
    """What a comparison says about one of its artifacts."""
    return ComparedArtifact(
        inspection.path,
        inspection.format,
        inspection.size,
        inspection.sha256,
        inspection.fetched,
    )


def compared_change(change: Change, fails: str | None) -> ComparedChange:
    """A change with what every kind has in common.

    Raises:
        TypeError: a kind that this module does not know.
    """
    if not isinstance(change, AnyChange):
        raise TypeError(f"{type(change).__name__} is missing from AnyChange")
    return ComparedChange(change.kind, change.subject(), change.method, fails, change)
