"""What the quick commands must not import, and that stdin, pipes and processes really work."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.files import FIXABLE
from tests.pte_lint.cli.conftest import MODEL

FOREIGN = (
    "pydantic", "rich", "jinja2", "numpy", "torch", "executorch", "fsspec", "aiohttp", "pyarrow",
    "distributed",
)  # fmt: skip
HEAVY = ("networkx", "flatbuffers", *FOREIGN)

_PROBE = """
import sys
sys.argv[0] = "pte-lint"
from pte_lint.cli import main
try:
    main()
finally:
    loaded = [name for name in {heavy!r} if name in sys.modules]
    print("loaded:", *loaded, file=sys.stderr)
"""


def python(*args: str, **extra: object) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONSAFEPATH": "1"}
    return subprocess.run(
        [sys.executable, *args],
        capture_output=True,
        text=True,
        env=env,
        check=False,
        **extra,  # type: ignore[call-overload]
    )


@pytest.mark.parametrize(
    "words",
    [
        ("--help",),
        ("--version",),
        ("check", "--help"),
        ("explain", "--help"),
        ("report", "--help"),
        ("memory", "--help"),
        ("graph", "--help"),
        ("contract", "--help"),
        ("rules",),
        ("rules", "--format", "json"),
        ("rules", "--format", "markdown"),
    ],
    ids=" ".join,
)
def test_quick_commands_import_nothing_heavy(words: tuple[str, ...]) -> None:
    result = python("-c", _PROBE.format(heavy=HEAVY), *words)
    assert result.returncode == 0
    assert result.stderr.splitlines()[-1] == "loaded:"


def test_explain_imports_nothing_heavy() -> None:
    import pte_lint.rules

    if not pte_lint.rules.RULES:
        pytest.skip("the catalogue is empty")
    result = python("-c", _PROBE.format(heavy=HEAVY), "explain", pte_lint.rules.RULES[0].id)
    assert result.returncode == 0
    assert result.stderr.splitlines()[-1] == "loaded:"


def test_a_plain_check_needs_no_pydantic_rich_or_jinja(tmp_path: Path) -> None:
    for form in ("text", "json"):
        result = python(
            "-c", _PROBE.format(heavy=HEAVY), "check", str(MODEL), "--format", form, cwd=tmp_path
        )
        loaded = result.stderr.splitlines()[-1].split()[1:]
        assert not set(loaded) & {*FOREIGN}


def test_a_repair_imports_no_numpy(tmp_path: Path) -> None:
    goal = tmp_path / "repaired.pte"
    words = ("fix", "--isolated", "--no-run", str(FIXABLE), "-o", str(goal))
    result = python("-c", _PROBE.format(heavy=HEAVY), *words, cwd=tmp_path)
    assert result.returncode == 0
    assert goal.exists()
    assert result.stderr.splitlines()[-1] == "loaded: flatbuffers"


def test_numpy_can_be_imported_after_it_was_left_out() -> None:
    left_out = "from pte_lint.cli.small_flatbuffers import import_flatbuffers as i; i()"
    told = "import sys; print('numpy' in sys.modules, 'flatbuffers' in sys.modules)"
    after = "import numpy; from flatbuffers import builder; print(builder.np is None)"
    result = python("-c", f"{left_out}; {told}; {after}")
    assert result.stdout.split() == ["False", "True", "True"]
    result = python("-c", f"import numpy; {left_out}; {after}")
    assert result.stdout.split() == ["False"]


def test_the_module_runs_as_a_program() -> None:
    result = python("-m", "pte_lint", "--version")
    assert result.returncode == 0
    assert result.stdout.startswith("pte-lint ")


def test_several_processes_give_the_same_bytes(tmp_path: Path) -> None:
    for index in range(5):
        (tmp_path / f"{index}.pte").write_bytes(MODEL.read_bytes())
    (tmp_path / "bad.pte").write_bytes(b"nothing")
    texts = [
        python("-m", "pte_lint", "check", ".", "--format", "json", "-j", jobs, cwd=tmp_path)
        for jobs in ("1", "2", "0")
    ]
    assert texts[0].stdout
    assert len({(t.stdout, t.returncode) for t in texts}) == 1


def test_a_reader_that_goes_away_is_no_traceback(tmp_path: Path) -> None:
    for index in range(40):
        (tmp_path / f"{index}.pte").write_bytes(MODEL.read_bytes())
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONSAFEPATH": "1"}
    with subprocess.Popen(
        [sys.executable, "-m", "pte_lint", "check", ".", "--format", "json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env=env,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert b"Traceback" not in process.stderr.read()


def test_a_terminal_that_knows_ascii_only_gets_escapes(tmp_path: Path) -> None:
    path = tmp_path / "größe.pte"
    path.write_bytes(MODEL.read_bytes())
    env = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(sys.path),
        "PYTHONSAFEPATH": "1",
        "PYTHONIOENCODING": "ascii",
    }
    result = subprocess.run(
        [sys.executable, "-m", "pte_lint", "check", path.name],
        capture_output=True,
        env=env,
        cwd=tmp_path,
        check=False,
    )
    assert result.returncode in (0, 1)
    assert rb"gr\xf6\xdfe.pte" in result.stdout
