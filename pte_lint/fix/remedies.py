"""What takes findings away, to see what a run does without them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from typing import TypeAlias

from pte_lint.claims.finding import Finding
from pte_lint.data.context import Context
from pte_lint.edits.draft import Edit
from pte_lint.edits.fixer import Edits, Fixer
from pte_lint.edits.plan_draft import EditError
from pte_lint.fix.copies import Copies, Copy, Patch
from pte_lint.fix.fixers import load_fixers
from pte_lint.fix.idle import Ranges
from pte_lint.harness.runs import Runs
from pte_lint.schema.frozen import dataclass, field

_FIXES = "pte_lint.rules.fixes"

Patches: TypeAlias = Callable[[Finding, Context], Iterable[Patch]]
"""What is wrong in the bytes of the file, and what would be right."""
Restore: TypeAlias = Callable[[Finding, Context], bytes]
"""The file as it was before."""


@dataclass(frozen=True, slots=True)
class Remedies:
    """What takes findings away, by rule: repairs first, else what only serves to see."""

    fixers: Mapping[str, Fixer]
    undoing: Mapping[str, Edits]
    step_over: Edits
    idle: Mapping[str, Edits] = field(default_factory=dict)
    """What takes out that which findings say is of no use, and nothing else."""
    idle_bytes: Mapping[str, Ranges] = field(default_factory=dict)
    """The bytes of the file that findings say are of no use."""
    patches: Mapping[str, Patches] = field(default_factory=dict)
    """The bytes of the file that findings say are wrong."""
    restoring: Mapping[str, Restore] = field(default_factory=dict)
    """What takes back that which findings say was done to the file as a whole."""

    def of(self, finding: Finding) -> Iterator[tuple[Edits, bool]]:
        """Ways to undo a finding, and whether each is about its cause alone."""
        if (fixer := self.fixers.get(finding.rule)) is not None:
            yield fixer.edits, True
        if (edits := self.undoing.get(finding.rule)) is not None:
            yield edits, True
        if finding.location.instruction is not None:
            yield self.step_over, False

    def edits(self, finding: Finding, copy: Copy) -> Iterable[Edit]:
        """The edits that undo a finding's cause.

        Raises:
            EditError: Nothing undoes it.
        """
        why = EditError("nothing undoes it")
        for edits, is_cause in self.of(finding):
            if is_cause:
                try:
                    return list(edits(finding, copy.context))
                except EditError as exc:
                    why = exc
        raise why

    def runs_without(self, finding: Finding, copy: Copy, made: Copies) -> Runs:
        """The runs of a copy with a finding's cause undone.

        Raises:
            EditError: Nothing undoes it.
        """
        patches = self.patches.get(finding.rule)
        if patches is not None:
            return made.patched(copy, patches(finding, copy.context))
        return made.edited(copy, self.edits(finding, copy)).runs


def load_remedies(isolated: bool = False) -> Remedies:
    """Loads the built-in remedies, with the fixers that are installed.

    Args:
        isolated: only the built-in fixers, whatever else is installed.

    Raises:
        FixerLoadError: a package's fixers cannot be loaded.
    """
    undoing, idle, patches = (
        import_module(f"{_FIXES}.{name}") for name in ("undoing", "idle", "patches")
    )
    fixers = load_fixers(isolated)
    return Remedies(
        fixers,
        undoing.UNDOING,
        undoing.STEP_OVER,
        idle.edits(fixers),
        idle.IDLE_BYTES,
        patches.PATCHES,
        patches.RESTORING,
    )
