"""Programs in buckets of S3."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from pte_lint.cli.one_by_one import OneByOne, State
from pte_lint.cli.paths import gather
from pte_lint.cli.runner import Failure
from pte_lint.config.settings import RunSettings
from pte_lint.files.remote.listing import listed
from pte_lint.files.remote.storage import StorageOrigin
from pte_lint.files.walking import Names
from tests.support import stores
from tests.support.listings import BAD, GOOD, check
from tests.support.loopback import need_fsspec
from tests.support.s3 import fill, object_store

need_fsspec()
stores.need("s3fs", "moto", "pyarrow")


@pytest.fixture(scope="module")
def s3() -> Iterator[str]:
    with object_store() as address:
        yield address


def test_a_bucket(s3: str) -> None:
    fill("zoo", {
        "a/good.pte": GOOD, "a/deep/bad.pte": BAD, "a/readme.md": b"no", "b/other.pte": GOOD,
        "a/old/good.pte": GOOD, "ab.pte": GOOD,
    })  # fmt: skip
    result = check("s3://zoo/a/", "--exclude", "old/", "--output", "parquet=results")
    assert result.exit_code == 1, result.output
    rows = stores.read(Path("results"))["artifacts"]
    told = [(row["path"], row["runs"], row["size"], row["fetched_requests"]) for row in rows]
    assert told == [
        ("s3://zoo/a/deep/bad.pte", False, len(BAD), 1),
        ("s3://zoo/a/good.pte", True, len(GOOD), 1),
    ]
    assert len({row["revision"] for row in rows}) == 2
    plain = json.loads(check("s3://zoo/a/", "--format", "json").stdout)
    assert [each["path"] for each in plain["artifacts"]] == [
        f"s3://zoo/a/{name}" for name in ("deep/bad.pte", "good.pte", "old/good.pte")
    ]


def test_what_is_known_of_a_revision_is_not_fetched_again(
    s3: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from pte_lint.cache import code

    client = fill("kept", {f"{n}.pte": GOOD for n in range(3)})
    monkeypatch.setattr(code, "_SETTLED", 1 << 62)  # the checkout may have been edited just now
    for name in ("PTE_LINT_CACHE_DIR", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    state = State(RunSettings(isolated=True), 0, date(2026, 1, 1))
    fetched: list[str] = []
    real = StorageOrigin.get

    def get(self: StorageOrigin, start: int, stop: int) -> bytes:
        fetched.append(self._path)
        return real(self, start, stop)

    monkeypatch.setattr(StorageOrigin, "get", get)
    first = list(map(OneByOne(state), gather(["s3://kept/"]).inputs))
    assert fetched == [f"kept/{n}.pte" for n in range(3)]
    client.put_object(Bucket="kept", Key="1.pte", Body=BAD)
    second = list(map(OneByOne(state), gather(["s3://kept/"]).inputs))
    assert fetched[3:] == ["kept/1.pte"]
    assert second[::2] == first[::2]
    assert second[1] != first[1]
    other = replace(state, settings=RunSettings(isolated=True, target="1.3"))
    list(map(OneByOne(other), gather(["s3://kept/"]).inputs))
    assert len(fetched) == 7


def test_what_changes_between_listing_and_reading_is_told(s3: str) -> None:
    client = fill("changing", {"x.pte": GOOD})
    (each,) = gather(["s3://changing/"]).inputs
    client.put_object(Bucket="changing", Key="x.pte", Body=GOOD[:-1] + b"x")
    told = OneByOne(State(RunSettings(isolated=True), None, date(2026, 1, 1)))(each)
    assert isinstance(told, Failure)
    assert "it changed while it was being read (its ETag differs)" in told.message


def test_pages_of_a_bucket_are_asked_for_one_by_one(
    s3: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill("pages", {f"{n}.pte": b"" for n in range(7)})
    import s3fs

    real, pages = s3fs.S3FileSystem._call_s3, []

    async def small(self: Any, method: Any, *args: Any, **asked: Any) -> Any:
        pages.append(asked)
        return await real(self, method, *args, MaxKeys=3, **asked)

    monkeypatch.setattr(s3fs.S3FileSystem, "call_s3", s3fs.core.sync_wrapper(small))
    found = listed("s3://pages/", Names(100), 10)
    assert next(iter(found)).name == "s3://pages/0.pte"
    assert len(pages) == 1
    assert [each.inside for each in found] == [f"{n}.pte" for n in range(1, 7)]
    assert len(pages) == 3


def test_data_files_beside_programs_of_a_bucket(s3: str) -> None:
    data = stores.DATA / "data" / "clean"
    program, tensors = (
        (data / f"external_constants.{suffix}").read_bytes() for suffix in ("pte", "ptd")
    )
    fill("beside", {
        "m/a.pte": GOOD, "m/x.pte": program, "m/w.ptd": tensors, "m/deep/w2.ptd": b"not for it",
        "n/y.pte": program,
    })  # fmt: skip
    words = ("s3://beside/", "--data", "auto", "--include", "*.pte", "--select", "PTE511")
    assert check(*words, "--output", "parquet=results").exit_code == 0
    rows = stores.read(Path("results"))
    assert [row["path"] for row in rows["artifacts"]] == [
        "s3://beside/m/a.pte", "s3://beside/m/x.pte", "s3://beside/n/y.pte",
    ]  # fmt: skip
    assert [(row["path"], row["rule"]) for row in rows["findings"]] == [
        ("s3://beside/n/y.pte", "PTE511")
    ]
    plain = json.loads(check(*words, "--format", "json").stdout)
    assert [len(each["findings"]) for each in plain["artifacts"]] == [0, 0, 1]
    fetched, judged, _ = plain["notes"]
    assert fetched.startswith("s3://beside/m/w.ptd: fetched ")
    assert judged == "s3://beside/m/x.pte: judged with s3://beside/m/w.ptd (--data auto)"
