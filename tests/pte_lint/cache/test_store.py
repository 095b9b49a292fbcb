"""Entries are whole or none, bounded, and safe with several writers."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pte_lint.cache import store as store_module
from pte_lint.cache.store import ENTRY_BYTES, Store

KEY = "ab" * 32
OTHER = "ac" * 32


def entry(store: Store, key: str = KEY) -> Path:
    return store.folder / "v2" / key[0] / key


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "cache")


def test_what_is_put_is_got(store: Store) -> None:
    assert store.get(KEY) is None
    store.put(KEY, b"one")
    store.put(OTHER, b"")
    assert (store.get(KEY), store.get(OTHER)) == (b"one", b"")
    store.put(KEY, b"two")
    assert store.get(KEY) == b"two"
    assert (store.folder / "CACHEDIR.TAG").is_file()
    assert {p.name for p in entry(store).parent.iterdir()} == {KEY, OTHER}


def test_every_damaged_entry_is_none(store: Store) -> None:
    store.put(KEY, b"content")
    whole = entry(store).read_bytes()
    for at in range(len(whole)):
        entry(store).write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        assert store.get(KEY) is None
        entry(store).write_bytes(whole[:at])
        assert store.get(KEY) is None
    entry(store).write_bytes(whole + b"x")
    assert store.get(KEY) is None
    store.put(KEY, b"again")
    assert store.get(KEY) == b"again"


def test_an_entry_in_the_place_of_another_is_none(store: Store) -> None:
    """Or a result that was kept for one file would speak for another."""
    store.put(KEY, b"clean")
    entry(store, OTHER).write_bytes(entry(store).read_bytes())
    entry(store, OTHER).chmod(0o600)
    assert store.get(OTHER) is None
    assert store.get(KEY) == b"clean"


def test_an_entry_of_somebody_else_is_none(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cache that is carried from machine to machine: whoever filled it had another secret."""
    store.put(KEY, b"content")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "another"))
    theirs = Store(store.folder)
    assert theirs.get(KEY) is None
    assert theirs.survey(bool) == (0, 0, 1)
    theirs.put(KEY, b"theirs")
    assert theirs.get(KEY) == b"theirs"
    assert store.get(KEY) is None


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o777])
def test_an_entry_that_others_may_write_to_is_none(store: Store, mode: int) -> None:
    store.put(KEY, b"content")
    entry(store).chmod(mode)
    assert store.get(KEY) is None
    entry(store).chmod(0o644)
    assert store.get(KEY) == b"content"


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_an_entry_of_another_user_is_none(store: Store) -> None:
    store.put(KEY, b"content")
    os.chown(entry(store), 65534, 65534)
    assert store.get(KEY) is None


def test_what_is_no_file_is_none(store: Store) -> None:
    store.put(KEY, b"content")
    aside = entry(store).with_name("aside")
    entry(store).rename(aside)
    entry(store).symlink_to(aside)
    assert store.get(KEY) is None
    entry(store).unlink()
    os.mkfifo(entry(store))
    assert store.get(KEY) is None
    entry(store).unlink()
    entry(store).mkdir()
    assert store.get(KEY) is None


def test_entries_are_the_users_own_whatever_the_umask_is(store: Store) -> None:
    old = os.umask(0)
    try:
        store.put(KEY, b"content")
    finally:
        os.umask(old)
    assert store.get(KEY) == b"content"


def test_without_a_secret_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    store = Store(tmp_path / "cache")
    store.put(KEY, b"content")
    assert store.get(KEY) is None
    assert not store.folder.exists()


def test_entries_are_counted(store: Store) -> None:
    assert store.survey(bool) == (0, 0, 0)
    store.put(KEY, b"one")
    store.put(OTHER, b"")
    store.put("1" * 64, b"three")
    entry(store, "1" * 64).write_bytes(b"damaged")
    entry(store).with_name(f"{KEY}.1-aa.tmp").write_bytes(b"being written")
    entry(store).with_name("notes.txt").write_text("mine")
    head = len(b"pte-lint cache 2\n") + 32
    assert store.survey(lambda content: True) == (2, 2 * head + 3, 1)
    assert store.survey(lambda content: content == b"one") == (1, head + 3, 2)


