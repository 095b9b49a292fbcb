"""What listings lead to is kept on disk, if it is asked for, and judged without being fetched."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from pte_lint.cache import fetched
from pte_lint.cache.fetched import FetchedStore, is_entry
from pte_lint.cli.app import app
from pte_lint.files.remote.address import Listed
from pte_lint.files.remote.known_bytes import KnownBytes
from pte_lint.files.remote.storage import StorageOrigin
from tests.support import stores
from tests.support.loopback import need_fsspec
from tests.support.s3 import fill, object_store

need_fsspec()
stores.need("s3fs", "moto")

GOOD, BAD = stores.GOOD.read_bytes(), stores.BAD.read_bytes()
ADDRESS = Listed.of("s3://zoo/a.pte", "one", {})
LATER = Listed.of("s3://zoo/a.pte", "two", {})


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the cache."""
    for name in ("PTE_LINT_CACHE_DIR", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    return tmp_path / "PTE_LINT_CACHE_DIR"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that a storage is asked about or for, each time."""
    told: list[str] = []
    for name in ("get", "_look"):
        real = getattr(StorageOrigin, name)

        def counted(self: StorageOrigin, *args: Any, real: Any = real) -> Any:
            told.append(self._path)
            return real(self, *args)

        monkeypatch.setattr(StorageOrigin, name, counted)
    return told


@pytest.fixture(scope="module")
def s3() -> Iterator[str]:
    with object_store() as address:
        yield address


def check(*args: object) -> Result:
    words = ["check", "--isolated", "--no-cache", "--jobs", "1", *map(str, args)]
    return CliRunner().invoke(app, words, prog_name="pte-lint")


def told(*args: object) -> list[dict[str, Any]]:
    """What is said of each artifact, and what it took to fetch it."""
    found: list[dict[str, Any]] = json.loads(check(*args, "--format", "json").stdout)["artifacts"]
    return found


def test_another_target_is_judged_without_fetching(s3: str, asked: list[str]) -> None:
    client = fill("twice", {"a.pte": GOOD, "b.pte": BAD, "c.txt": b"", "d.pte": GOOD})
    first = told("s3://twice/", "--remote", "keep=1MiB")
    assert sorted(set(asked)) == ["twice/a.pte", "twice/b.pte", "twice/d.pte"]
    asked.clear()
    second = told("s3://twice/", "--remote", "keep=1MiB", "--target", "executorch==1.4")
    assert asked == []
    assert [each["fetched"] for each in second] == [{"bytes": 0, "requests": 0}] * 3
    fresh = told("s3://twice/", "--target", "executorch==1.4")
    assert [each["fetched"]["bytes"] > 0 for each in (*first, *fresh)] == [True] * 6
    assert [{**each, "fetched": None} for each in second] == [
        {**each, "fetched": None} for each in fresh
    ]
    asked.clear()
    client.put_object(Bucket="twice", Key="b.pte", Body=GOOD)
    third = told("s3://twice/", "--remote", "keep=1MiB")
    assert set(asked) == {"twice/b.pte"}
    assert [bool(each["findings"]) for each in third] == [False, False, False]


def test_data_files_beside_programs_are_kept_as_well(s3: str, asked: list[str]) -> None:
    clean = stores.DATA / "data" / "clean"
    names = [f"external_constants.{suffix}" for suffix in ("pte", "ptd")]
    fill("withdata", {name: (clean / name).read_bytes() for name in names})
    words = ("s3://withdata/", "--include", "*.pte", "--data", "auto", "--remote", "keep=1MiB")
    first = told(*words)
    assert set(asked) == {f"withdata/{name}" for name in names}
    asked.clear()
    second = told(*words, "--target", "executorch==1.4")
    assert asked == []
    assert [each["findings"] for each in second] == [each["findings"] for each in first] == [[]]


def test_what_is_missing_is_fetched_then_and_kept_too(
    s3: str, asked: list[str], folder: Path
) -> None:
    fill("part", {"a.pte": GOOD})
    shelf = FetchedStore(folder, 1 << 20)
    told("s3://part/", "--remote", "keep=1MiB")
    (entry,) = [path for path in folder.rglob("*") if len(path.name) == 64]
    # As if less had been looked at: the size, and the first bytes.
    fetched._store.cache_clear()
    listed = _listed("s3://part/")
    whole = shelf.find(listed)
    assert whole is not None
    part = KnownBytes(len(GOOD))
    part.keep(0, GOOD[:100])
    entry.unlink()
    shelf.keep(listed, part)
    asked.clear()
    (report,) = told("s3://part/", "--remote", "keep=1MiB")
    assert set(asked) == {"part/a.pte"}
    assert report["fetched"]["bytes"] == len(GOOD) - 100
    again = shelf.find(listed)
    assert again is not None
    assert again.whole() == GOOD


def test_what_changed_since_it_was_listed_is_no_part_of_what_is_kept(s3: str, folder: Path) -> None:
    fill("moved", {"a.pte": GOOD})
    listed = _listed("s3://moved/")
    part = KnownBytes(len(GOOD))
    part.keep(0, GOOD[:100])
    FetchedStore(folder, 1 << 20).keep(listed, part)
    fill("moved", {"a.pte": bytes(len(GOOD))})
    from pte_lint.files.artifact import open_artifact
    from pte_lint.files.fetched import ArtifactError
    from pte_lint.files.remote.caps import Caps

    caps = Caps(shelf=FetchedStore(folder, 1 << 20))
    with (
        pytest.raises(ArtifactError, match="it changed while it was being read"),
        open_artifact(listed, caps=caps),
    ):
        pass


def _listed(address: str) -> Listed:
    from pte_lint.cli.paths import gather

    (each,) = gather([address]).inputs
    assert isinstance(each.address, Listed)
    return each.address


def test_a_content_comes_back_as_it_was(folder: Path) -> None:
    store, known = FetchedStore(folder, 1 << 20), KnownBytes(100)
    assert store.find(ADDRESS) is None
    known.keep(50, b"later")
    known.keep(0, b"")
    known.keep(3, b"first")
    store.keep(ADDRESS, known)
    found = store.find(ADDRESS)
    assert found is not None
    assert (len(found), list(found.chunks())) == (100, [(3, b"first"), (50, b"later")])
    assert store.find(LATER) is None


@pytest.mark.parametrize(("length", "is_kept"), [(64, True), (65, False)])
def test_one_content_takes_a_sixteenth_at_most(folder: Path, length: int, is_kept: bool) -> None:
    store, known = FetchedStore(folder, 16 * 120), KnownBytes(1000)
    known.keep(0, bytes(length + 24))
    store.keep(ADDRESS, known)
    assert (store.find(ADDRESS) is not None) is is_kept


def test_nothing_but_an_entry_is_read_as_one(folder: Path) -> None:
    known = KnownBytes(10)
    known.keep(0, b"abc")
    known.keep(7, b"xyz")
    FetchedStore(folder, 1 << 20).keep(ADDRESS, known)
    (path,) = [each for each in folder.rglob("*") if len(each.name) == 64]
    raw = path.read_bytes()[-(8 * 6 + 6) :]
    assert is_entry(raw)
    for cut in range(len(raw)):
        assert not is_entry(raw[:cut])
    assert not is_entry(raw + b"x")
    numbers = [10, 2, 0, 3, 7, 3]
    for at, number in [(0, 9), (1, 3), (1, 1 << 60), (2, 5), (3, 8), (4, 2), (4, 8), (5, 4)]:
        changed = [*numbers[:at], number, *numbers[at + 1 :]]
        assert not is_entry(b"".join(n.to_bytes(8, "little") for n in changed) + raw[48:])


def test_a_configuration_file_keeps_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pte-lint.toml").write_text('remote = { keep = "1GiB" }\n', "utf-8")
    Path("a.pte").write_bytes(GOOD)
    result = CliRunner().invoke(app, ["check", "a.pte"], prog_name="pte-lint")
    assert result.exit_code == 2
    assert "there is no cap 'keep'" in result.output


def test_a_size_is_asked_for() -> None:
    result = check("a.pte", "--remote", "keep=much")
    assert result.exit_code == 2
    assert "keep: 'much' is no" in result.output


def test_the_cache_counts_and_cleans_them(s3: str, folder: Path) -> None:
    fill("counted", {"a.pte": GOOD, "b.pte": BAD})
    told("s3://counted/", "--remote", "keep=1MiB")
    count = CliRunner().invoke(app, ["cache", "count"]).output
    assert "; 2 fetched files, " in count
    assert count.endswith("; 0 entries no good\n")
    assert CliRunner().invoke(app, ["cache", "clean"]).output.startswith("removed 2 files, ")
    assert not folder.exists()
