"""A file is written whole or not at all, and large ranges go from file to file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pte_lint.schema.program import Span

from pte_lint.fix import placing
from pte_lint.fix.placing import place

LARGE = (1 << 20) + 3


@pytest.mark.parametrize("in_kernel", [True, False])
def test_pieces_are_written_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_kernel: bool
) -> None:
    if not in_kernel:
        monkeypatch.delattr(os, "copy_file_range", raising=False)
    source = os.urandom(LARGE + 10)
    origin, target = tmp_path / "source", tmp_path / "target"
    origin.write_bytes(source)
    pieces = [b"head", Span(5, LARGE), b"", Span(0, 3), b"tail"]
    place(pieces, source, origin, target)
    assert target.read_bytes() == b"head" + source[5 : 5 + LARGE] + source[:3] + b"tail"
    assert sorted(tmp_path.iterdir()) == [origin, target]


def test_without_a_file_the_bytes_come_from_memory(tmp_path: Path) -> None:
    place([Span(1, 2), b"!"], b"abcd", None, tmp_path / "target")
    assert (tmp_path / "target").read_bytes() == b"bc!"


def test_a_copy_that_the_system_refuses_midway_is_made_by_hand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def half(source: int, target: int, count: int, at: int, to: int) -> int:
        if at > 5:
            raise OSError(18, "cross-device")
        os.pwrite(target, os.pread(source, 100, at), to)
        return 100

    monkeypatch.setattr(os, "copy_file_range", half, raising=False)
    source = os.urandom(LARGE + 10)
    (tmp_path / "source").write_bytes(source)
    place([b"x", Span(5, LARGE)], source, tmp_path / "source", tmp_path / "target")
    assert (tmp_path / "target").read_bytes() == b"x" + source[5 : 5 + LARGE]


def test_a_failure_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "target"
    target.write_bytes(b"old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(placing, "_write", full)
    with pytest.raises(OSError, match="No space left"):
        place([b"new"], b"", None, target)
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


def test_the_mode_of_a_replaced_file_stays(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_bytes(b"old")
    target.chmod(0o640)
    place([b"new"], b"", None, target)
    assert target.read_bytes() == b"new"
    assert target.stat().st_mode & 0o777 == 0o640
