"""What is checked: files, folders, globs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pte_lint.cli.errors import Trouble
from pte_lint.cli.paths import Gathered, gather, single


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("b.pte", "a.PTE", "x.ptd", "y.bpte", "z.txt", "d/c.pte", "d/e/f.pte", "d/n.bin"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def names(*arguments: str) -> list[str]:
    return [each.name for each in gather(arguments).inputs]


def test_a_file_is_taken_whatever_its_name(tree: Path) -> None:
    assert names("z.txt") == ["z.txt"]


def test_a_folder_is_searched_in_name_order(tree: Path) -> None:
    assert names(".") == [
        "./a.PTE",
        "./b.pte",
        "./x.ptd",
        "./y.bpte",
        "./d/c.pte",
        "./d/e/f.pte",
    ]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("*.pte", ["b.pte"]),
        ("d/*", ["d/c.pte", "d/e/f.pte"]),
        ("**/*.pte", ["b.pte", "d/c.pte", "d/e/f.pte"]),
        ("d/*.bin", ["d/n.bin"]),
        ("?.p*", ["b.pte", "x.ptd"]),
        ("nothing*", []),
    ],
)
def test_a_glob(tree: Path, pattern: str, expected: list[str]) -> None:
    assert names(pattern) == expected


def test_a_file_with_magic_characters_in_its_name_is_that_file(tree: Path) -> None:
    (tree / "m[1].pte").write_bytes(b"")
    assert names("m[1].pte") == ["m[1].pte"]


def test_a_file_reached_twice_is_checked_once(tree: Path) -> None:
    assert names("b.pte", "./b.pte", "d/../b.pte", str(tree / "b.pte"), "*.pte") == ["b.pte"]


def test_arguments_keep_their_order(tree: Path) -> None:
    assert names("x.ptd", "b.pte") == ["x.ptd", "b.pte"]


def test_arguments_that_give_nothing_are_remarked(tree: Path) -> None:
    (tree / "none").mkdir()
    assert gather(["none", "*.xyz"]) == Gathered(
        (), ("nothing to check in none", "nothing to check in *.xyz")
    )


def test_what_is_no_file_is_refused_not_waited_for(tree: Path) -> None:
    os.mkfifo(tree / "pipe.pte")
    (line,) = gather(["pipe.pte"]).unread
    assert "not a regular file" in line


def test_a_null_byte_is_an_error_like_any_other(tree: Path) -> None:
    (line,) = gather(["a\0b.pte"]).unread
    assert line.startswith("cannot read a\0b.pte")


def test_what_cannot_be_read_keeps_nothing_else_from_being_read(tree: Path) -> None:
    """The good one stands after a bad one, and between two."""
    found = gather(["gone.pte", "b.pte", "b.pte/x"])
    assert [each.name for each in found.inputs] == ["b.pte"]
    assert found.unread == (
        "cannot read gone.pte: No such file or directory",
        "cannot read b.pte/x: Not a directory",
    )
    with pytest.raises(Trouble) as told:
        found.all_read()
    assert told.value.lines == found.unread


def test_one_file_is_no_folder(tree: Path) -> None:
    (tree / "none").mkdir()
    for folder, way_out in (("d", "give a file of it, such as d"), ("none", "give a file")):
        with pytest.raises(
            Trouble, match=f"{folder} is a folder, and this is about one file: {way_out}"
        ):
            single(folder)
