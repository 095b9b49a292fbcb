"""Contracts of a recorded corpus: each good file keeps its own, and its bad neighbours break it.

What is a broken promise is not asked of pte-lint: it is where the runtime itself describes a method
otherwise than that of the good file, as `truth.json` has it. The corpus is optional: the
environment variable PTE_LINT_CORPUS names it. `python -m tests.test_contract_corpus CORPUS SCRATCH`
prints figures.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import pte_lint
from pte_lint.config.file import load_contract
from pte_lint.inspection.contract import contract_of
from pte_lint.report import contract_toml
from pte_lint.rulebook.contract import OPTION, GivenContract
from pte_lint.rulebook.contract_model import Contract
from tests.support.look import opened

RULES = [f"PTE63{n}" for n in range(5)]
PAIRS = (("clean", "structure_bad"), ("device", "device_bad"))
Record = Mapping[str, Any]


@cache
def records(folder: Path) -> dict[str, Record]:
    """The records of a folder, by name."""
    found = json.loads((folder / "truth.json").read_text("utf-8"))
    return {each["name"]: each for each in found}


def data_of(folder: Path, record: Record) -> list[Path]:
    given = record.get("data_files") or ()
    return [folder / each["file"] for each in given if each.get("given", True)]


def contract(path: Path, data: list[Path], scratch: Path) -> Contract:
    """What a good file promises, by way of the file that says so."""
    with opened(path, data) as context:
        made = contract_of(context)
    scratch.write_text(contract_toml.render(made, path.name), "utf-8")
    return load_contract(scratch)


def broken(path: Path, data: list[Path], made: Contract) -> list[str]:
    """The rules that say that a promise is broken."""
    given = GivenContract.of(made, "contract.toml", Path.cwd(), by_hand=True)
    report = pte_lint.check(
        path, data=data, select=RULES, isolated=True, options={OPTION: (given,)}
    )
    assert report.internal_errors == ()
    return [f.rule for f in report.artifacts[0].findings if f.rule in RULES]


def described(record: Record) -> dict[str, tuple[Any, Mapping[str, int]]] | None:
    """By method inputs and outputs, and planned bytes by device, as the runtime has them."""
    methods = record["runtime"].get("methods") or ()
    found = {}
    for method in methods:
        meta = method.get("meta") or {}
        if (meta.get("error") or {}).get("name") != "Ok":
            return None
        slots = [
            [(s.get("tag"), s.get("dtype"), s.get("sizes"), s.get("planned")) for s in meta[side]]
            for side in ("inputs", "outputs")
        ]
        found[method["name"]] = (slots, meta["planned_bytes"])
    return found or None


def breaks(good: Record, bad: Record) -> bool | None:
    """Whether the runtime describes the second in a way that breaks a promise of the first."""
    before, after = described(good), described(bad)
    if before is None or after is None:
        return None
    for name, (slots, planned) in before.items():
        if name not in after or after[name][0] != slots:
            return True
        if any(size > planned.get(device, 0) for device, size in after[name][1].items()):
            return True
    return False


def neighbours(corpus: Path) -> Iterator[tuple[Path, Record, Path, Record]]:
    """Good and bad files with their records, where the bad one was made from one good one."""
    for good, bad in PAIRS:
        known = records(corpus / good)
        for record in records(corpus / bad).values():
            origin = known.get(record.get("made_from") or "")
            if origin is not None:
                yield corpus / good, origin, corpus / bad, record


def _corpus() -> Path:
    named = os.environ.get("PTE_LINT_CORPUS")
    if named is None:
        pytest.skip("PTE_LINT_CORPUS names no folder")
    return Path(named)


def test_every_good_file_keeps_its_own_contract(tmp_path: Path) -> None:
    corpus = _corpus()
    for folder in (corpus / "clean", corpus / "device"):
        for record in records(folder).values():
            path, data = folder / record["file"], data_of(folder, record)
            if path.suffix == ".ptd":
                continue
            made = contract(path, data, tmp_path / "contract.toml")
            assert broken(path, data, made) == [], path.name


def test_bad_neighbours_break_it_where_the_runtime_describes_them_otherwise(
    tmp_path: Path,
) -> None:
    missed = [
        bad["file"]
        for is_broken, rules, bad in judged(_corpus(), tmp_path)
        if is_broken and not rules
    ]
    assert missed == []


def judged(corpus: Path, scratch: Path) -> Iterator[tuple[bool | None, list[str], Record]]:
    """For each bad neighbour whether a promise is broken, and the rules that say so."""
    made: dict[Path, Contract] = {}
    for folder, good, other, bad in neighbours(corpus):
        path = folder / good["file"]
        if path not in made:
            made[path] = contract(path, data_of(folder, good), scratch / "contract.toml")
        data = [each for each in data_of(other, bad) if each.is_file()]
        yield breaks(good, bad), broken(other / bad["file"], data, made[path]), bad


def main() -> None:
    """Prints how many neighbours break what they were made from."""
    found = list(judged(Path(sys.argv[1]), Path(sys.argv[2])))
    for is_broken, word in ((True, "otherwise"), (False, "alike"), (None, "not at all")):
        of_it = [(rules, bad) for broken_, rules, bad in found if broken_ is is_broken]
        said = sum(bool(rules) for rules, _ in of_it)
        print(f"described {word} by the runtime: {len(of_it)}, {said} break the contract")
        if is_broken:
            print("  missed:", [bad["file"] for rules, bad in of_it if not rules])


if __name__ == "__main__":
    main()
