"""Gives one input to every command, in this process, and looks at what is printed and how it ends.

What the commands are made of is tried by `tests.fuzz.exercise`, on every input; here is what lies
around that: reading files, options, streams and exit codes.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from click.testing import CliRunner, Result

from pte_lint.cli.app import app
from tests.support import sanitised

_TAKES: Final[dict[str, tuple[tuple[str, ...], str, Callable[[str], None]]]] = {
    "check": (("--isolated", "--no-cache"), "01", sanitised.plain),
    "check json": (("--isolated", "--no-cache", "--format", "json"), "01", sanitised.data),
    "inspect": (("--instructions", "--delegates", "--all"), "02", sanitised.plain),
    "inspect json": (("--json", "--instructions"), "02", sanitised.data),
    "graph": (("--isolated", "--svg"), "02", sanitised.picture),
    "graph json": (("--isolated", "--json"), "02", sanitised.data),
    "graph dot": (("--isolated", "--dot"), "02", sanitised.dot),
    "memory": (("--isolated", "--svg"), "02", sanitised.picture),
    "report": (("--isolated",), "02", sanitised.plain),
    "diff": (("--isolated",), "02", sanitised.plain),
    "diff json": (("--isolated", "--format", "json"), "02", sanitised.data),
    "diff markdown": (("--isolated", "--format", "markdown"), "02", sanitised.markdown),
    "contract": ((), "02", sanitised.plain),
    "fix": (("--isolated", "--check"), "01", sanitised.plain),
    "fix --diff": (("--isolated", "--diff", "--unsafe-fixes", "--replan"), "012", sanitised.plain),
    "confirm": (("--isolated",), "012", sanitised.plain),
    "confirm json": (("--isolated", "--format", "json"), "012", sanitised.data),
}
"""By name: options, exit codes that are right for some file, and what holds for the output."""


def every_command(program: bytes, data: Sequence[bytes], *, confirm: bool) -> None:
    """Gives an input to every command, and with `confirm` to the real runtime too.

    Raises:
        AssertionError: One ended otherwise than commands end, printed what it must not, or two of
            them disagree.
    """
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        (folder / "input.pte").write_bytes(program)
        files: list[str] = []
        for number, content in enumerate(data):
            (folder / f"{number}.ptd").write_bytes(content)
            files += ["--data", str(folder / f"{number}.ptd")]
        codes = {
            name: _code(name, folder, files)
            for name in _TAKES
            if confirm or not name.startswith("confirm")
        }
        assert codes["check"] == codes["check json"], codes
        if codes["contract"] == 0:
            assert codes["check"] == 0, f"a program with errors promises something: {codes}"
        assert codes["inspect"] == codes["inspect json"], codes
        assert codes["graph"] == codes["graph json"] == codes["graph dot"], codes


def _code(name: str, folder: Path, files: Sequence[str]) -> int:
    options, codes, holds = _TAKES[name]
    program = str(folder / "input.pte")
    words = [name.split(maxsplit=1)[0], *options, program, *files]
    if name.startswith("diff"):
        words.append(program)
    if name == "report":
        words += ["-o", str(folder / "page.html")]
    done: Result = CliRunner().invoke(app, words, prog_name="pte-lint", env={"CI": "1"})
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert "internal error" not in done.stderr, done.stderr
    assert str(done.exit_code) in codes, f"{name}: exit {done.exit_code}: {done.stderr}"
    sanitised.plain(done.stderr)
    if done.exit_code == 2:
        assert done.stderr.startswith("error: "), done.stderr
    if done.exit_code != 2 or done.stdout:
        holds(done.stdout)
    if name == "report" and done.exit_code == 0:
        sanitised.page((folder / "page.html").read_text("utf-8"))
        os.unlink(folder / "page.html")  # noqa: PTH108 - a test's own file
    return done.exit_code
