"""What is a listing; folders of any file system, and those without an end."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from pte_lint.config.settings import RunSettings
from pte_lint.files.remote import listing
from pte_lint.files.remote.listing import is_listing, listed
from pte_lint.files.remote.origin import FetchError
from pte_lint.files.walking import Names, TooManyNames
from tests.support.listings import BAD, GOOD, check, names
from tests.support.loopback import need_fsspec

need_fsspec()


@pytest.mark.parametrize(
    ("argument", "expected"),
    [
        ("s3://bucket/prefix/", True),
        ("s3://bucket/model.pte", False),
        ("gs://bucket/", True),
        ("https://host/zoo/", True),
        ("https://host/zoo/index.html", True),
        ("https://host/zoo/index.html?signature=x", True),
        ("https://host/model.pte", False),
        ("https://host", True),
        ("hf://organisation", True),
        ("hf://datasets", False),
        ("hf://organisation/model", True),
        ("hf://datasets/organisation/name", True),
        ("hf://organisation/model@main", True),
        ("hf://organisation/model/a.pte", False),
        ("hf://organisation/model/folder/", True),
        ("zoo/", False),
        ("https://[", False),
    ],
)
def test_what_is_a_listing(argument: str, expected: bool) -> None:
    assert is_listing(argument) is expected


def test_folders_of_any_other_file_system() -> None:
    import fsspec

    memory = fsspec.filesystem("memory")
    memory.pipe({"/zoo/b.pte": GOOD, "/zoo/a/x\n\x1b.pte": BAD, "/other/y.pte": GOOD})
    try:
        assert names("memory://zoo/") == ["memory://zoo/b.pte", "memory://zoo/a/x\n\x1b.pte"]
        result = check("memory://zoo/")
        assert result.exit_code == 1
        assert "memory://zoo/a/x\\n\\x1b.pte" in result.stdout
    finally:
        memory.rm("/zoo", recursive=True)
        memory.rm("/other", recursive=True)


COMMIT = "0123456789abcdef0123456789abcdef01234567"


class Endless:
    """A store whose listing never ends."""

    def __init__(self, keys: int) -> None:
        self.keys, self.pages = keys, 0

    def split_path(self, path: str) -> tuple[str, str, None]:
        return path, "", None

    def call_s3(self, method: str, **asked: Any) -> dict[str, Any]:
        self.pages += 1
        keys = [{"Key": f"{self.pages}-{n}.pte", "Size": 1} for n in range(self.keys)]
        return {"Contents": keys, "IsTruncated": True, "NextContinuationToken": str(self.pages)}


@pytest.mark.parametrize("keys", [1_000, 0])
def test_a_listing_without_an_end(monkeypatch: pytest.MonkeyPatch, keys: int) -> None:
    endless = Endless(keys)
    monkeypatch.setattr(listing, "file_system", lambda address: (endless, "bucket"))
    found = listed("s3://bucket/", Names(10_000), 10)
    assert len(list(islice(found, 10 * keys))) == 10 * keys
    with pytest.raises(TooManyNames if keys else FetchError):
        next(found)
    assert endless.pages == (11 if keys else 101)
    result = check("s3://bucket/", "--limit", "names=10")
    assert result.exit_code == 2
    many = "s3://bucket/: more names than are looked at: allow more with --limit names=N"
    assert result.stderr.splitlines()[0] == f"error: {many}" if keys else "bucket" in result.stderr


def test_ten_million_names_are_counted_and_no_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    from pte_lint.cli import store_run
    from pte_lint.cli.limits import Limits

    monkeypatch.setattr(listing, "file_system", lambda address: (Endless(1_000), "bucket"))
    what = store_run.StoreRun(
        RunSettings(isolated=True), Path("results"), ("s3://bucket/",), limits=Limits(artifacts=5)
    )
    outcome = store_run.Outcome(what.settings)
    monkeypatch.setattr(store_run, "Names", lambda most: Names(min(most, 200_000)))
    assert sum(1 for _ in store_run._inputs(what, outcome)) == 5
    assert outcome.beyond == "at least 199995 artifacts beyond the limits not judged"
