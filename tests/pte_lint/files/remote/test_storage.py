"""Other file systems: read by exact ranges, and never trusted either."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

import pte_lint
from pte_lint.files.fetched import ArtifactError
from pte_lint.files.remote.caps import Caps
from tests.support.loopback import need_fsspec
from tests.support.virtual import VirtualFile, long_program, virtual_program

need_fsspec()

import fsspec  # noqa: E402
from fsspec.spec import AbstractBufferedFile, AbstractFileSystem  # noqa: E402

FILE = virtual_program(long_program(400))


class _Open(AbstractBufferedFile):  # type: ignore[misc]
    def _fetch_range(self, start: int, end: int) -> bytes:
        return self.fs.fetch(start, end)  # type: ignore[no-any-return]


class Counting(AbstractFileSystem):  # type: ignore[misc]
    """A file system of one file, as hf:// is made: with a file object that would read ahead."""

    protocol = "counting"
    cachable = False
    file: VirtualFile = FILE
    fetched: list[tuple[int, int]]
    fault = ""

    def info(self, path: str, **_: Any) -> dict[str, Any]:
        type(self).looks += 1
        if self.fault == "missing":
            raise FileNotFoundError(path)
        if self.fault == "denied":
            raise PermissionError(path)
        if self.fault == "broken":
            raise RuntimeError(f"no luck with {path}?token=secret")
        kind = "directory" if self.fault == "folder" else "file"
        size = None if self.fault == "sizeless" else self.file.size
        etag = self.looks if self.fault == "changes" else 1
        return {"name": path, "size": size, "type": kind, "ETag": etag}

    def _open(self, path: str, mode: str = "rb", **options: Any) -> Any:
        options.pop("autocommit", None)
        return _Open(self, path, mode, size=self.file.size, **options)

    def fetch(self, start: int, stop: int) -> bytes:
        if self.fault == "slow":
            time.sleep(5)
        self.fetched.append((start, stop))
        content = self.file.read(start, stop)
        return content[:-1] if self.fault == "short" else content

    looks = 0


@pytest.fixture
def store() -> Iterator[type[Counting]]:
    fsspec.register_implementation("counting", Counting, clobber=True)
    Counting.fetched, Counting.fault, Counting.looks = [], "", 0
    yield Counting
    Counting.fault = ""


ADDRESS = "counting://user:secret@bucket/model.pte"
SHOWN = "counting://bucket/model.pte"


def test_only_the_program_is_fetched(store: type[Counting]) -> None:
    report = pte_lint.check(ADDRESS, isolated=True).artifacts[0]
    assert report.path == SHOWN
    total = sum(stop - start for start, stop in store.fetched)
    assert total <= FILE.program_size + (64 << 10)
    assert report.fetched is not None
    assert report.fetched.bytes == total
    assert report.fetched.requests == store.looks + len(store.fetched) == 4


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        ("missing", "there is no such file"),
        ("denied", "access is denied"),
        ("broken", "the request failed (RuntimeError)"),
        ("folder", "it is a folder: name its files, or end it with / to search it"),
        ("sizeless", "its size is not known"),
        ("changes", "changed while it was being read (its ETag"),
        ("short", "asked for 16384 bytes, 16383 came"),
        ("slow", "no answer within"),
    ],
)
def test_faults(store: type[Counting], fault: str, expected: str) -> None:
    store.fault = fault
    with pytest.raises(ArtifactError) as caught:
        pte_lint.check(ADDRESS, isolated=True, caps=Caps(timeout=0.2 if fault == "slow" else 30))
    said = caught.value.strerror or ""
    assert said.startswith(f"cannot read {SHOWN}: ")
    assert expected in said
    assert "secret" not in str(caught.value)


def test_a_file_system_with_ranges_of_its_own() -> None:
    """memory:// opens files whole; only the number of bytes taken matters here."""
    memory = fsspec.filesystem("memory")
    memory.pipe_file("/folder/model.pte", FILE.head)
    try:
        report = pte_lint.check("memory://folder/model.pte", isolated=True).artifacts[0]
        here = pte_lint.check(FILE.head, isolated=True).artifacts[0]
        assert report.findings == here.findings
        with pytest.raises(ArtifactError, match="folder"):
            pte_lint.check("memory://folder", isolated=True)
    finally:
        memory.rm("/folder", recursive=True)


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("nosuchthing://a/b.pte", "fsspec knows no file system nosuchthing://"),
        ("zip://a.pte::https://host/b.zip", "chained addresses are not read"),
    ],
)
def test_addresses_that_are_not_read(address: str, expected: str) -> None:
    with pytest.raises(ArtifactError, match=expected):
        pte_lint.check(address, isolated=True)


@pytest.mark.parametrize(
    ("address", "missing", "expected"),
    [
        ("https://host/m.pte", "fsspec.core", 'pip install "pte-lint[remote]"'),
        ("s3://bucket/m.pte", "fsspec.core", 'pip install "pte-lint[remote-s3]"'),
        ("https://host/m.pte", "file system", 'pip install "pte-lint[remote]"'),
        ("s3://bucket/m.pte", "file system", 'pip install "pte-lint[remote-s3]"'),
        ("hf://o/m/m.pte", "file system", 'pip install "pte-lint[remote-hf]"'),
        ("gs://bucket/m.pte", "file system", "gcsfs"),
    ],
)
def test_a_missing_package_is_named(
    monkeypatch: pytest.MonkeyPatch, address: str, missing: str, expected: str
) -> None:
    from pte_lint.files.remote import file_systems

    def fail(*_: object) -> None:
        raise ImportError("not installed")

    if missing == "file system":
        monkeypatch.setattr("fsspec.core.url_to_fs", fail)
    else:
        monkeypatch.setattr(file_systems, "load", fail)
    with pytest.raises(ArtifactError) as caught:
        pte_lint.check(address, isolated=True)
    assert expected in (caught.value.strerror or "")
