"""The same files through what people would use instead."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import Command, check_command, environment, in_turn, own_python, run
from benchmarks.parts import Row

_READER = "from executorch.exir._serialize._program import deserialize_pte_binary"
_DIFF = "executorch.devtools.pte_tool.diff_pte"


def peers(files: dict[str, Path], executorch: str, repeat: int) -> Iterator[Row]:
    """A whole check beside ExecuTorch's own Python reader, imports included and apart.

    Args:
        files: what is read, by name.
        executorch: a Python that has executorch with torch.
        repeat: how often each is measured.
    """
    imports = run([executorch, "-c", _READER], repeat)
    for name, path in files.items():
        reads = [executorch, "-c", f"{_READER}; deserialize_pte_binary({_open(path)})"]
        check, reader = in_turn([check_command(str(path)), reads], repeat)
        alone = reader.seconds - imports.seconds
        yield {
            "what": name,
            "check": check.seconds,
            "reader": reader.seconds,
            "imports": imports.seconds,
            "ratio": check.ratio(reader),
            "ratio_alone": check.seconds / alone if alone > 0 else None,
            "check_wall": check.wall,
            "reader_wall": reader.wall,
            "check_mebibytes": check.mebibytes,
            "reader_mebibytes": reader.mebibytes,
        }


def differences(files: dict[str, Path], executorch: str, repeat: int) -> Iterator[Row]:
    """`pte-lint diff` beside the diff of ExecuTorch's devtools: a file against itself."""
    found = _output([executorch, "-c", f"import {_DIFF}"])
    if found is None:
        yield {"what": "-", "skipped": f"this ExecuTorch has no {_DIFF}"}
        return
    for name, path in files.items():
        pair = (str(path), str(path))
        ours = own_python("-m", "pte_lint", "diff", *pair)
        theirs = [executorch, "-m", _DIFF, *pair]
        diff, peer = in_turn([ours, theirs], repeat)
        yield {
            "what": name,
            "diff": diff.seconds,
            "peer": peer.seconds,
            "ratio": diff.ratio(peer),
            "diff_mebibytes": diff.mebibytes,
            "peer_mebibytes": peer.mebibytes,
        }


def version(executorch: str) -> str | None:
    """The version of the ExecuTorch that a Python has; None without one."""
    code = "from importlib.metadata import version; print(version('executorch'))"
    return _output([executorch, "-c", code])


def _output(command: Command) -> str | None:
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        env=environment(),
        cwd=tempfile.gettempdir(),
    )
    return done.stdout.strip() if done.returncode == 0 else None


def _open(path: Path) -> str:
    return f"open({str(path)!r}, 'rb').read()"
