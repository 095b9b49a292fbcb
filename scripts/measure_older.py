#!/usr/bin/env python3
"""Measures forecasts for older releases against those releases, and writes the page.

    PTE_LINT_RUNTIME_FOLDER=folder PTE_LINT_CORPUS=folder .venv/bin/python scripts/measure_older.py

The first folder has the releases (pip install --no-deps --target folder/1.4.1 executorch==1.4.1,
and 1.3.1 alike). Every program of `tests/data` and of the folder that PTE_LINT_CORPUS names is
judged for each release and run on it, under full and under minimal verification, and so are
mutants of small programs. A verdict or a finding that the release does not bear out is a
difference. The page is docs/agreement_older.md.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import tests.fuzz.checkout  # noqa: E402, F401 - before anything of the package is imported

# isort: split
from pte_lint.claims.finding import Severity  # noqa: E402
from pte_lint.claims.forecast import Verification  # noqa: E402
from pte_lint.claims.result import ArtifactReport  # noqa: E402
from pte_lint.claims.target import Target  # noqa: E402
from pte_lint.data.reading import open_context, open_data  # noqa: E402
from pte_lint.files.artifact import open_artifact  # noqa: E402
from pte_lint.harness.confirm import ConfirmOptions, confirm  # noqa: E402
from pte_lint.harness.decide import STATUSES  # noqa: E402
from pte_lint.harness.older_wheel import OWN, OlderWheel, wheel_for  # noqa: E402
from pte_lint.harness.options import ProbeOptions  # noqa: E402
from pte_lint.judging.engine import Settings, judge  # noqa: E402
from pte_lint.rulebook.registry import load_rules  # noqa: E402
from tests.fuzz.campaign import Bench, Tally  # noqa: E402
from tests.fuzz.comparison import Kind  # noqa: E402
from tests.fuzz.draw import Draw  # noqa: E402
from tests.fuzz.seeds import all_seeds  # noqa: E402
from tests.support.agreement import records  # noqa: E402

PAGE = ROOT / "docs" / "agreement_older.md"
MUTANTS = 5000

HEAD = """\
# Agreement with older releases

Forecasts say what executorch 1.4 and 1.3 do with a program. Here those releases were asked: their
own wheels, run as `pte-lint confirm --as-runtime 1.4 --runtime-folder DIR` runs them. Written by
`scripts/measure_older.py`. What is refuted, and every mutant that differs, is a bug of pte-lint
until it is listed below with its cause.

Threads and matrix products are not PyTorch's, as the wheels alone do not have them, and backends
that need a vendor's software have stand-ins. 1.2 is not among what is run: it is replayed.

