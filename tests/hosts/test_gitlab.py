"""The pipeline of docs/ci.md, as the page prints it, run by gitlab-ci-local."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

from tests.action.conftest import BAD, GOOD, LINEAR, Repository
from tests.support.hosts import Host, gitlab
from tests.support.recipes import RECIPES

ODD = "exported/odd: %0A,'ü $(touch owned).pte"


def test_a_merge_request(host_with_index: Host, repository: Repository, tmp_path: Path) -> None:
    host = host_with_index
    host.give_python()
    repository.put(".gitlab-ci.yml", RECIPES["gitlab"].encode())
    repository.put("exported/model.pte", GOOD)
    repository.put("exported/kept.pte", LINEAR)
    repository.put(ODD, LINEAR)
    base = repository.commit()
    clone = Repository.__new__(Repository)
    clone.path = tmp_path / "builds" / "project"
    host.run(["git", "clone", "--quiet", repository.path, clone.path], tmp_path)

    # A good change passes, and only what it changes is compared.
    clone.put(ODD, GOOD)
    clone.commit()
    done = gitlab(host, clone.path, base)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "PASS  pte-lint" in done.stdout
    assert json.loads((clone.path / "gl-code-quality-report.json").read_text("utf-8")) == []
    changes = (clone.path / "pte-lint-diff.md").read_text("utf-8")
    assert [line for line in changes.splitlines() if line.startswith("### ")] == [
        f"### pte-lint diff: `{ODD}`"
    ]

    # A bad one fails, with its findings in both reports.
    clone.put("exported/model.pte", BAD)
    clone.git("commit", "--quiet", "--all", "--message=bad")
    done = gitlab(host, clone.path, base)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "FAIL  pte-lint" in done.stdout
    told = json.loads((clone.path / "gl-code-quality-report.json").read_text("utf-8"))
    assert {(each["check_name"], each["location"]["path"]) for each in told} == {
        (name, "exported/model.pte")
        for name in (
            "PTE301 device-input-planned",
            "PTE302 device-output-planned",
            "PTE303 device-output-on-host-contract",
        )
    }
    cases = ET.parse(clone.path / "pte-lint.xml").getroot().iter("testcase")
    failed = [case.get("classname", "") for case in cases if case.find("failure") is not None]
    assert failed == ["exported/model.pte"]
    assert not (clone.path / "owned").exists()

    # A change that touches no artifact starts no job.
    clone.git("reset", "--quiet", "--hard", base)
    clone.put("README.md", b"text")
    clone.commit()
    done = gitlab(host, clone.path, base)
    assert "pte-lint" not in done.stdout, done.stdout
