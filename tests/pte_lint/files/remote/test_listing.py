"""What lies below addresses: of S3, of pages of links, of the hub, and of strangers."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from http.server import BaseHTTPRequestHandler
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from pte_lint.cli.app import app
from pte_lint.cli.one_by_one import OneByOne, State
from pte_lint.cli.paths import gather, single
from pte_lint.cli.runner import Failure
from pte_lint.config.settings import RunSettings
from pte_lint.files.remote import http_index, listing, patience
from pte_lint.files.remote.listing import is_listing, listed
from pte_lint.files.remote.origin import FetchError
from pte_lint.files.remote.storage import StorageOrigin
from pte_lint.files.walking import Names, TooManyNames
from tests.support import stores
from tests.support.folders import Site, site
from tests.support.loopback import need_fsspec
from tests.support.processes import environment
from tests.support.s3 import fill, object_store

need_fsspec()
stores.need("s3fs", "moto", "huggingface_hub", "pyarrow")

GOOD, BAD = stores.GOOD.read_bytes(), stores.BAD.read_bytes()


@pytest.fixture(autouse=True)
def waits(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[float]:
    """The pauses between tries, which nobody waits for."""
    monkeypatch.chdir(tmp_path)
    told: list[float] = []
    monkeypatch.setattr("pte_lint.files.remote.patience.time.sleep", told.append)
    return told


@pytest.fixture(scope="module")
def s3() -> Iterator[str]:
    with object_store() as address:
        yield address


def check(*args: object) -> Result:
    words = ["check", "--isolated", *map(str, args)]
    return CliRunner().invoke(app, words, prog_name="pte-lint")


def names(address: str, most: int = 1_000) -> list[str]:
    return [each.name for each in listed(address, Names(most), 10)]


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
        ("s3://zoo/a/deep/bad.pte", False, len(BAD), 2),
        ("s3://zoo/a/good.pte", True, len(GOOD), 2),
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
    assert len(result.stderr.splitlines()) == 1


def test_ten_million_names_are_counted_and_no_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    from pte_lint.cli import store_run
    from pte_lint.cli.limits import Limits
    from pte_lint.config.settings import RunSettings

    monkeypatch.setattr(listing, "file_system", lambda address: (Endless(1_000), "bucket"))
    what = store_run.StoreRun(
        RunSettings(isolated=True), Path("results"), ("s3://bucket/",), limits=Limits(artifacts=5)
    )
    outcome = store_run.Outcome(what.settings)
    monkeypatch.setattr(store_run, "Names", lambda most: Names(min(most, 200_000)))
    assert sum(1 for _ in store_run._inputs(what, outcome)) == 5
    assert outcome.beyond == "at least 199995 artifacts beyond the limits not judged"


@pytest.fixture
def web() -> Iterator[Site]:
    files = {
        "/zoo/good.pte": GOOD, "/zoo/deep/bad%20one.pte": BAD, "/elsewhere/x.pte": GOOD,
        "/zoo/notes.txt": b"",
    }  # fmt: skip
    pages = {
        "/zoo/": '<a href="?C=N">name</a> <a href="/">up</a> <a href="../elsewhere/x.pte">x</a>'
        '<a href="https://other.example/zoo/y.pte">y</a> <a href="good.pte">g</a>'
        '<a href="deep/">d</a> <A HREF=\'notes.txt\'>n</a> <a href="good.pte#again">g</a>'
        '<a href="%2e%2e/elsewhere/x.pte">z</a> <a href="javascript:x.pte">j</a>'
        '<a href="http://[">broken</a>',
        "/zoo/deep/": '<a href="bad%20one.pte">b</a> <a href="../">up</a> <a href="./">here</a>',
    }
    with site(Site(files, pages)) as served:
        yield served


def test_a_page_of_links(web: Site) -> None:
    base = f"{web.address}/zoo/"
    found = list(listed(base, Names(100), 10))
    assert [(each.inside, each.size) for each in found] == [
        ("good.pte", len(GOOD)),
        ("notes.txt", 0),
        ("deep/bad one.pte", len(BAD)),
    ]
    assert [method for method, path in web.asked if path == "/zoo/good.pte"] == ["HEAD"]
    result = check(base, "--output", "parquet=results")
    assert result.exit_code == 1, result.output
    rows = stores.read(Path("results"))["artifacts"]
    assert [(row["path"], row["runs"], row["fetched_requests"]) for row in rows] == [
        (f"{base}good.pte", True, 1),
        (f"{base}deep/bad%20one.pte", False, 1),
    ]
    assert rows[0]["revision"].startswith('"')


def test_password_and_signature_stay_with_the_page(web: Site) -> None:
    base = f"{web.address}/zoo/".replace("//", "//user:hush@", 1)
    found = list(listed(f"{base}?signature=hush", Names(100), 10))
    assert found[0].address == f"{base}good.pte"
    assert found[0].name == f"{web.address}/zoo/good.pte"
    assert all(each.get("Authorization", "").startswith("Basic ") for each in web.headers)
    result = check(base, "--output", "parquet=results")
    told = result.output + Path("results/artifacts.parquet").read_bytes().decode("latin-1")
    assert "hush" not in told


def test_a_page_that_is_elsewhere_is_not_followed(web: Site) -> None:
    with site(Site({"/zoo/x.pte": GOOD}, {"/zoo/": '<a href="x.pte">x</a>'})) as other:

        def away(request: BaseHTTPRequestHandler) -> bool:
            request.send_response(302)
            request.send_header("Location", f"{other.address}/zoo/")
            request.send_header("Content-Length", "0")
            request.end_headers()
            return True

        web.behave = away
        result = check(f"{web.address}/zoo/")
        assert result.exit_code == 2
        assert "cannot list" in result.stderr
        assert "the page is elsewhere" in result.stderr
        assert other.asked == []


def test_a_page_that_never_ends(web: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_index, "PAGE_BYTES", 1_000)
    web.pages["/zoo/"] += " " * 1_000
    with pytest.raises(FetchError, match="more than 1000 bytes"):
        names(f"{web.address}/zoo/")


def test_pages_that_lead_to_each_other_are_asked_once(web: Site) -> None:
    web.pages = {
        f"/zoo/{'a/' * n}": '<a href="a/">a</a><a href="/zoo/">top</a>' for n in range(200)
    }
    assert names(f"{web.address}/zoo/") == []
    assert len(web.asked) == len(set(web.asked)) == 65


def test_a_server_that_is_busy_is_asked_again(web: Site, waits: list[float]) -> None:
    left = {"/zoo/": 2, "/zoo/deep/": 1}

    def busy(request: BaseHTTPRequestHandler) -> bool:
        if not left.get(request.path):
            return False
        left[request.path] -= 1
        request.send_response(429)
        request.send_header("Retry-After", "7" if request.path == "/zoo/" else "100000")
        request.send_header("Content-Length", "0")
        request.end_headers()
        return True

    web.behave = busy
    assert len(names(f"{web.address}/zoo/")) == 3
    assert waits == [7.0, 7.0, patience.LONGEST]


def test_a_server_that_stays_busy_is_left(web: Site, waits: list[float]) -> None:
    def busy(request: BaseHTTPRequestHandler) -> bool:
        request.send_response(503)
        request.send_header("Content-Length", "0")
        request.end_headers()
        return True

    web.behave = busy
    with pytest.raises(FetchError, match="HTTP 503"):
        names(f"{web.address}/zoo/")
    assert (len(web.asked), waits) == (4, [1.0, 2.0, 4.0])
    web.behave = lambda request: False
    with pytest.raises(FetchError, match="HTTP 404"):
        names(f"{web.address}/nothing/")
    assert len(web.asked) == 5


def test_an_artifact_behind_a_busy_server_is_asked_again(web: Site) -> None:
    left = [2]

    def busy(request: BaseHTTPRequestHandler) -> bool:
        if request.command != "GET" or not request.path.endswith("good.pte") or not left[0]:
            return False
        left[0] -= 1
        request.send_response(503)
        request.send_header("Content-Length", "0")
        request.end_headers()
        return True

    web.behave = busy
    judge = OneByOne(State(RunSettings(isolated=True), None, date(2026, 1, 1)))
    told = judge(single(f"{web.address}/zoo/good.pte"))
    assert not isinstance(told, Failure)
    assert left == [0]
    assert [path for _, path in web.asked].count("/zoo/good.pte") == 3


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


def hub(kind: str, name: str, files: dict[str, bytes]) -> Site:
    """As much of the hub as a listing and reads ask for."""
    entries = [
        {"type": "directory", "path": "zoo", "oid": "1"},
        *(
            {"type": "file", "path": path, "size": len(content), "oid": str(n)}
            for n, (path, content) in enumerate(files.items())
        ),
    ]
    info = {
        "id": name, "_id": "1", "sha": COMMIT, "siblings": [], "private": False, "tags": [],
        "downloads": 0, "likes": 0,
    }  # fmt: skip
    prefix = "" if kind == "models" else f"/{kind}"
    return Site(
        {f"{prefix}/{name}/resolve/{COMMIT}/{path}": content for path, content in files.items()},
        {
            f"/api/{kind}/{name}": json.dumps(info),
            f"/api/{kind}/{name}/revision/main": json.dumps(info),
            f"/api/{kind}/{name}/revision/{COMMIT}": json.dumps(info),
            f"/api/{kind}/{name}/tree/{COMMIT}": json.dumps(entries),
            f"/api/{kind}/{name}/tree/{COMMIT}/zoo": json.dumps(entries[2:]),
        },
    )


@pytest.mark.parametrize("kind", ["models", "datasets"])
def test_a_repository_of_the_hub_is_that_of_one_commit(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = {"good.pte": GOOD, "zoo/bad.pte": BAD, "readme.md": b""}
    with site(hub(kind, "some/zoo", content)) as served:
        monkeypatch.setenv("HF_ENDPOINT", served.address)
        import huggingface_hub

        system = huggingface_hub.HfFileSystem(endpoint=served.address, token=False)
        monkeypatch.setattr(
            "pte_lint.files.remote.listing.file_system", lambda address: (system, address)
        )
        part = "" if kind == "models" else "datasets/"
        found = list(listed(f"hf://{part}some/zoo", Names(100), 10))
        assert [(each.name, each.inside, each.size, each.revision) for each in found] == [
            (f"hf://{part}some/zoo/good.pte", "good.pte", len(GOOD), COMMIT),
            (f"hf://{part}some/zoo/zoo/bad.pte", "zoo/bad.pte", len(BAD), COMMIT),
            (f"hf://{part}some/zoo/readme.md", "readme.md", 0, COMMIT),
        ]
        assert found[0].address == f"hf://{part}some/zoo@{COMMIT}/good.pte"


def test_a_repository_in_one_command() -> None:
    with site(hub("models", "some/zoo", {"good.pte": GOOD, "zoo/bad.pte": BAD})) as served:
        words = [sys.executable, "-m", "pte_lint", "check", "--isolated", "hf://some/zoo"]
        env = environment(HF_ENDPOINT=served.address, HF_HUB_DISABLE_TELEMETRY="1", HF_TOKEN="")
        done = subprocess.run(
            [*words, "--output", "parquet=results"],
            env=env, capture_output=True, text=True, check=False,
        )  # fmt: skip
    print(done.stdout, done.stderr, served.asked)
    assert done.returncode == 1, done.stderr
    rows = stores.read(Path("results"))["artifacts"]
    assert [(row["path"], row["runs"], row["revision"]) for row in rows] == [
        ("hf://some/zoo/good.pte", True, COMMIT),
        ("hf://some/zoo/zoo/bad.pte", False, COMMIT),
    ]


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


def test_all_models_of_an_organisation(monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = (hub("models", f"some/{name}", {f"{name}.pte": GOOD}) for name in ("one", "two"))
    served = Site({**one.files, **two.files}, {**one.pages, **two.pages})
    told = [{"id": name, "_id": name} for name in ("some/one", "other/zoo", "some/two")]
    served.pages["/api/models"] = json.dumps(told)
    with site(served):
        import huggingface_hub

        system = huggingface_hub.HfFileSystem(endpoint=served.address, token=False)
        monkeypatch.setattr(
            "pte_lint.files.remote.listing.file_system", lambda address: (system, address)
        )
        inputs = gather(["hf://some"]).inputs
        assert [(each.name, each.address) for each in inputs] == [
            (f"hf://some/{name}/{name}.pte", f"hf://some/{name}@{COMMIT}/{name}.pte")
            for name in ("one", "two")
        ]
    assert ("GET", "/api/models") in [(how, path.partition("?")[0]) for how, path in served.asked]
    assert any("author=some" in path for _, path in served.asked)
