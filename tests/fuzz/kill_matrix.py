"""For every rule a defect that it catches: collected, written down, and checked by a test.

    python -m tests.fuzz.kill_matrix --collect 6000    # draws defects anew, writes the page
    python -m tests.fuzz.kill_matrix --again           # runs them again, those made by hand anew

What is said of each is a golden file (`tests/support/golden.py`).

Each is an edit of a good file, to which the rule says nothing. Most are single random edits of a
seed; of those that make a rule speak, the one is kept with the fewest other errors and the fewest
findings. What no random edit makes is in `tests.fuzz.odd`. The files and what is known about them
are in `tests/fuzz/defects`.
"""

from __future__ import annotations

import tests.fuzz.checkout  # noqa: F401 - before anything of the package is imported

# isort: split
import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import pte_lint
from pte_lint.claims.finding import Severity
from pte_lint.claims.result import ArtifactReport
from pte_lint.rulebook.registry import load_rules
from tests.fuzz.checkout import ROOT
from tests.fuzz.draw import Draw
from tests.fuzz.edits import DoesNotApply
from tests.fuzz.odd import ODD_DEFECTS
from tests.fuzz.oracle import THOROUGH, Observation, observe
from tests.fuzz.seeds import all_seeds
from tests.fuzz.subject import Seed

FOLDER = Path(__file__).resolve().parent / "defects"
PAGE = ROOT / "docs" / "kill_matrix.md"

_STREAM = 11


@dataclass(frozen=True)
class Defect:
    """A file that makes a rule speak.

    Attributes:
        rule: The rule.
        file: Its name in the folder.
        data: Names of the data files given beside it.
        what: The seed and what was done to it.
        severity: Of the rule's finding.
        errors: All rules that find an error.
        verdict: What pte-lint predicts for the worst method.
        runtime: What the runtime did; empty where that says nothing (another target, no program).
    """

    rule: str
    file: str
    data: tuple[str, ...]
    what: str
    severity: str
    errors: tuple[str, ...]
    verdict: str
    runtime: str


def stored() -> list[Defect]:
    """The defects written down, by rule."""
    records: list[dict[str, Any]] = json.loads((FOLDER / "defects.json").read_text("utf-8"))
    return [
        Defect(**{**each, "data": tuple(each["data"]), "errors": tuple(each["errors"])})
        for each in records
    ]


def judged(defect: Defect) -> ArtifactReport:
    """What pte-lint says to a defect now."""
    odd = ODD_DEFECTS.get(defect.rule)
    options = {**_asked(defect.rule), **(odd().options if odd is not None else {})}
    data = [FOLDER / name for name in defect.data]
    report = pte_lint.check(FOLDER / defect.file, data=data, isolated=True, **options)
    return report.artifacts[0]


def as_said(defect: Defect, report: ArtifactReport) -> Defect:
    """A defect with what a report says about it: severity, errors and verdict.

    Raises:
        ValueError: The rule says nothing to it.
    """
    mine = [f.severity for f in report.findings if f.rule == defect.rule and f.severity is not None]
    if not mine:
        raise ValueError(f"{defect.rule} says nothing to its own defect")
    worst = min(report.verdict, key=lambda each: (each.outcome == "ok", each.stage.rank))
    return replace(
        defect,
        severity=str(min(mine, key=lambda each: each.rank)),
        errors=tuple(sorted({f.rule for f in report.findings if f.severity is Severity.ERROR})),
        verdict=f"{worst.stage} {worst.outcome} {worst.error or worst.signal or ''}".strip(),
    )


def judged_good(defect: Defect, folder: Path) -> ArtifactReport:
    """What pte-lint says to the file before it was spoilt, which is written into `folder`."""
    odd = ODD_DEFECTS[defect.rule]() if defect.rule in ODD_DEFECTS else None
    file, data = good(defect)
    path = folder / ((odd and odd.good_name) or defect.file)
    path.write_bytes(file)
    options = _asked(defect.rule)
    if odd is not None:
        options |= odd.options if odd.good_options is None else odd.good_options
    return pte_lint.check(path, data=list(data), isolated=True, **options).artifacts[0]


def _asked(rule: str) -> dict[str, Any]:
    """Options for a rule that runs only when it is asked for."""
    is_optional = any(each.id == rule and each.is_optional for each in load_rules(isolated=True))
    return {"select": ["ALL"]} if is_optional else {}


def good(defect: Defect) -> tuple[bytes, tuple[bytes, ...]]:
    """The file before it was spoilt, and its data files."""
    if defect.rule in ODD_DEFECTS:
        odd = ODD_DEFECTS[defect.rule]()
        return odd.good, odd.data if odd.good_data is None else odd.good_data
    seed = _seeds()[defect.what.partition(": ")[0]]
    return seed.file, seed.data


@cache
def _seeds() -> dict[str, Seed]:
    return {each.name: each for each in all_seeds()}