def test_large_entries_are_not_kept(store: Store) -> None:
    store.put(KEY, bytes(ENTRY_BYTES + 1))
    assert store.get(KEY) is None


def test_what_was_used_longest_ago_goes_first(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "_shard_bytes", 4000)
    keys = [f"a{n:063x}" for n in range(6)]
    for n, key in enumerate(keys[:3]):
        store.put(key, bytes(1000))
        os.utime(entry(store, key), (n, n))
    assert store.get(keys[0]) is not None  # marks it as used
    store.put(keys[3], bytes(1000))
    assert [key for key in keys if store.get(key)] == [keys[0], keys[2], keys[3]]
    other_shard = "b" * 64
    store.put(other_shard, bytes(3000))
    assert store.get(other_shard) is not None
    assert store.get(keys[0]) is not None


def test_leftovers_of_dead_processes_count_and_go(tmp_path: Path) -> None:
    store = Store(tmp_path / "cache", shard_bytes=4000)
    store.put(KEY, b"x")
    left = entry(store).with_name(f"{KEY}.1-aa.tmp")
    left.write_bytes(bytes(3990))
    os.utime(left, (1, 1))
    Store(store.folder, shard_bytes=4000).put(OTHER, b"y")
    assert not left.exists()


def test_a_shard_is_looked_at_now_and_then_and_stays_within_its_bound(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "_shard_bytes", 100_000)
    looks: list[Path] = []
    real = os.scandir

    def scandir(path: Path) -> object:
        looks.append(path)
        return real(path)

    monkeypatch.setattr(store_module.os, "scandir", scandir)
    for n in range(500):
        store.put(f"a{n:063x}", bytes(400))
        kept = sum(each.stat().st_size for each in entry(store).parent.iterdir())
        assert kept <= 100_000
    assert kept > 90_000
    assert len(looks) < 50


def test_a_folder_that_cannot_be_used_is_no_cache(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    store = Store(tmp_path / "file" / "cache")
    store.put(KEY, b"one")
    assert store.get(KEY) is None
    assert store.clean() == (0, 0)


def test_cleaning_removes_entries_and_nothing_else(store: Store) -> None:
    store.put(KEY, b"one")
    store.put("1" * 64, b"two")
    mine = entry(store).with_name("notes.txt")
    mine.write_text("mine")
    older = store.folder / "v0" / "a"
    older.mkdir(parents=True)
    (older / KEY).write_bytes(b"12345")
    link = entry(store).with_name("f" * 64)
    link.symlink_to(mine)
    count, total = store.clean()
    assert (count, total) == (3, 2 * len(b"pte-lint cache 2\n") + 2 * 32 + 6 + 5)
    assert mine.read_text() == "mine"
    assert link.is_symlink()
    assert not older.exists()
    assert store.get(KEY) is None


def test_cleaning_an_untouched_cache_leaves_nothing(store: Store) -> None:
    store.put(KEY, b"one")
    store.clean()
    assert not store.folder.exists()
    assert store.clean() == (0, 0)


_WRITER = """
import sys
from pathlib import Path
from pte_lint.cache.store import Store
store, mine = Store(Path(sys.argv[1])), sys.argv[2].encode() * 5000
for _ in range(60):
    store.put("ab" * 32, mine)
    got = store.get("ab" * 32)
    assert got is not None and len(got) == 5000 and len(set(got)) == 1, got
"""


def test_several_processes_write_the_same_entry(store: Store) -> None:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    running = [
        subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(store.folder), letter],
            env=env,
            stderr=subprocess.PIPE,
            text=True,
        )
        for letter in "xyz"
    ]
    for process in running:
        _, told = process.communicate(timeout=120)
        assert (process.returncode, told) == (0, "")
    assert [p.name for p in entry(store).parent.iterdir()] == [KEY]
