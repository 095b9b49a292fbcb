"""`check --scheduler`: workers of Dask judge, each artifact in a process of its own."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pte_lint.cli.app import app
from pte_lint.store.folder import UNFINISHED
from tests.support import stores
from tests.support.processes import environment

stores.need("pyarrow", "distributed")


@pytest.fixture(autouse=True)
def zoo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        monkeypatch.setenv(name, "1")


def many(count: int) -> list[str]:
    """Programs, every tenth of them bad, and one file that cannot be read."""
    Path("zoo").mkdir()
    good, bad = stores.GOOD.read_bytes(), stores.BAD.read_bytes()
    names = [f"zoo/{n:04}.pte" for n in range(count)]
    for n, name in enumerate(names):
        Path(name).write_bytes((good if n % 10 else bad) + n.to_bytes(4, "little"))
    Path(names[5]).unlink()
    Path(names[5]).symlink_to("nowhere")
    return names


def check(into: str, *args: object) -> Result:
    words = ["check", "--isolated", "zoo", "--output", f"parquet={into}", *map(str, args)]
    return CliRunner().invoke(app, words, prog_name="pte-lint")


def test_a_cluster_here_says_what_one_process_says() -> None:
    from distributed import LocalCluster

    many(30)
    alone = check("alone")
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        result = check("together", "--scheduler", cluster.scheduler_address)
    assert (result.exit_code, result.output) == (alone.exit_code, alone.output)
    assert result.exit_code == 2
    assert stores.read(Path("together")) == stores.read(Path("alone"))


@contextmanager
def process(*words: str) -> Iterator[subprocess.Popen[bytes]]:
    """A program of Dask, until the block ends."""
    command = [sys.executable, "-m", *words]
    with subprocess.Popen(command, env=environment(), stderr=subprocess.DEVNULL) as started:
        try:
            yield started
        finally:
            started.kill()


def test_a_worker_that_is_lost_loses_nothing() -> None:
    names = many(600)
    with ExitStack() as stack:
        stack.enter_context(
            process(
                "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0",
                "--no-dashboard", "--scheduler-file", "scheduler.json",
            )
        )  # fmt: skip
        workers = [
            stack.enter_context(
                process(
                    "distributed.cli.dask_worker", "--scheduler-file", "scheduler.json",
                    "--no-nanny", "--no-dashboard", "--nthreads", "1", "--local-directory", f"w{n}",
                )
            )
            for n in range(2)
        ]  # fmt: skip
        while not Path("scheduler.json").exists():
            time.sleep(0.05)
        import json

        address = json.loads(Path("scheduler.json").read_text("utf-8"))["address"]
        words = [sys.executable, "-m", "pte_lint", "check", "--isolated", "zoo"]
        run = subprocess.Popen(
            [*words, "--output", "parquet=results", "--scheduler", address],
            env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        unfinished = Path("results", UNFINISHED)
        while not any(len(each.name) == 64 for each in unfinished.glob("*")):
            assert run.poll() is None
            time.sleep(0.01)
        workers[0].send_signal(signal.SIGKILL)
        _, errors = run.communicate()
    assert run.returncode == 2, errors
    assert errors == "error: cannot read zoo/0005.pte: No such file or directory\n"
    rows = stores.read(Path("results"))
    assert [row["path"] for row in rows["artifacts"]] == names
    assert [row["path"] for row in rows["artifacts"] if not row["runs"]] == sorted(
        {*names[::10], names[5]}
    )
    assert len(rows["verdicts"]) == 4 * 599


def test_what_is_wrong_with_a_scheduler_is_told() -> None:
    many(6)
    result = check("results", "--scheduler", "nonsense://")
    assert result.exit_code == 2
    assert "error: --scheduler nonsense://: there is none" in result.stderr
    result = CliRunner().invoke(app, ["check", "zoo", "--scheduler", "tcp://x:1"])
    assert result.exit_code == 2
    assert "--scheduler needs --output parquet=FOLDER" in result.stderr


def test_what_to_install_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    many(6)
    monkeypatch.setitem(sys.modules, "distributed", None)
    result = check("results", "--scheduler", "tcp://127.0.0.1:1")
    assert result.exit_code == 2
    assert 'pip install "pte-lint[dask]"' in result.stderr
