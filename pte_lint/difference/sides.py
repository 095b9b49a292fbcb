"""What is compared: the two sides of a comparison and of a method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pte_lint.claims.result import ArtifactReport
from pte_lint.inspection.code import MethodFacts
from pte_lint.inspection.model import Inspection
from pte_lint.schema.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two artifacts: what is in it and what was found."""

    inspection: Inspection
    report: ArtifactReport


@dataclass(frozen=True, slots=True)
class MethodSide:
    """A method of one of the two artifacts."""

    facts: MethodFacts
    position: int
    content: Mapping[str, str]
    """Content hashes of the artifact."""
    code: Sequence[str]
    """The canonical instructions."""
