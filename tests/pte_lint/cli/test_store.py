"""`check --output parquet=FOLDER`: any number of artifacts, their tables, and what may go wrong."""

from __future__ import annotations

import os
import pickle
import shutil
import signal
import subprocess
import sys
import time
from datetime import date
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pte_lint.cache import code
from pte_lint.claims.target import Target
from pte_lint.cli import batches, child, store_run
from pte_lint.cli.app import app
from pte_lint.cli.child import Child
from pte_lint.cli.errors import Trouble
from pte_lint.cli.limits import Limits
from pte_lint.cli.one_by_one import OneByOne, State
from pte_lint.cli.paths import Input
from pte_lint.cli.runner import Failure
from pte_lint.config.settings import RunSettings
from pte_lint.store.folder import UNFINISHED
from pte_lint.store.tables import TABLES
from tests.support import stores
from tests.support.processes import environment

stores.need("pyarrow")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def check(*args: object) -> Result:
    words = ["check", "--isolated", "--output", "parquet=results", *map(str, args)]
    return CliRunner().invoke(app, words, prog_name="pte-lint")


def store(names: dict[str, Path]) -> None:
    for name, source in names.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, name)


def many(count: int) -> None:
    """Programs that differ in a byte behind them."""
    Path("many").mkdir()
    content = stores.GOOD.read_bytes()
    for n in range(count):
        Path(f"many/{n:04}.pte").write_bytes(content + n.to_bytes(4, "little"))


def test_rows_are_those_of_single_runs() -> None:
    store({f"zoo/{each.name}": each for each in sorted((stores.DATA / "cases").glob("*.pte"))})
    result = check("zoo", "-j", "2")
    assert result.exit_code == 1, result.output
    assert result.stderr == ""
    single: dict[str, list[object]] = {table: [] for table in TABLES}
    for path in sorted(Path("zoo").iterdir()):
        for table, rows in stores.rows(stores.single(path), Target()).items():
            single[table] += rows
    assert stores.read(Path("results")) == single
    assert len(single["findings"]) > 10
    assert not Path("results", UNFINISHED).exists()


def test_what_is_printed_is_the_summary() -> None:
    store({"zoo/a.pte": stores.GOOD, "zoo/b.pte": stores.BAD})
    result = check("zoo")
    summary = CliRunner().invoke(app, ["summary", "results"], prog_name="pte-lint")
    assert result.stdout == summary.stdout
    assert result.stdout.startswith("2 artifacts judged for ExecuTorch 1.5\n  1 run, 1 do not")
    assert check("zoo", "-q").stdout == ""
    assert '"schema_version": 1' in check("zoo", "--format", "json").stdout


def test_names_of_any_bytes_are_rows() -> None:
    store({"zoo/a.pte": stores.GOOD})
    odd = os.fsdecode(b"zoo/new\nline\xff.pte")
    shutil.copy(stores.BAD, odd)
    result = check("zoo")
    assert result.exit_code == 1, result.output
    paths = [row["path"] for row in stores.read(Path("results"))["artifacts"]]
    assert paths == ["zoo/a.pte", "zoo/new\nline\\udcff.pte"]
    assert "zoo/new\\nline\\udcff.pte" in result.stdout


def test_what_cannot_be_read_is_a_row_and_no_pass() -> None:
    store({"zoo/a.pte": stores.GOOD, "zoo/c.pte": stores.BAD})
    Path("zoo/b.pte").symlink_to("nowhere")
    result = check("zoo")
    assert result.exit_code == 2
    why = "cannot read zoo/b.pte: No such file or directory"
    assert result.stderr == f"error: {why}\n"
    rows = stores.read(Path("results"))["artifacts"]
    told = [(row["path"], row["status"], row["failure"], row["runs"]) for row in rows]
    assert told == [
        ("zoo/a.pte", "judged", None, True),
        ("zoo/b.pte", "failed", why, False),
        ("zoo/c.pte", "judged", None, False),
    ]


def test_what_is_beyond_the_limits_is_counted_and_no_pass() -> None:
    store({f"zoo/{n}.pte": stores.GOOD for n in range(5)})
    result = check("zoo", "--limit", "artifacts=2")
    assert result.exit_code == 2
    assert "INCOMPLETE: 3 artifacts beyond the limits not judged" in result.stdout
    assert result.stderr.startswith("error: 3 artifacts beyond the limits not judged: allow more")
    assert len(stores.read(Path("results"))["artifacts"]) == 2
    result = check("zoo", "--limit", "names=4")
    assert result.exit_code == 2
    assert "at least 0 artifacts beyond the limits not judged" in result.stderr


