"""A hostile program with the fence's own sources around it: as root and as an ordinary user."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pte_lint.harness.build import SOURCES, find_compiler
from pte_lint.harness.errors import HarnessUnavailable

SOURCE = Path(__file__).parent / "attacker.cpp"
FENCE = (SOURCES / "sandbox.cpp", SOURCES / "syscall_filter.cpp")
USERS = [
    pytest.param("", id="as myself"),
    *(
        pytest.param(
            user,
            id=f"as user {user}",
            marks=pytest.mark.skipif(os.geteuid() != 0, reason="only root becomes another user"),
        )
        for user in ("65534", "1500")
    ),
]

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="there is a fence on Linux only"
)

Attacks = dict[str, list[str]]


@pytest.fixture(scope="module")
def attack(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Attacks]:
    """Runs the attacker, fenced or not, as a user; what became of each attack."""
    try:
        compiler = find_compiler()
    except HarnessUnavailable as reason:
        if os.environ.get("CI") == "true":
            pytest.fail(f"the compiler must be there on CI: {reason}")
        pytest.skip(str(reason))
    program = tmp_path_factory.mktemp("attacker") / "attacker"
    command = [*compiler, "-std=c++17", "-O1", "-pthread", f"-I{SOURCES}", str(SOURCE)]
    subprocess.run([*command, *map(str, FENCE), "-o", str(program)], check=True, timeout=300)
    program.parent.chmod(0o755)

    def run(mode: str, user: str) -> Attacks:
        words = [str(program), mode, *([user] if user else [])]
        # From memory, for an ordinary user may not look into root's folders.
        with program.open("rb") as file:
            done = subprocess.run(
                words,
                executable=f"/proc/self/fd/{file.fileno()}",
                pass_fds=(file.fileno(),),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                check=False,
                timeout=300,
            )
        assert (done.returncode, done.stderr) == (0, "")
        results: Attacks = {}
        for line in done.stdout.splitlines():
            name, result, *_ = line.split()
            results.setdefault(name, []).append(result)
        return results

    return run


@pytest.mark.parametrize("user", USERS)
def test_every_attack_is_refused(attack: Callable[[str, str], Attacks], user: str) -> None:
    results = attack("fenced", user)
    assert len(results) > 100
    assert {name: told for name, told in results.items() if "done" in told} == {}
    skipped = {name for name, told in results.items() if "refused" not in told}
    assert skipped <= {"old_numbers", "numbers_of_x32"}, "of another architecture, or not built in"


@pytest.mark.parametrize("user", USERS)
def test_without_the_fence_they_work(attack: Callable[[str, str], Attacks], user: str) -> None:
    """So that a refusal is the fence's, and not the attacker's own clumsiness."""
    results = attack("open", user)
    assert len(results) > 70
    assert {name: told for name, told in results.items() if "done" not in told} == {}
