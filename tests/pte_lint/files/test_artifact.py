"""Where bytes come from."""

from __future__ import annotations

import mmap
from pathlib import Path
from types import SimpleNamespace

import pytest

import pte_lint
from pte_lint.files.artifact import HASH_LIMIT, SMALL_FILE, open_artifact
from pte_lint.files.fetched import ArtifactError

ADD = Path(__file__).parents[2] / "data" / "device" / "add_default.pte"


def test_a_small_file_is_read_and_a_large_one_mapped(tmp_path: Path) -> None:
    with open_artifact(ADD) as small:
        assert isinstance(small.buffer, bytes)
        assert small.size == ADD.stat().st_size
        assert small.sha256() is not None
    large = tmp_path / "large.pte"
    with large.open("wb") as file:
        file.write(ADD.read_bytes())
        file.truncate(HASH_LIMIT + 1)
    assert large.stat().st_size > SMALL_FILE
    with open_artifact(large) as mapped:
        assert isinstance(mapped.buffer, mmap.mmap)
        assert mapped.sha256() is None


@pytest.mark.parametrize(
    "source",
    [
        ADD,
        str(ADD),
        ADD.read_bytes(),
        bytearray(ADD.read_bytes()),
        memoryview(ADD.read_bytes()),
        SimpleNamespace(buffer=ADD.read_bytes()),
    ],
    ids=["path", "text", "bytes", "bytearray", "memoryview", "manager"],
)
def test_every_kind_of_source_gives_the_same_findings(source: pte_lint.api.Source) -> None:
    expected = pte_lint.check(ADD, isolated=True).artifacts[0]
    report = pte_lint.check(source, isolated=True).artifacts[0]
    assert (report.sha256, report.findings) == (expected.sha256, expected.findings)


def test_a_list_of_sources_gives_a_report_each() -> None:
    report = pte_lint.check([ADD, ADD.read_bytes()], isolated=True)
    assert [a.path for a in report.artifacts] == [str(ADD), "<bytes>"]


@pytest.mark.parametrize("name", ["missing.pte", ""])
def test_a_path_that_cannot_be_read(tmp_path: Path, name: str) -> None:
    with (
        pytest.raises(ArtifactError, match="cannot read"),
        open_artifact(tmp_path / name),
    ):
        pass


def test_other_objects_are_refused() -> None:
    with pytest.raises(TypeError, match="cannot check a int"):
        pte_lint.check(7)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="SimpleNamespace"):
        pte_lint.check(SimpleNamespace(buffer="text"))  # type: ignore[arg-type]


def test_unknown_arguments_are_errors() -> None:
    from pte_lint.claims.target import TargetError
    from pte_lint.rulebook.selection import SelectorError

    with pytest.raises(SelectorError):
        pte_lint.check(ADD, select=["PTE999"], isolated=True)
    with pytest.raises(TargetError, match=r"known are 1\.2, 1\.3, 1\.4, 1\.5"):
        pte_lint.check(ADD, target="executorch==9.9", isolated=True)
    with pytest.raises(TargetError):
        pte_lint.check(ADD, target="nonsense", isolated=True)
    with pytest.raises(ValueError, match="loud"):
        pte_lint.check(ADD, severity={"PTE301": "loud"}, isolated=True)
