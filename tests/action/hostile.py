"""What a pull request may bring to have something of its own run, and how to see that it did."""

from __future__ import annotations

import os
import re
import sys
import zipfile
from pathlib import Path

from tests.support.action import ActionRun
from tests.support.processes import python_path

MODULES = (
    "pip",
    "pip/__main__",
    "venv/__main__",
    "ensurepip",
    "pte_lint/__init__",
    "pte_lint/__main__",
    "steps/__init__",
    "sitecustomize",
    "usercustomize",
    "json",
    "runpy",
    "click",
    "pytest",
    "setup",
    "conftest",
    "test_it",
    "exported/conftest",
    "exported/test_it",
    "evil",
)
COMMANDS = ("git", "gh", "python", "python3", "pte-lint", "dirname", "mkdir", "rm", "bash", "env")

ANNOTATION = re.compile(r"::(error|warning|notice) (file=[^\r\n]*,line=1,)?title=")


class Trap:
    """Files which leave a trace when anything runs them."""

    def __init__(self, checkout: Path, trace: Path) -> None:
        """Plants them.

        Args:
            checkout: where; what is already there stays.
            trace: a file that does not exist, outside of it.
        """
        self._trace = trace
        python = f"open({str(trace)!r}, 'a').write(__file__ + '\\n')\n"
        shell = f"#!/bin/sh\necho \"$0\" >> '{trace}'\ncat\nexit 0\n"
        files = {f"{name}.py": python for name in MODULES}
        files |= {"exported/test_it.txt": f">>> _ = open({str(trace)!r}, 'a').write('doctest')\n"}
        files |= dict.fromkeys(COMMANDS, shell) | {f"bin/{name}": shell for name in COMMANDS}
        files |= {
            "evil-1.dist-info/METADATA": "Name: evil\nVersion: 1\n",
            "evil-1.dist-info/entry_points.txt": "[pte_lint.rules]\nevil = evil:RULES\n"
            "[pytest11]\nevil = evil\n",
            "pytest.ini": "[pytest]\naddopts = -p evil\n",
            "setup.cfg": "[tool:pytest]\naddopts = -p evil\n",
            "pip.conf": "[global]\nno-such-option = 1\nproxy = http://127.0.0.1:9/\n",
            ".python-version": "../../evil\n",
            ".tool-versions": "python path:./bin\n",
            ".envrc": f"echo envrc >> '{trace}'\n",
            ".gitattributes": "*.pte filter=evil diff=evil text eol=crlf\n",
            ".lfsconfig": "[lfs]\n\turl = http://127.0.0.1:9/\n",
            ".gitmodules": '[submodule "x"]\n\tpath = x\n\turl = ext::sh -c evil\n',
            ".git/hooks/post-checkout": shell,
            ".git/hooks/reference-transaction": shell,
            ".git/hooks/fsmonitor": shell,
            ".git/evil": shell,
        }
        for name, text in files.items():
            path = checkout / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            if text == shell:
                path.chmod(0o755)
        evil = checkout / ".git" / "evil"
        with (checkout / ".git" / "config").open("a") as config:
            config.write(f'[core]\n\tfsmonitor = "{evil}"\n\tpager = "{evil}"\n')
            config.write(f'[diff]\n\texternal = "{evil}"\n[diff "evil"]\n\ttextconv = "{evil}"\n')
            config.write(f'\tcommand = "{evil}"\n[filter "evil"]\n\tclean = "{evil}"\n')
            config.write(f'\tsmudge = "{evil}"\n\tprocess = "{evil}"\n\trequired = true\n')

    @property
    def sprung(self) -> str:
        """What ran, one line each."""
        return self._trace.read_text() if self._trace.exists() else ""


def careless(checkout: Path) -> dict[str, str]:
    """Variables that lead tools into the checkout, as workflows set them now and then."""
    return {
        "PATH": os.pathsep.join((".", "", "bin", str(checkout), os.environ["PATH"])),
        "PYTHONPATH": f".{os.pathsep}{checkout}",
        "PYTHONSTARTUP": str(checkout / "evil.py"),
        "PYTHONUSERBASE": str(checkout),
        "PIP_CONFIG_FILE": str(checkout / "pip.conf"),
        "PIP_REQUIRE_VIRTUALENV": "nonsense",
        "PYTEST_ADDOPTS": "",
        "GIT_EXTERNAL_DIFF": str(checkout / ".git" / "evil"),
        "CDPATH": str(checkout),
    }


def commands(run: ActionRun) -> list[str]:
    """The lines that the runner takes for commands, as it does: `##[` counts anywhere in a line."""
    printed = [text for step in run.steps for text in (step.stdout, step.stderr)]
    every = [line for text in printed for line in re.split(r"\r\n|\n|\r", text)]
    return [line for line in every if line.lstrip().startswith("::") or "##[" in line]


def stand_in(folder: Path) -> Path:
    """A wheel that pip installs without a network: it makes this process's pte-lint importable."""
    paths = [*filter(None, python_path().split(os.pathsep)), *filter(None, sys.path)]
    lines = "".join(f"import site; site.addsitedir({p!r})\n" for p in paths if Path(p).is_dir())
    wheel = folder / "stand_in-1-py3-none-any.whl"
    info = "stand_in-1.dist-info"
    with zipfile.ZipFile(wheel, "w") as file:
        file.writestr("stand_in.pth", lines)
        file.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: stand-in\nVersion: 1\n")
        file.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        file.writestr(
            f"{info}/RECORD",
            f"stand_in.pth,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n",
        )
    return wheel
