"""What starting costs: a small file checked or repaired, and commands that only tell something."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.files import FIXABLE, SMALL
from benchmarks.measure import Command, check_command, environment, in_turn, own_python
from benchmarks.parts import Row

_REQUIRED = ("click", "flatbuffers", "jinja2", "networkx", "platformdirs", "pydantic", "rich")
"""The run-time dependencies, by the names they are imported by."""
_LOADED = """
import runpy, sys
sys.argv = ["pte-lint", "check", "--isolated", {path!r}]
try:
    runpy.run_module("pte_lint", run_name="__main__")
except SystemExit:
    pass
print("\\n" + " ".join(name for name in {required!r} if name in sys.modules))
"""


def cold_start(repeat: int) -> Iterator[Row]:
    """A cold check and the quick commands beside processes that import packages only."""
    used = _used()
    check = check_command(str(SMALL))
    what = f"check of a {SMALL.stat().st_size} byte file"
    yield _row(what, check, "the packages it loads", used, repeat)
    yield _row("the same", check, "all required packages", _REQUIRED, repeat)
    yield from _repairs(repeat)
    for words in (["--help"], ["--version"], ["explain", "PTE301"], ["rules"]):
        command = own_python("-m", "pte_lint", *words)
        yield _row(f"pte-lint {' '.join(words)}", command, "click", ("click",), repeat)


def _repairs(repeat: int) -> Iterator[Row]:
    """A repair of one finding, without and with the proof on the real runtime."""
    with tempfile.TemporaryDirectory(prefix="pte-lint-bench-") as folder:
        goal = str(Path(folder, "repaired.pte"))
        command = [*own_python("-m", "pte_lint", "fix", "--isolated"), str(FIXABLE), "-o", goal]
        what = f"fix of one finding in a {FIXABLE.stat().st_size} byte file"
        yield _row(f"{what}, --no-run", [*command, "--no-run"], "click", ("click",), repeat)
        yield _row("the same, run where the runtime is", command, "click", ("click",), repeat)


def _used() -> tuple[str, ...]:
    code = _LOADED.format(path=str(SMALL), required=_REQUIRED)
    done = subprocess.run(
        own_python("-c", code), stdout=subprocess.PIPE, text=True, check=False, env=environment()
    )
    return tuple(done.stdout.splitlines()[-1].split())


def _row(what: str, command: Command, named: str, modules: tuple[str, ...], repeat: int) -> Row:
    imports = own_python("-c", "; ".join(f"import {name}" for name in modules) or "pass")
    shown, base = in_turn([command, imports], repeat)
    listed = ", ".join(modules)
    return {
        "what": what,
        "against": f"importing {named if named == listed else f'{named} ({listed})'}",
        "seconds": shown.seconds,
        "base": base.seconds,
        "ratio": shown.ratio(base),
        "wall": shown.wall,
        "mebibytes": shown.mebibytes,
    }
