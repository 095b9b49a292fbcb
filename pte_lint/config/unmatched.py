"""Declared pipelines that no checked artifact takes part in: most likely a misspelt name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pte_lint.claims.result import ArtifactReport, Report
from pte_lint.rulebook.pipeline import Peers, Pipeline


def unmatched_pipelines(
    report: Report, pipelines: Sequence[Pipeline], peers: Peers, source: str
) -> Iterator[str]:
    """One line for each pipeline neither end of which was checked.

    Args:
        report: What was checked. If any artifact did not load, its methods are not known, and
            nothing is said.
        pipelines: The pipelines.
        peers: What matches globs to paths.
        source: The file that declares them.
    """
    if not report.artifacts or any(_methods(each) is None for each in report.artifacts):
        return
    for position, pipeline in enumerate(pipelines):
        if not any(_takes_part(pipeline, peers, each) for each in report.artifacts):
            yield f"{source}: pipeline[{position}] ({pipeline}) concerns nothing that was checked"


def _takes_part(pipeline: Pipeline, peers: Peers, artifact: ArtifactReport) -> bool:
    methods = _methods(artifact) or frozenset()
    ends = (
        (pipeline.from_artifact, pipeline.from_method),
        (pipeline.to_artifact, pipeline.to_method),
    )
    return any(
        method in methods and (glob is None or peers.is_match(glob, artifact.path))
        for glob, method in ends
    )


def _methods(artifact: ArtifactReport) -> frozenset[str] | None:
    """The names of an artifact's methods; None where they are not known."""
    names = [verdict.method for verdict in artifact.verdict]
    return None if None in names else frozenset(name for name in names if name is not None)
