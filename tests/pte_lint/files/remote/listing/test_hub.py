"""Repositories and organisations of the hub."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from pte_lint.cli.paths import gather
from pte_lint.files.remote.listing import listed
from pte_lint.files.walking import Names
from tests.support import stores
from tests.support.folders import Site, site
from tests.support.listings import BAD, GOOD
from tests.support.loopback import need_fsspec
from tests.support.processes import environment

need_fsspec()
stores.need("huggingface_hub", "pyarrow")

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
