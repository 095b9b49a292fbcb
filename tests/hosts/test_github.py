"""The workflows of docs/ci.md, each as the page prints it, run by act."""

from __future__ import annotations

import json
from typing import Any

from tests.action.conftest import BAD, GOOD, LINEAR, ROOT, Repository
from tests.support.hosts import Host, Said
from tests.support.recipes import RECIPES

CONVNET = ROOT / "tests" / "data" / "clean" / "convnet.pte"
ODD = "exported/odd: 100%,'ü ##[x].pte"
FINDINGS = [
    ("error", "exported/model.pte", "PTE301 device-input-planned"),
    ("warning", "exported/model.pte", "PTE302 device-output-planned"),
    ("notice", "exported/model.pte", "PTE303 device-output-on-host-contract"),
]


def prepare(repository: Repository, recipe: str) -> None:
    """The base: the recipe as its workflow, artifacts, a broken one that is nobody's business."""
    repository.put(".github/workflows/pte-lint.yml", RECIPES[recipe].encode())
    repository.put("exported/model.pte", GOOD)
    repository.put("exported/kept.pte", LINEAR)
    repository.put("exported/known.pte", b"not a program")
    repository.base = repository.commit()


def pull_request(host: Host, repository: Repository) -> Said:
    """Has the last commit judged as pull request 7."""
    sides: dict[str, Any] = {
        "base": {"sha": repository.base, "ref": "main"},
        "head": {"sha": repository.git("rev-parse", "HEAD"), "ref": "change"},
    }
    return host.act(
        repository.path, "pull_request", {"number": 7, "pull_request": {"number": 7, **sides}}
    )


def judged(sarif: dict[str, Any]) -> set[str]:
    """The files that an uploaded report speaks of."""
    (run,) = sarif["runs"]
    return {
        result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        for result in run["results"]
    }


def test_a_bad_program_fails_the_job_and_is_told_everywhere(
    host: Host, repository: Repository
) -> None:
    prepare(repository, "github-action")
    repository.put("exported/model.pte", BAD)
    repository.put(ODD, BAD)
    repository.commit()
    said = pull_request(host, repository)
    assert (said.code, said.results()) == (1, {"pte-lint": "failure"}), said.text
    odd = [(level, ODD, title) for level, _, title in FINDINGS]
    assert sorted(set(said.annotations)) == sorted([*FINDINGS, *odd])
    assert said.summary.startswith("## pte-lint: 4 errors, 2 warnings, 2 infos in 2 files\n")
    comment = (host.store / "comment.md").read_text("utf-8")
    assert comment == f"<!-- pte-lint -->\n{said.summary}"
    assert "| placement | `input 0` | `cpu, planned` | `cuda:0, planned` |" in comment
    assert "--method POST repos/" in (host.store / "gh.log").read_text()
    assert len(judged(json.loads((host.store / "uploaded.sarif").read_text("utf-8")))) == 2


def test_what_jobs_build_is_compared_and_passes(host: Host, repository: Repository) -> None:
    prepare(repository, "github-built")
    repository.put("requirements.txt", b"")
    repository.put(
        "export.py",
        b"import pathlib, shutil, sys\n"
        b"pathlib.Path(sys.argv[2]).mkdir(exist_ok=True)\n"
        b"shutil.copy('source', pathlib.Path(sys.argv[2]) / 'm.pte')\n",
    )
    repository.git("rm", "-r", "--quiet", "exported")
    repository.put("source", CONVNET)
    repository.base = repository.commit()
    repository.put("source", LINEAR)
    repository.commit()
    said = pull_request(host, repository)
    assert said.code == 0, said.text
    assert said.results() == {"export": "success", "pte-lint": "success"}
    assert said.annotations == []
    assert said.summary.startswith("## pte-lint: 0 errors, 0 warnings in 1 file\n")
    assert "### pte-lint diff: `exported/m.pte`" in said.summary


def test_without_the_action(host: Host, repository: Repository) -> None:
    host.give_python()
    prepare(repository, "github-plain")
    repository.put("exported/known.pte", LINEAR)
    repository.put("exported/model.pte", BAD)
    repository.commit()
    said = host.act(repository.path, "push", {})
    assert (said.code, said.results()) == (1, {"pte-lint": "failure"}), said.text
    assert sorted(set(said.annotations)) == sorted(FINDINGS)
    uploaded = json.loads((host.store / "uploaded.sarif").read_text("utf-8"))
    assert judged(uploaded) == {"exported/model.pte"}