def test_include_and_exclude() -> None:
    store({"zoo/a.pte": stores.GOOD, "zoo/old/b.pte": stores.GOOD, "zoo/c.bin": stores.GOOD})
    paths = []
    for words in (("--exclude", "old/"), ("--include", "*.bin"), ("--include", "old/*.pte")):
        assert check("zoo", *words).exit_code == 0
        paths.append([row["path"] for row in stores.read(Path("results"))["artifacts"]])
    assert paths == [["zoo/a.pte"], ["zoo/c.bin"], ["zoo/old/b.pte"]]


def test_a_run_that_fails_leaves_older_results_as_they_are() -> None:
    store({"zoo/a.pte": stores.GOOD})
    assert check("zoo").exit_code == 0
    before = {each.name: each.read_bytes() for each in Path("results").iterdir()}
    assert set(before) == {f"{table}.parquet" for table in TABLES}
    assert check("zoo", "nowhere.pte").exit_code == 2
    after = {each.name: each.read_bytes() for each in Path("results").iterdir() if each.is_file()}
    assert after == before


def test_a_configuration_writes_no_folders() -> None:
    Path("pte-lint.toml").write_text('output = { parquet = "results" }\n', "utf-8")
    result = CliRunner().invoke(app, ["check", "zoo"], prog_name="pte-lint")
    assert result.exit_code == 2
    assert "output.parquet: a configuration may not write folders" in result.stderr


def test_what_to_install_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    store({"zoo/a.pte": stores.GOOD})
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    result = check("zoo")
    assert result.exit_code == 2
    assert 'pip install "pte-lint[store]"' in result.stderr


_STRANGE = """
import os, pickle, sys, time
from pte_lint.cli.runner import Failure
incoming, out = sys.stdin.buffer, sys.stdout.buffer
pickle.load(incoming), pickle.load(incoming)
pickle.dump("ready", out)
out.flush()
while True:
    try:
        name = pickle.load(incoming).name
    except EOFError:
        break
    if name == "hang":
        time.sleep(1000)
    if name == "crash":
        os.abort()
    if name == "greedy":
        os._exit(70)
    pickle.dump(Failure(f"{name} by {os.getpid()}"), out)
    out.flush()
"""


def test_what_ends_its_process_fails_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "_CODE", _STRANGE)
    state = pickle.dumps(None)
    judge = Child(state, Limits(seconds=2))
    told = [judge(Input(name)) for name in ("a", "b", "hang", "c", "crash", "greedy", "d")]
    judge.close()
    assert all(isinstance(each, Failure) for each in told)
    words = [each.message for each in told if isinstance(each, Failure)]
    assert words[2] == "cannot judge hang: it took more than 2 seconds (--limit seconds)"
    assert words[4] == "cannot judge crash: the process that judged it was ended by SIGABRT"
    assert words[5].startswith("cannot judge greedy: it took more than 2147483648 bytes")
    names, processes = zip(*(words[n].split(" by ") for n in (0, 1, 3, 6)), strict=True)
    assert names == ("a", "b", "c", "d")
    assert processes[0] == processes[1]
    assert len(set(processes)) == 3


def test_memory_is_limited() -> None:
    state = State(RunSettings(isolated=True), None, date(2026, 1, 1))
    judge = Child(pickle.dumps(state), Limits(memory=1 << 20))
    told = judge(Input(str(stores.GOOD)))
    judge.close()
    assert isinstance(told, Failure)


class Counting:
    """Judges in this process, and stops the run after some."""

    def __init__(self, state: State, stop_after: int | None) -> None:
        self.ahead = 3
        self.names: list[str] = []
        self._judge = OneByOne(state)
        self._stop_after = stop_after

    def judge(self, each: Input) -> Counting:
        if len(self.names) == self._stop_after:
            raise Trouble("stopped")
        self.names.append(each.name)
        self._result = self._judge(each)
        promise = object.__new__(Counting)
        promise._result = self._result
        return promise

    def result(self) -> object:
        return self._result


