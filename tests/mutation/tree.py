"""Tries a change in a copy of the checkout: of what runs when a module is imported, or elsewhere
than in the tests' own process.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence

from tests.mutation.changes import Mutant
from tests.mutation.places import KEPT, ROOT
from tests.mutation.trial import Ending

TREE = KEPT / "tree"

_SLOWER = 5
_SPARE = 120


def prepare() -> None:
    """Copies what git has or would add, and lays the package out in the copy."""
    shutil.rmtree(TREE, ignore_errors=True)
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, check=True).stdout
    for name in names.decode().split("\0"):
        if name and (ROOT / name).is_file():
            (TREE / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, TREE / name, follow_symlinks=False)
    subprocess.run([TREE / "scripts" / "devtree"], check=True, capture_output=True)


def attempt(mutant: Mutant, asked: Sequence[tuple[str, float]]) -> Ending:
    """Runs the tests with the change, in a process that imports everything from the copy."""
    place = TREE / mutant.file
    source = place.read_bytes()
    limit = _SPARE + _SLOWER * sum(seconds for _, seconds in asked)
    wanted = KEPT / f"asked-{os.getpid()}"
    wanted.write_text("\n".join(name for name, _ in asked), "utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-x", "--no-header", "-p", "no:cacheprovider"]
    path = f"{TREE / 'build' / 'devtree'}{os.pathsep}{TREE}"
    place.write_bytes(mutant.apply(source))
    try:
        done = subprocess.run(
            [*command, f"@{wanted}"],
            cwd=TREE,
            env=os.environ | {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            timeout=limit,
        )
    except subprocess.TimeoutExpired:
        return Ending("killed", "time")
    finally:
        place.write_bytes(source)
        wanted.unlink()
    if done.returncode == 0:
        return Ending("survived", tests=len(asked))
    failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return Ending("killed", failed[0].split(" - ")[0].partition(" ")[2] if failed else "import")
