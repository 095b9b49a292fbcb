"""Folders and globs: what is found, in which order, and what it costs at most."""

from __future__ import annotations

import glob
import os
import random
import subprocess
from pathlib import Path

import pytest

from pte_lint.claims.ledger import Ledger
from pte_lint.files.walking import Names, TooManyNames, files_below, matching


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("b.pte", "a.pte", ".h.pte", "d/c.pte", "d/e/f.pte", "d/.g/h.pte", "x[1]/y.pte"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"")
    return tmp_path


PATTERNS = [
    "*", "*.pte", "**", "**/*.pte", "d/*", "d/**", "d/**/*.pte", "*/*.pte", "?.pte", "[ab].pte",
    "[!a].pte", ".*", "d/.g/*", "*/", "d/", "d", "nothing/*", "a.pte/*", "**/e/**", "**/**/f.pte",
    "./*.pte", "d//*", "d/../*.pte", "x[[]1]/*", "",
]  # fmt: skip


def standard(pattern: str) -> set[str]:
    """What the standard library finds, without what is not there: `a.pte/` of a file."""
    found = glob.glob(pattern, recursive=True)  # noqa: PTH207 - that is what is compared
    return {os.path.normpath(name) for name in found if os.path.lexists(name)}


@pytest.mark.parametrize("pattern", PATTERNS)
def test_globs_find_what_the_standard_library_finds(
    tree: Path, pattern: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tree)
    expected = standard(pattern)
    found = matching(pattern)
    assert {os.path.normpath(name) for name in found} == expected
    assert found == sorted(set(found))
    based = matching(pattern, base=str(tree))
    assert based == found
    absolute = matching(f"{tree}/{pattern}")
    assert {os.path.relpath(name, tree) for name in absolute} - {"."} == expected - {"."}


def test_random_globs_too(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree)
    draw = random.Random(5)
    hits = 0
    for _ in range(2_000):
        parts = [draw.choice(["*", "**", "d", "e", "?*", "*.pte", "[a-f]*", "f.pte"])
                 for _ in range(draw.randint(1, 4))]  # fmt: skip
        pattern = "/".join(parts)
        expected = standard(pattern)
        assert {os.path.normpath(name) for name in matching(pattern)} == expected, pattern
        hits += bool(expected)
    assert hits > 500


def test_links_that_lead_back_are_not_followed(tree: Path) -> None:
    """Two of them are 2**40 paths to the standard library."""
    for name in ("one", "two", "d/three"):
        (tree / name).symlink_to(tree)
    (tree / "to_file.pte").symlink_to("a.pte")
    found = matching(f"{tree}/**/*.pte")
    names = sorted(os.path.relpath(name, tree) for name in found)
    assert names == ["a.pte", "b.pte", "d/c.pte", "d/e/f.pte", "to_file.pte", "x[1]/y.pte"]
    assert [os.path.relpath(name, tree) for name in matching(f"{tree}/*/*.pte")] == [
        "d/c.pte",
        "x[1]/y.pte",
    ]
    assert matching(f"{tree}/one/a.pte") == [f"{tree}/one/a.pte"], "spelt out, it is followed"
    below = [os.path.relpath(name, tree) for name in files_below(str(tree))]
    assert below == [".h.pte", "a.pte", "b.pte", "to_file.pte", "d/c.pte", "d/.g/h.pte",
                     "d/e/f.pte", "x[1]/y.pte"]  # fmt: skip


def test_deep_folders(tmp_path: Path) -> None:
    """Deeper than Python calls functions."""
    here = os.open(tmp_path, os.O_RDONLY)
    for _ in range(1_500):
        os.mkdir("x", dir_fd=here)
        deeper = os.open("x", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = deeper
    os.close(os.open("f.pte", os.O_CREAT | os.O_WRONLY, dir_fd=here))
    os.close(here)
    try:
        (found,) = files_below(str(tmp_path))
        assert found.endswith("/x/f.pte")
        assert matching(f"{tmp_path}/**/*.pte") == [found]
    finally:
        # What cleans up after tests calls functions as deep as the folders are.
        subprocess.run(["rm", "-rf", tmp_path / "x"], check=True)


def test_names_are_counted(tmp_path: Path) -> None:
    for n in range(10):
        (tmp_path / f"{n}.pte").write_bytes(b"")
    assert len(matching("*.pte", Names(10), str(tmp_path))) == 10
    with pytest.raises(TooManyNames):
        matching("*.pte", Names(9), str(tmp_path))
    with pytest.raises(TooManyNames):
        list(files_below(str(tmp_path), Names(9)))
    # Looking at the same names again counts as well.
    assert len(matching("**/*.pte", Names(20), str(tmp_path))) == 10
    with pytest.raises(TooManyNames):
        matching("**/*.pte", Names(19), str(tmp_path))


def test_a_folder_that_cannot_be_listed(tree: Path) -> None:
    with pytest.raises(FileNotFoundError):
        list(files_below(str(tree / "nothing")))
    assert matching("a\0b/*", base=str(tree)) == []


def test_peers_of_a_configuration_lie_below_its_folder(tmp_path: Path) -> None:
    """What a glob of a pipeline opens, whatever links the checkout holds."""
    from pte_lint.rulebook.pipeline import Peers

    root = tmp_path / "root"
    (root / "deep").mkdir(parents=True)
    for path in (root / "in.pte", root / "deep/in.pte", tmp_path / "out.pte"):
        path.write_bytes(b"")
    (root / "out.pte").symlink_to("../out.pte")
    (root / "to_in.pte").symlink_to("in.pte")
    (root / "up").symlink_to("..")
    os.mkfifo(root / "pipe.pte")
    (root / "zero.pte").symlink_to("/dev/zero")

    def names(glob: str) -> list[str]:
        return [os.path.relpath(peer.path, root) for peer in Peers(root).matching(glob, Ledger())]

    assert names("*.pte") == ["in.pte", "to_in.pte"]
    assert names("**/*.pte") == ["deep/in.pte", "in.pte", "to_in.pte"]
    assert names("up/out.pte") == names("../out.pte") == names(str(tmp_path / "out.pte")) == []
    assert names("/**/*.pte") == []


def test_a_pipeline_that_looks_at_too_much_is_not_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pte_lint.rulebook import pipeline

    for n in range(4):
        (tmp_path / f"{n}.pte").write_bytes(b"")
    for most, told in ((4, []), (3, ["too many names to look at"])):
        monkeypatch.setattr(pipeline, "GLOB_NAMES", most)
        ledger = Ledger()
        assert len(pipeline.Peers(tmp_path).matching("*.pte", ledger)) == (0 if told else 4)
        assert [entry.why[: len(told[0])] for entry in ledger] == told