def test_what_was_stopped_goes_on_and_judges_nothing_twice(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from contextlib import nullcontext

    from pte_lint.cli import runner

    many(60)
    monkeypatch.setattr(batches, "BATCH", 4)
    monkeypatch.setattr(code, "_SETTLED", 1 << 62)  # the checkout may have been edited just now
    monkeypatch.setenv("PTE_LINT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    judged: list[str] = []
    real = runner.check_artifact

    def counted(artifact: object, *args: object, **extra: object) -> object:
        judged.append(artifact.path)  # type: ignore[attr-defined]
        return real(artifact, *args, **extra)  # type: ignore[arg-type]

    monkeypatch.setattr(runner, "check_artifact", counted)
    what = store_run.StoreRun(RunSettings(isolated=True), Path("results"), ("many",), cache=0)
    crews: list[Counting] = []

    def crew(stop_after: int | None) -> None:
        def here(state: State, *_: object) -> object:
            crews.append(Counting(state, stop_after))
            return nullcontext(crews[-1])

        monkeypatch.setattr(store_run, "here", here)

    crew(stop_after=37)
    with pytest.raises(Trouble, match="stopped"):
        store_run.run(what)
    assert not list(Path("results").glob("*.parquet"))
    Path("many/0000.pte").unlink()
    Path("many/9999.pte").write_bytes(stores.BAD.read_bytes())
    crew(stop_after=None)
    outcome = store_run.run(what)
    assert outcome.artifacts == 60
    assert 0 < outcome.resumed < 37
    # What is not of a part that is left as it was comes from the cache.
    assert len(crews[1].names) == 60 - outcome.resumed
    assert len(judged) == len(set(judged)) == 61
    resumed = stores.read(Path("results"))
    crew(stop_after=None)
    fresh = store_run.StoreRun(RunSettings(isolated=True), Path("fresh"), ("many",))
    store_run.run(fresh)
    assert resumed == stores.read(Path("fresh"))


def test_a_killed_run_goes_on() -> None:
    many(400)
    words = [
        sys.executable, "-m", "pte_lint", "check", "--isolated", "many", "--output",
        "parquet=results",
    ]  # fmt: skip
    env = environment(PTE_LINT_CACHE_DIR=str(Path("cache").resolve()))
    process = subprocess.Popen(words, env=env, stdout=subprocess.DEVNULL)
    unfinished = Path("results", UNFINISHED)
    while not any(len(each.name) == 64 for each in unfinished.glob("*")):
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not list(Path("results").glob("*.parquet"))
    done = subprocess.run(words, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "of these from a run that was stopped" in done.stdout
    rows = stores.read(Path("results"))
    assert [row["path"] for row in rows["artifacts"]] == [f"many/{n:04}.pte" for n in range(400)]
    assert len(rows["verdicts"]) == 400 * 4
    assert len({row["sha256"] for row in rows["artifacts"]}) == 400


def test_two_runs_do_not_write_to_one_folder() -> None:
    from pte_lint.store.folder import ResultFolder

    store({"zoo/a.pte": stores.GOOD})
    with ResultFolder(Path("results")).opened():
        result = check("zoo")
    assert result.exit_code == 2
    assert "cannot write results: another run is writing to it" in result.stderr


def test_what_failed_in_a_run_that_was_stopped_is_tried_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from pte_lint.store.folder import ResultFolder

    monkeypatch.setattr(code, "_SETTLED", 1 << 62)  # the checkout may have been edited just now
    store({"zoo/a.pte": stores.GOOD, "zoo/b.pte": stores.BAD})
    real, told = child.Child.__call__, [Failure("cannot judge zoo/a.pte: the line was down")]
    monkeypatch.setattr(
        child.Child, "__call__", lambda self, each: told.pop() if told else real(self, each)
    )
    what = store_run.StoreRun(RunSettings(isolated=True), Path("results"), ("zoo",))
    finish = ResultFolder.finish

    def stop(*_: object) -> None:
        raise Trouble("stopped")

    monkeypatch.setattr(ResultFolder, "finish", stop)
    with pytest.raises(Trouble, match="stopped"):
        store_run.run(what)
    monkeypatch.setattr(ResultFolder, "finish", finish)
    outcome = store_run.run(what)
    assert (outcome.resumed, outcome.failed, outcome.artifacts) == (0, 0, 2)
    assert [row["runs"] for row in stores.read(Path("results"))["artifacts"]] == [True, False]


def test_a_run_that_is_stopped_waits_for_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    from pte_lint.cli.crew import here

    monkeypatch.setattr(child, "_CODE", _STRANGE)
    state = State(RunSettings(isolated=True), None, date(2026, 1, 1))
    promises = []

    def stopped() -> None:
        with here(state, Limits(seconds=300), 2) as crew:
            promises.extend(crew.judge(Input(name)) for name in ("a", "hang"))
            promises[0].result()
            while not promises[1].running():  # type: ignore[attr-defined]
                time.sleep(0.01)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()
    told = promises[1].result()
    assert isinstance(told, Failure)
    assert told.message == "cannot judge hang: the process that judged it was ended by SIGKILL"