"""


@dataclass
class Measured:
    """One release at one level of verification."""

    release: str
    level: str
    programs: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)
    undecided: Counter[str] = field(default_factory=Counter)


def confirmed(path: Path, data: tuple[Path, ...], target: Target) -> ArtifactReport:
    """The report on one file for a release, with what the release did."""
    rules = load_rules(isolated=True)
    settings = Settings(rules=rules, target=target)
    options = ConfirmOptions(
        ProbeOptions(device_memory="emulated"),
        replay=False,
        signs={rule.id: rule.sign for rule in rules},
    )
    with ExitStack() as stack:
        given = tuple(open_data(stack.enter_context(open_artifact(each))) for each in data)
        artifact = stack.enter_context(open_artifact(path))
        context = open_context(artifact, settings.target, given, {})
        return confirm(judge(context, settings), context, data, options)


def release_of(version: str) -> str:
    """The full version of the release that is there for a version.

    Raises:
        SystemExit: there is none.
    """
    wheel = wheel_for(version, ProbeOptions().runtime_folders)
    if not isinstance(wheel, OlderWheel):
        raise SystemExit(f"executorch {OWN[version]} is not in PTE_LINT_RUNTIME_FOLDER")
    return wheel.version


def measured(version: str, level: Verification) -> Measured:
    """All programs on one release at one level."""
    shown = Measured(release_of(version), str(level))
    for folder in _folders():
        for record in records(folder):
            data = tuple(
                folder / each["file"]
                for each in record.get("data_files") or ()
                if each.get("given", True)
            )
            report = confirmed(folder / record["file"], data, Target(version, level))
            _count(report, record["file"], shown)
    return shown


def _count(report: ArtifactReport, name: str, shown: Measured) -> None:
    shown.programs += 1
    for v in report.verdict:
        assert v.confirmation is not None
        status, reason = v.confirmation.status, str(v.confirmation.evidence["reason"])
        shown.verdicts[status] += 1
        if status == "refuted":
            said = f"{v.stage} {v.outcome} {v.error or v.signal or ''}".strip()
            shown.differences.append(f"{name}, {v.method}: {said}, but {reason}")
        elif status != "confirmed":
            shown.undecided[reason] += 1
    for f in report.findings:
        if f.severity is not Severity.ERROR or f.confirmation is None:
            continue
        shown.errors[f.confirmation.status] += 1
        if f.confirmation.status == "refuted":
            reason = f.confirmation.evidence["reason"]
            shown.differences.append(f"{name}, {f.rule} ({f.subject}): {reason}")


def mutants(version: str, count: int, stream: int) -> tuple[Tally, list[str]]:
    """Mutants judged for a release and run on it; what was seen, and how any differ."""
    seeds = all_seeds()
    draw, tally, differences = Draw(seeds, stream), Tally(), []
    for result in Bench(seeds, version).results(map(draw.mutant, range(count))):
        tally.add(result)
        found = result.comparison
        if found.kind.is_difference:
            what = f"{found.kind}, said {found.said or 'nothing'}, seen {found.seen}"
            edits = "; ".join(map(str, result.mutant.edits))
            differences.append(f"{result.mutant.seed.name}, {edits}: {what}")
    return tally, differences


def _folders() -> Iterator[Path]:
    roots = [ROOT / "tests" / "data"]
    if named := os.environ.get("PTE_LINT_CORPUS"):
        roots.append(Path(named))
    for root in roots:
        yield from (truth.parent for truth in sorted(root.glob("*/truth.json")))


def _page(
    shown: list[Measured], tried: list[tuple[str, Tally, list[str]]], stream: int
) -> Iterator[str]:
    yield f"{shown[0].programs} programs, emulated device memory."
    yield ""
    yield "| release | verification | verdicts that came true | refuted | not decided |"
    yield "| --- | --- | --- | --- | --- |"
    for m in shown:
        good, bad = m.verdicts["confirmed"], m.verdicts["refuted"]
        rest = sum(m.verdicts.values()) - good - bad
        yield f"| {m.release} | {m.level} | {good} | {bad} | {rest} |"
    yield ""
    yield "| release | verification | " + " | ".join(s.replace("_", " ") for s in STATUSES) + " |"
    yield "| --- | --- |" + " --- |" * len(STATUSES)
    for m in shown:
        row = " | ".join(str(m.errors[status]) for status in STATUSES)
        yield f"| {m.release} | {m.level} | {row} |"
    yield from ("", "The second table counts error findings. The hooks that tell which instruction")
    yield "runs are not built into these releases: a call is known where the runtime names it as it"
    yield "fails, and findings whose sign is another place are consistent at most."
    yield from ("", "## Differences")
    found = [f"- {m.release}, {m.level}: {each}" for m in shown for each in m.differences]
    found += [f"- {release}, mutant: {each}" for release, _, told in tried for each in told]
    yield from found or ["None."]
    yield from ("", "## Not decided", "", "| why | verdicts |", "| --- | --- |")
    why: Counter[str] = sum((m.undecided for m in shown), Counter())
    yield from (f"| {reason} | {count} |" for reason, count in why.most_common())
    if tried:
        yield from ("", "## Mutants", "")
        yield f"Stream {stream} of `python -m tests.fuzz`, judged for the release; the reasons of"
        yield "what is inconclusive are those of [agreement.md](agreement.md)."
        yield ""
        kinds = [str(kind) for kind in Kind]
        yield "| release | mutants | " + " | ".join(kinds) + " |"
        yield "| --- | --- |" + " --- |" * len(kinds)
        for release, tally, _ in tried:
            row = " | ".join(str(tally.kinds[kind]) for kind in Kind)
            yield f"| {release} | {tally.mutants} | {row} |"


def main() -> int:
    """Measures and writes; returns 1 where something differs."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--mutants", type=int, default=MUTANTS, help="for each release")
    parser.add_argument("--stream", type=int, default=104, help="other numbers, other mutants")
    options = parser.parse_args()
    levels = (Verification.FULL, Verification.MINIMAL)
    shown = [measured(version, level) for version in OWN for level in levels]
    tried = [
        (release_of(version), *mutants(version, options.mutants, options.stream))
        for version in (OWN if options.mutants else ())
    ]
    PAGE.write_text(HEAD + "\n".join(_page(shown, tried, options.stream)) + "\n", "utf-8")
    wrong = sum(len(m.differences) for m in shown) + sum(len(told) for _, _, told in tried)
    print(f"{shown[0].programs} programs: {wrong} differences")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
