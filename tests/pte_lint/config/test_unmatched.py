"""Pipelines that concern nothing that was checked are told; others are not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pte_lint.claims.forecast import Outcome, Stage
from pte_lint.claims.result import ArtifactReport, Report, Verdict
from pte_lint.claims.target import Target
from pte_lint.config.unmatched import unmatched_pipelines
from pte_lint.rulebook.pipeline import Peers, Pipeline


def report(root: Path, *methods: str | None) -> Report:
    verdict = tuple(Verdict(name, Stage.EXECUTE, Outcome.OK) for name in methods)
    artifact = ArtifactReport(str(root / "model.pte"), "program", 0, None, verdict, ())
    return Report(Target(), (artifact,), "1.0.0")


@pytest.mark.parametrize(
    ("source", "to", "is_told"),
    [
        ((None, "encode"), (None, "decode"), False),
        ((None, "encode"), ("other.pte", "decode"), False),
        (("other.pte", "encode"), ("model.pte", "decode"), False),
        (("other.pte", "encode"), ("*.pte", "decode"), False),
        ((None, "encoder"), (None, "decoder"), True),
        (("exported/model.pte", "encode"), ("exported/model.pte", "decode"), True),
    ],
)
def test_an_end_must_be_there(
    tmp_path: Path, source: tuple[str | None, str], to: tuple[str | None, str], is_told: bool
) -> None:
    pipeline = Pipeline(source[0], source[1], 0, to[0], to[1], 0)
    checked = report(tmp_path, "encode", "decode")
    notes = list(unmatched_pipelines(checked, [pipeline], Peers(tmp_path), "pte-lint.toml"))
    told = [f"pte-lint.toml: pipeline[0] ({pipeline}) concerns nothing that was checked"]
    assert notes == (told if is_told else [])


def test_nothing_is_said_of_files_that_do_not_load(tmp_path: Path) -> None:
    pipeline = Pipeline(None, "encoder", 0, None, "decoder", 0)
    checked = report(tmp_path, None)
    assert list(unmatched_pipelines(checked, [pipeline], Peers(tmp_path), "pte-lint.toml")) == []
    other = report(tmp_path, "encode", "decode")
    for several in ((checked, other), (other, checked)):
        both = replace(checked, artifacts=tuple(each.artifacts[0] for each in several))
        assert list(unmatched_pipelines(both, [pipeline], Peers(tmp_path), "pte-lint.toml")) == []


def test_one_of_several_files_that_takes_part_is_enough(tmp_path: Path) -> None:
    pipeline = Pipeline(None, "encode", 0, None, "decode", 0)
    parts = report(tmp_path, "encode"), report(tmp_path, "other")
    for several in (parts, parts[::-1]):
        both = replace(parts[0], artifacts=tuple(each.artifacts[0] for each in several))
        assert list(unmatched_pipelines(both, [pipeline], Peers(tmp_path), "pte-lint.toml")) == []
