"""Real runners for the recipes of docs/ci.md, on a machine without the services behind them.

`scripts/hosts` gets them. What a runner would fetch from outside lies here: pte-lint is the
checkout, as a repository and as a wheel, and pip takes all else from a folder of wheels. Actions of
others are replaced, through the runner's own option for that, by what they come down to without a
service.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pytest

from tests.support.look import DATA

ROOT: Final = DATA.parents[1]
TOOLS: Final = ROOT / "build" / "hosts"
_OURS: Final = (
    *("action.yml", ".pre-commit-hooks.yaml", "LICENSE", "README.md", "pyproject.toml"),
    *("pte_lint", "rules", "schema", "scripts/action"),
)

ACTIONS: Final = {
    # One commit, as the original fetches it, of the repository that ORIGIN names.
    "actions/checkout@v4": {
        "": (
            {"ref": "${{ github.sha }}", "path": ".", "lfs": "", "persist-credentials": ""},
            'git init --quiet "$WITH_PATH" && cd "$WITH_PATH"\n'
            'git remote add origin "$ORIGIN"\n'
            'git fetch --quiet --depth=1 --no-tags origin "${WITH_REF:-$GITHUB_SHA}"\n'
            "git checkout --quiet --detach FETCH_HEAD\n",
        )
    },
    "actions/upload-artifact@v4": {
        "": (
            {"name": "", "path": "", "if-no-files-found": ""},
            'mkdir -p "$STORE" && cp -r "$WITH_PATH" "$STORE/$WITH_NAME"\n',
        )
    },
    "actions/download-artifact@v4": {
        "": (
            {"name": "", "path": ""},
            'mkdir -p "$WITH_PATH" && cp -r "$STORE/$WITH_NAME/." "$WITH_PATH"\n',
        )
    },
    "github/codeql-action@v3": {
        "upload-sarif": (
            {"sarif_file": "", "category": "", "checkout_path": ""},
            'mkdir -p "$STORE" && cp "$WITH_SARIF_FILE" "$STORE/uploaded.sarif"\n',
        )
    },
}
"""What stands in for other actions: by folder in the repository, inputs with defaults, a script."""


def need() -> None:
    """Skips where `scripts/hosts` was not run, but never where CI asks for it."""
    if not (TOOLS / "ready").is_file():
        if os.environ.get("CI") == "true":
            pytest.fail("the runners must be there on CI: scripts/hosts gets them")
        pytest.skip("needs scripts/hosts")


def publish(repository: Path) -> None:
    """Makes a repository of the checkout, with a release, as others find it."""
    for name in _OURS:
        to = repository / name
        to.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, to, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, to)
    identity = ["-c", "user.name=Test", "-c", "user.email=test@example.org"]
    for arguments in (
        ["init", "--quiet", "--initial-branch=main"],
        ["add", "--all"],
        [*identity, "commit", "--quiet", "--message=release"],
        ["tag", "v0.1.0"],
    ):
        subprocess.run(["git", *arguments], cwd=repository, check=True)


def build(repository: Path, wheels: Path) -> None:
    """Makes a wheel of it, beside those of what it needs, as an index has them."""
    shutil.copytree(TOOLS / "wheels", wheels)
    source = wheels.with_name("source")
    shutil.copytree(repository, source, ignore=shutil.ignore_patterns(".git"))
    python = TOOLS / "venv" / "bin" / "python"
    command = [python, "-I", "-m", "pip", "wheel", "--quiet", "--no-index", "--no-deps"]
    command += [f"--find-links={wheels}", f"--wheel-dir={wheels}", source]
    subprocess.run(command, check=True)


@dataclass
class Said:
    """One run of a workflow by act."""

    code: int
    entries: list[dict[str, Any]]
    errors: str

    @property
    def annotations(self) -> list[tuple[str, str, str]]:
        """Level, file and title of each that names a file, in order."""
        return [
            (each["command"], each["kvPairs"]["file"], each["kvPairs"]["title"])
            for each in self.entries
            if each.get("command") in ("error", "warning", "notice") and "file" in each["kvPairs"]
        ]

    @property
    def summary(self) -> str:
        """The summary of the job."""
        return "".join(e["content"] for e in self.entries if e.get("command") == "summary")

    @property
    def text(self) -> str:
        """All that it said, to be shown when a test fails."""
        return "\n".join([*(str(e.get("msg", "")) for e in self.entries), self.errors])

    def results(self) -> dict[str, str]:
        """How each job ended."""
        return {e["jobID"]: e["jobResult"] for e in self.entries if "jobResult" in e}


@dataclass
class Host:
    """A machine of one test's own."""

    folder: Path
    published: Path
    """pte-lint's repository."""
    wheels: Path = TOOLS / "wheels"
    environment: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Lays out its home, and the forge's client, which records what it is told."""
        home, bin_ = self.folder / "home", self.folder / "bin"
        for made in (home, bin_, self.store):
            made.mkdir(parents=True)
        remote = f"file://{self.published}"
        (home / ".gitconfig").write_text(
            f'[url "{remote}"]\n\tinsteadOf = https://github.com/OWNER/pte-lint\n'
            "[user]\n\tname = Test\n\temail = test@example.org\n"
            # gitlab-ci-local takes a quoted name for the name.
            "[core]\n\tquotePath = false\n"
            "[uploadpack]\n\tallowAnySHA1InWant = true\n"
        )
        # The one of pip's settings that --isolated keeps: those of the machine.
        settings = self.folder / "xdg" / "pip" / "pip.conf"
        settings.parent.mkdir(parents=True)
        settings.write_text(
            f"[global]\nno-index = true\nfind-links = {self.wheels}\n"
            "disable-pip-version-check = true\n"
        )
        gh = bin_ / "gh"
        gh.write_text(
            "#!/usr/bin/env bash\n"
            f"echo \"$@\" >> '{self.store}/gh.log'\n"
            f'for word in "$@"; do case "$word" in body=@*) cp "${{word#body=@}}" '
            f"'{self.store}/comment.md';; esac; done\n"
        )
        gh.chmod(0o755)
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("PIP_", "PYTHON", "GIT_", "GITHUB_", "PTE_LINT_", "CI"))
        }
        python = TOOLS / "venv" / "bin"
        self.environment = {
            **kept,
            "HOME": str(home),
            "XDG_CONFIG_DIRS": str(self.folder / "xdg"),
            "XDG_CACHE_HOME": str(self.folder / "cache"),
            "PATH": os.pathsep.join(
                [str(bin_), str(self.folder / "python" / "bin"), str(python), kept["PATH"]]
            ),
        }

    def give_python(self) -> None:
        """Makes the Python on its path one into which recipes may install."""
        maker = TOOLS / "venv" / "bin" / "virtualenv"
        done = self.run([maker, "--quiet", self.folder / "python"], self.folder)
        assert done.returncode == 0, done.stderr

    @property
    def store(self) -> Path:
        """What reached the services."""
        return self.folder / "store"

    def run(
        self, command: list[str | Path], folder: Path, **more: str
    ) -> subprocess.CompletedProcess[str]:
        """Runs a command there."""
        return subprocess.run(
            command,
            cwd=folder,
            env={**self.environment, **more},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )

    def act(self, repository: Path, event: str, payload: dict[str, Any]) -> Said:
        """Runs the repository's workflows for an event."""
        told = self.folder / "event.json"
        told.write_text(json.dumps(payload), "utf-8")
        command: list[str | Path] = [TOOLS / "venv" / "bin" / "act", event, "--json"]
        command += ["--platform=ubuntu-latest=-self-hosted", "--no-skip-checkout", "--pull=false"]
        command += [f"--eventpath={told}", f"--action-cache-path={self.folder / 'act'}"]
        command += ["--no-cache-server", f"--env=ORIGIN=file://{repository}"]
        command += [f"--env=STORE={self.store}", "--secret=GITHUB_TOKEN=not-to-be-shown"]
        command += [f"--local-repository=OWNER/pte-lint@v0.1.0={self.published}"]
        for name in ACTIONS:
            command.append(f"--local-repository={name}={self._stand_in(name)}")
        done = self.run(command, repository)
        entries = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        return Said(done.returncode, entries, done.stderr)

    def _stand_in(self, name: str) -> Path:
        """Writes what stands in for another action; returns its repository."""
        place = self.folder / "actions" / name.replace("/", "-")
        for below, (inputs, script) in ACTIONS[name].items():
            variables = {
                f"WITH_{each.upper().replace('-', '_')}": f"${{{{ inputs.{each} }}}}"
                for each in inputs
            }
            step = {"shell": "bash", "run": script, "env": variables}
            given = {each: {"default": default} for each, default in inputs.items()}
            action = {
                "name": name,
                "inputs": given,
                "runs": {"using": "composite", "steps": [step]},
            }
            file = place / below / "action.yml"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(action), "utf-8")
        return place


def gitlab(host: Host, repository: Path, base: str) -> subprocess.CompletedProcess[str]:
    """Runs the repository's GitLab pipeline for a merge request."""
    command: list[str | Path] = [TOOLS / "node" / "node_modules" / ".bin" / "gitlab-ci-local"]
    command += ["--force-shell-executor", "--variable=CI_PIPELINE_SOURCE=merge_request_event"]
    command += [f"--variable=CI_MERGE_REQUEST_DIFF_BASE_SHA={base}"]
    return host.run(command, repository)


def pre_commit(host: Host, repository: Path, *arguments: str) -> str:
    """Runs pre-commit; returns what it says, and fails if it fails."""
    tool = TOOLS / "venv" / "bin" / "pre-commit"
    done = host.run([tool, *arguments], repository)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
