"""What is said of data files that lie beside programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from pte_lint.claims.finding import Finding, Json
from pte_lint.claims.result import ArtifactReport
from pte_lint.cli.paths import Input, shown_argument
from pte_lint.config.data_for import AUTO, DataFor, DataGiven
from pte_lint.config.settings import RunSettings
from pte_lint.config.siblings import FarSiblings

DATA_NEEDED: Final = ("PTE417", "PTE511")
"""The rules that say which keys are not given; they read no other file than the program."""


class DataOf:
    """The data files that each input is loaded with; of one far away also what lies beside it."""

    def __init__(self, settings: RunSettings) -> None:
        """Asks nothing yet."""
        self._settings = settings
        self._beside = FarSiblings(settings.caps)

    def __call__(self, each: Input) -> tuple[Path | str, ...]:
        """Those of one input.

        Raises:
            ArtifactError: it is far away, and what lies beside it cannot be found out.
        """
        files = self._settings.data_of(each.name)
        if files or each.address is None or AUTO not in self._settings.data:
            return files
        return self._beside(each.address).files


def taken(
    given: Sequence[DataGiven], inputs: Sequence[Input], files: Sequence[Sequence[Path | str]]
) -> Iterator[str]:
    """Which data files were taken without being named, a sentence a program."""
    if AUTO not in given:
        return
    named = {each.file if isinstance(each, DataFor) else each for each in given}
    for each, own in zip(inputs, files, strict=True):
        unnamed = [shown_argument(str(file)) for file in own if file not in named]
        if unnamed:
            yield f"{each.name}: judged with {', '.join(unnamed)} (--data auto)"


def with_siblings(artifact: ArtifactReport) -> ArtifactReport:
    """Names the data files beside a program that have what it is said to need."""
    if all(finding.rule not in DATA_NEEDED for finding in artifact.findings):
        return artifact
    from pte_lint.config.siblings import siblings

    beside = siblings(artifact.path)
    files = beside.files or beside.rivals
    if not files:
        return artifact
    *before, last = [Path(file).name for file in files]
    if beside.files:
        names = f"{', '.join(before)} and {last}" if before else last
        advice = f"{names}, beside the program, {'have' if before else 'has'} these keys:"
        given = " ".join(f"--data {file}" for file in files)
        auto = "\n\nFor each program what lies beside it: --data auto."
    else:
        advice = f"{', '.join(before)} and {last}, beside it, have the same keys. Give one:"
        given, auto = f"--data {files[0]}", ""
    advice += f"\n\n    pte-lint check {artifact.path} {given}{auto}"
    told: dict[str, Json] = {"beside": [str(file) for file in files]}
    findings = tuple(
        replace(f, remediation=advice, evidence={**f.evidence, **told})
        if f.rule in DATA_NEEDED and _keys(f) <= beside.keys
        else f
        for f in artifact.findings
    )
    return replace(artifact, findings=findings)


def _keys(finding: Finding) -> set[str]:
    """The keys that a finding says are not there."""
    from pte_lint.data.named_data import Found

    evidence = finding.evidence
    if evidence.get("found") in (Found.MISSING, Found.NO_MAP):
        return {str(evidence["key"])}
    keys = evidence.get("keys")
    # An entry that is there and broken is another matter.
    return {str(key) for key in keys} if isinstance(keys, list) else {""}
