"""The reader's hunt: what it reads, what it counts as a failure, and that it can be taken up."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest
from pte_lint.schema.loaded import binding, read_program
from pte_lint.schema.record import Record

from tests.fuzz import reader_hunt
from tests.fuzz.reader_hunt import Hunt, taken_up
from tests.fuzz.robustness import page
from tests.fuzz.tiny import tiny_seeds


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hunt")


@pytest.fixture(scope="module")
def hunt(folder: Path) -> Hunt:
    return Hunt(7, folder)


def test_the_reader_takes_anything(hunt: Hunt) -> None:
    tally, digests = hunt.chunk(0, 800)
    assert (tally.inputs, tally.failures) == (800, 0)
    assert sum(tally.families.values()) == sum(tally.read_as.values()) == 800
    assert len({digests[n : n + 8] for n in range(0, len(digests), 8)}) > 700


def test_a_number_is_always_the_same_input(hunt: Hunt) -> None:
    assert hunt.chunk(20, 30)[1] == hunt.chunk(20, 30)[1]
    assert hunt.chunk(20, 30)[1] != hunt.chunk(30, 40)[1]


@pytest.mark.parametrize(
    ("limit", "says"), [("SECONDS", "took 0.0"), ("FREE_BYTES", "bytes of memory")]
)
def test_what_breaks_a_limit_is_kept(
    hunt: Hunt, folder: Path, monkeypatch: pytest.MonkeyPatch, limit: str, says: str
) -> None:
    monkeypatch.setattr(reader_hunt, limit, -(10**9))
    tally, _ = hunt.chunk(50, 51)
    assert tally.failures == 1
    assert says in (folder / "50.txt").read_text("utf-8")
    assert (folder / "50.bin").exists()


def test_a_run_is_taken_up_behind_its_last_whole_chunk(tmp_path: Path) -> None:
    log, digests = tmp_path / "part.jsonl", tmp_path / "part.digests"
    digests.write_bytes(bytes(100))
    assert taken_up(log, digests) == 0
    assert not digests.exists()
    log.write_text('{"inputs": 3}\n{"inputs": 2}\n', "utf-8")
    digests.write_bytes(bytes(100))
    assert taken_up(log, digests) == 2
    assert len(digests.read_bytes()) == 40


def test_tiny_programs_hold_every_table() -> None:
    seen: set[str] = set()
    for seed in tiny_seeds():
        loaded = read_program(seed.file)
        assert loaded.violations == ()
        _collect(loaded.program, seen)
    kept = {name for name, bound in binding("program").tables.items() if bound.record is not None}
    assert kept - seen == set()


def _collect(node: Any, seen: set[str]) -> None:
    if isinstance(node, Record) or is_dataclass(node):
        seen.add(type(node).__name__)
        names = node.__match_args__ if isinstance(node, Record) else [f.name for f in fields(node)]
        for name in names:
            _collect(getattr(node, name), seen)
    elif isinstance(node, tuple):
        for each in node:
            _collect(each, seen)


def test_the_page_sums_up_the_parts(hunt: Hunt) -> None:
    tally, digests = hunt.chunk(60, 70)
    record = json.loads(json.dumps(tally.record()))
    other = {"inputs": 4, "nbytes": 9, "seconds": 1.0, "slowest": 0.5, "rss_kib": 2048,
             "peak_kib": 4096, "failures": 0, "commanded": 2, "confirmed": 1}  # fmt: skip
    text = page([[record], [record]], [digests, digests], [[other]])
    assert "| inputs | 20, 10 of them distinct |" in text
    assert "| all of it, on average | 250 ms |" in text
    assert "2 and 2 MiB resident" in text
    assert "| given to every command | 2 |\n| and to the runtime | 1 |" in text
