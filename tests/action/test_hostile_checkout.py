"""The action on a checkout that wants to have its own code run, or its own words said."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

from tests.action.conftest import BAD, GOOD, LINEAR, PAIRED, ROOT, Act, Repository
from tests.action.hostile import ANNOTATION, Trap, careless, commands, stand_in
from tests.support.action import ActionRun, run_action

ODD_NAMES = [
    b"with space.pte",
    b"tab\t.pte",
    b"new\nline.pte",
    b"a\n::error file=README.md,line=1::forged\n::stop-commands::x\n.pte",
    b"return\r::error::forged.pte",
    b"##[error]forged.pte",
    b"x ##[add-matcher]forged.json.pte",
    b"$(touch owned).pte",
    b"`touch owned`.pte",
    b"; touch owned;.pte",
    b"-rf.pte",
    b"--config=x.pte",
    b"quote'\".pte",
    "ünï.pte".encode(),
    b"not utf-8 \xff\xfe.pte",
    b"::error::owned.pte",
    b"::notice title=pte-lint::all is well.pte",
    b"%0A::error::x.pte",
    b"*.pte",
    b"[a-z]?.pte",
    b"{a,b}.pte",
    b"~root.pte",
    b"GITHUB_OUTPUT<<EOF.pte",
    b"| a | <b>bold @everyone.pte",
]


def put_raw(repository: Repository, name: bytes, source: Path) -> None:
    (Path(os.fsdecode(os.fsencode(repository.path) + b"/" + name))).write_bytes(source.read_bytes())


def paths(run: ActionRun) -> list[str]:
    report = json.loads(Path(run.outputs["json"]).read_text("utf-8"))
    return sorted(each["path"] for each in report["artifacts"])


def test_no_name_is_a_command_or_code(act: Act, repository: Repository, tmp_path: Path) -> None:
    for name in ODD_NAMES:
        put_raw(repository, name, GOOD)
    repository.base = repository.commit()
    for name in ODD_NAMES:
        put_raw(repository, name, BAD)
    put_raw(repository, b"\n::error::new.pte", LINEAR)
    repository.commit()
    run = act(diff_fail_on="any")
    assert run.code == 1, run.steps
    assert run.outputs["count"] == str(len(ODD_NAMES) + 1)
    assert run.outputs["code"] == "1"
    assert len(paths(run)) == len(ODD_NAMES) + 1
    found = commands(run)
    assert sum(line.startswith("::error ") for line in found) >= len(ODD_NAMES)
    assert [line for line in found if not ANNOTATION.match(line)] == []
    assert not [line for line in found if "title=pte-lint::all is well" in line]
    assert list(repository.path.rglob("owned")) == []
    body = (tmp_path / "gh.log.body").read_text("utf-8")
    assert "\n::" not in body + run.summary
    assert "`\\| a \\| <b>bold @everyone.pte`" in run.summary


def test_links_and_devices_are_refused_and_never_opened(
    act: Act, repository: Repository, tmp_path: Path
) -> None:
    outside = tmp_path / "outside.pte"
    outside.write_bytes(LINEAR.read_bytes())
    repository.put("real.pte", LINEAR)
    links = {
        "model.pte": "/dev/zero",
        "out.pte": str(outside),
        "up.pte": "../outside.pte",
        "git.pte": ".git/config",
        "gone.pte": "nowhere",
        "loop.pte": "loop.pte",
        "folder.pte": "sub",
        "good.pte": "real.pte",
    }
    (repository.path / "sub").mkdir()
    repository.put("sub/inner.pte", GOOD)
    repository.put("dir.pte/notes.txt", b"text")
    for name, target in links.items():
        (repository.path / name).unlink(missing_ok=True)
        (repository.path / name).symlink_to(target)
    repository.put("fifo.pte", LINEAR)
    repository.commit()
    (repository.path / "fifo.pte").unlink()
    os.mkfifo(repository.path / "fifo.pte")
    run = act(diff_fail_on="any")
    bad = ["fifo.pte", "git.pte", "gone.pte", "loop.pte", "model.pte", "out.pte", "up.pte"]
    assert paths(run) == ["folder.pte/inner.pte", "good.pte", "real.pte", "sub/inner.pte"]
    assert run.outputs["count"] == str(len(bad) + 4)
    assert run.code == 2
    assert run.outputs["code"] == "2"
    for name in bad:
        assert (
            f"::error file={name},line=1,title=pte-lint::not checked: " in run.step("lint").stdout
        )
        assert f"- `{name}`: " in run.summary
    assert "model.pte" not in run.step("compare").stdout
    # The same when the workflow names the folder.
    again = act(paths=".", pull_request=False)
    assert again.code == 2
    assert not set(paths(again)) & set(bad)


def test_nothing_of_the_checkout_runs(repository: Repository, tmp_path: Path, tools: Path) -> None:
    """All of it, the installation too; only the forge's own client is a stand-in."""
    repository.put("exported/model.pte", GOOD)
    repository.base = repository.commit()
    repository.put("exported/model.pte", PAIRED)
    head = repository.commit()
    trap = Trap(repository.path, tmp_path / "trace")
    temp = tmp_path / "temp"
    temp.mkdir()
    clients = tmp_path / "clients"
    clients.mkdir()
    shutil.copy(tools / "gh", clients / "gh")
    environment = {**os.environ, **careless(repository.path), "GH_LOG": str(tmp_path / "gh.log")}
    environment["PATH"] = environment["PATH"].replace(
        os.environ["PATH"], f"{clients}{os.pathsep}{os.environ['PATH']}"
    )
    event = {"number": 7, "base": {"sha": repository.base}, "head": {"sha": head}}
    run = run_action(
        ROOT,
        repository.path,
        temp,
        inputs={
            "install": f"--no-index\n--no-deps\n{stand_in(tmp_path)}",
            "diff-fail-on": "placement",
        },
        github={"event": {"pull_request": event}, "repository": "owner/name", "token": "secret"},
        environment=environment,
        replaced={},
    )
    assert trap.sprung == ""
    assert [(step.step, step.stderr) for step in run.steps if step.code] == [
        (run.steps[-1].step, "")
    ], run.steps
    assert run.outputs["code"] == "0"
    assert paths(run) == ["exported/model.pte"]
    assert "placement" in run.summary
    assert "POST" in (tmp_path / "gh.log").read_text()


def test_the_trap_works(repository: Repository, tmp_path: Path) -> None:
    """What the test above rests on: run carelessly, the planted files do run."""
    trap = Trap(repository.path, tmp_path / "trace")
    for command in (["python3", "-m", "pip"], ["git", "status"], ["git", "diff", "HEAD"]):
        environment = {**os.environ, "PYTHONPATH": ""}
        subprocess.run(
            command, cwd=repository.path, capture_output=True, check=False, env=environment
        )
    assert "pip.py" in trap.sprung or "pip/" in trap.sprung
    assert "evil" in trap.sprung
    before = trap.sprung
    subprocess.run(
        ["bash", "-c", "dirname x"],
        cwd=repository.path,
        env={**os.environ, **careless(repository.path)},
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert trap.sprung != before