def main() -> int:
    """Runs the command and returns its exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--collect", type=int, default=0, metavar="N", help="draw N defects anew")
    parser.add_argument("--again", action="store_true", help="run what is stored again")
    options = parser.parse_args()
    if options.collect:
        _store(dict(_odd()) | _drawn(options.collect, but=frozenset(ODD_DEFECTS)))
    elif options.again:
        _store(dict(_odd()) | _kept())
    PAGE.write_text(page(stored()), "utf-8")
    return 0


# -- collecting ------------------------------------------------------------------------------------


_Found = tuple[str, str, bytes, tuple[bytes, ...], Mapping[str, Any]]


def _store(found: Mapping[str, _Found]) -> None:
    """Fills the folder with defects and what is seen of them."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    defects = []
    for rule in sorted(found):
        what, name, program, data, options = found[rule]
        file = f"{rule}{Path(name).suffix}"
        (FOLDER / file).write_bytes(program)
        names = tuple(f"{rule}-{number}.ptd" for number in range(len(data)))
        for each, content in zip(names, data, strict=True):
            (FOLDER / each).write_bytes(content)
        defects.append(_described(rule, file, names, what, options))
    text = json.dumps([asdict(each) for each in defects], indent=1)
    (FOLDER / "defects.json").write_text(text + "\n", "utf-8")


def _kept() -> dict[str, _Found]:
    """The random defects that are stored."""
    return {
        each.rule: (
            each.what,
            each.file,
            (FOLDER / each.file).read_bytes(),
            tuple((FOLDER / name).read_bytes() for name in each.data),
            {},
        )
        for each in stored()
        if each.rule not in ODD_DEFECTS
    }


def _odd() -> Iterator[tuple[str, _Found]]:
    for rule, make in ODD_DEFECTS.items():
        odd = make()
        yield rule, (odd.what, odd.name, odd.file, odd.data, odd.options)


def _drawn(count: int, but: frozenset[str]) -> dict[str, _Found]:
    """The best random defect for each rule but those."""
    said = {name: _findings(seed) for name, seed in _seeds().items()}
    sound = {n for n, all_ in said.items() if all(f.severity is not Severity.ERROR for f in all_)}
    draw = Draw([_seeds()[name] for name in said if name in sound], _STREAM)
    best: dict[str, tuple[tuple[int, ...], _Found]] = {}
    for number in range(count):
        mutant = draw.mutant(number)
        mutant = mutant.with_edits(mutant.edits[:1])
        try:
            program, data = mutant.files()
        except DoesNotApply:
            continue
        seed = mutant.seed
        usual = {f.rule for f in said[seed.name]}
        report = pte_lint.check(program, data=list(data), isolated=True).artifacts[0]
        errors = {f.rule for f in report.findings if f.severity is Severity.ERROR}
        for finding in report.findings:
            if finding.rule in usual | but:
                continue
            mild = finding.severity is not Severity.ERROR
            key = (len(errors - {finding.rule}), mild, len(report.findings), len(program))
            known = best.get(finding.rule)
            if known is None or key < known[0]:
                what = f"{seed.name}: {mutant.edits[0]}"
                best[finding.rule] = key, (what, "defect.pte", program, data, {})
    return {rule: found for rule, (_, found) in best.items()}


def _findings(seed: Seed) -> Sequence[pte_lint.Finding]:
    return pte_lint.check(seed.file, data=list(seed.data), isolated=True).findings


def _described(
    rule: str, file: str, data: tuple[str, ...], what: str, options: Mapping[str, Any]
) -> Defect:
    draft = Defect(rule, file, data, what, "", (), "", "")
    draft = as_said(draft, judged(draft))
    # A run can be compared with what is judged for the installed runtime, of one method by itself.
    is_alike = "target" not in options and "pipelines" not in options.get("options", ())
    seen = _seen(draft, draft.verdict) if is_alike and file.endswith(".pte") else ""
    return replace(draft, runtime=seen)


def _seen(defect: Defect, verdict: str) -> str:
    """What the runtime does with a defect; where that is garbage, how it shows."""
    program = (FOLDER / defect.file).read_bytes()
    data = [(FOLDER / name).read_bytes() for name in defect.data]
    with tempfile.TemporaryDirectory() as folder:
        seen, right = observe([(program, data), good(defect)], Path(folder), THOROUGH)
    endings = [seen.full.program]
    endings += [each for method in seen.full.methods for each in method.endings]
    bad = next((each for each in endings if each.is_bad), None)
    if bad is not None:
        return f"{bad.stage} {bad.outcome} {bad.detail or ''}".strip()
    if any(method.unwritten for method in seen.full.methods):
        return "runs; results depend on unwritten memory"
    if verdict.endswith(("undefined", "wrong")) and _outputs(seen) != _outputs(right):
        return "runs; other results than before"
    return "runs"


def _outputs(observation: Observation) -> list[list[tuple[str, ...]]]:
    """The results of all runs of all calls of all methods."""
    return [[each.outputs for each in method.endings] for method in observation.full.methods]


# -- the page --------------------------------------------------------------------------------------

_HEAD = """\
# Kill matrix

For every rule a seeded defect that it catches, and what else catches it. Written by
`python -m tests.fuzz.kill_matrix`; a test holds every line to what pte-lint says now. The files
are in `tests/fuzz/defects`. *Runtime* is what executorch did with the file, and empty where that
says nothing: another target, a declared pipeline, or no program.

| rule | finding | defect | errors | pte-lint | runtime |
| --- | --- | --- | --- | --- | --- |
"""


def page(defects: Sequence[Defect]) -> str:
    """The page in Markdown."""
    names = {rule.id: rule.name for rule in load_rules(isolated=True)}
    lines = [
        f"| {each.rule} {names[each.rule]} | {each.severity} | {_cell(each.what)} | "
        f"{', '.join(each.errors) or 'none'} | {each.verdict} | {each.runtime} |"
        for each in defects
    ]
    return _HEAD + "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    shown = "".join(c if c.isprintable() else "." for c in text).replace("|", "/")
    return shown if len(shown) <= 140 else shown[:137] + "..."


if __name__ == "__main__":
    sys.exit(main())
