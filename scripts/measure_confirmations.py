#!/usr/bin/env python3
"""Measures how findings are confirmed on files with recorded outcomes, and writes the page.

    PTE_LINT_CORPUS=folder .venv/bin/python scripts/measure_confirmations.py

Every program of `tests/data` and of the folder that PTE_LINT_CORPUS names is checked, run on the
installed runtime with emulated device memory, and its findings are confirmed in edited copies. The
page, docs/confirmations.md, has the share of errors that their own sign or a repair confirmed, and
how many false findings that were planted were confirmed: there must be none.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import tests.fuzz.checkout  # noqa: E402, F401 - before anything of the package is imported

# isort: split
from pte_lint.claims.finding import Finding, Severity  # noqa: E402
from pte_lint.claims.result import ArtifactReport  # noqa: E402
from pte_lint.claims.target import Target  # noqa: E402
from pte_lint.cli.comparing_values import Comparisons  # noqa: E402
from pte_lint.data.reading import open_context, open_data  # noqa: E402
from pte_lint.files.artifact import open_artifact  # noqa: E402
from pte_lint.fix.counterfactual import confirm_by_repair  # noqa: E402
from pte_lint.fix.remedies import load_remedies  # noqa: E402
from pte_lint.harness.confirm import ConfirmOptions, confirm  # noqa: E402
from pte_lint.harness.decide import STATUSES  # noqa: E402
from pte_lint.harness.options import ProbeOptions  # noqa: E402
from pte_lint.harness.wheel import find_wheel  # noqa: E402
from pte_lint.judging.engine import Settings, judge  # noqa: E402
from pte_lint.rulebook.registry import load_rules  # noqa: E402
from tests.support.agreement import records  # noqa: E402
from tests.support.planting import (  # noqa: E402
    KINDS,
    beds,
    kind_of,
    planted_in,
    wrongly_confirmed,
)

PAGE = ROOT / "docs" / "confirmations.md"
SHOWN = ("confirmed", "confirmed_by_repair")
TOLD = (
    ("roots", "errors that follow from no other"),
    ("errors", "all errors"),
    ("warnings", "warnings"),
    ("infos", "infos"),
)

REMARKS = "## Warnings and infos\n"

Left = tuple[str, str, str, str]
"""An error that is not confirmed: rule, file, status and reason."""

HEAD = """\
# What confirmations show

`confirm` marks a finding as *confirmed* where a run shows the sign of its own cause, and as
*confirmed by repair* where the cause is taken out of a copy of the file and the run goes on, or
gives other results. A run that ended as foretold without that sign is *consistent*: other causes
end like that. Written by `scripts/measure_confirmations.py`.

"""


def confirmed(path: Path, data: tuple[Path, ...]) -> ArtifactReport:
    """The report on one file, with confirmations."""
    rules = load_rules(isolated=True)
    settings = Settings(rules=rules, target=Target())
    options = ConfirmOptions(
        ProbeOptions(device_memory="emulated"), signs={rule.id: rule.sign for rule in rules}
    )
    with ExitStack() as stack:
        given = tuple(open_data(stack.enter_context(open_artifact(each))) for each in data)
        artifact = stack.enter_context(open_artifact(path))
        context = open_context(artifact, settings.target, given, {})
        report = confirm(judge(context, settings), context, data, options)
        report = confirm_by_repair(
            report,
            context,
            (data, given),
            settings=settings,
            options=options,
            remedies=load_remedies(isolated=True),
        )
        comparisons = stack.enter_context(Comparisons())
        return comparisons.made(report, context, data, options.probe)


def main() -> int:
    """Measures and writes; returns 1 where something true was refuted, or false confirmed."""
    counts: dict[str, Counter[str]] = {name: Counter() for name, _ in TOLD}
    remarks: dict[tuple[str, str], Counter[str]] = {}
    verdicts: Counter[str] = Counter()
    rules: dict[str, Counter[str]] = {}
    left: list[Left] = []
    files = 0
    for folder in _folders():
        for record in records(folder):
            data = tuple(
                folder / each["file"]
                for each in record.get("data_files") or ()
                if each.get("given", True)
            )
            report = confirmed(folder / record["file"], data)
            files += 1
            verdicts.update(v.confirmation.status for v in report.verdict if v.confirmation)
            for f in report.findings:
                if f.confirmation is None:
                    continue
                if f.severity is not Severity.ERROR:
                    told = f"{f.severity}s"
                    counts[told][f.confirmation.status] += 1
                    remarks.setdefault((told, f.rule), Counter())[f.confirmation.status] += 1
                    continue
                counts["errors"][f.confirmation.status] += 1
                if f.cause is None and "follows_from" not in f.confirmation.evidence:
                    counts["roots"][f.confirmation.status] += 1
                    rules.setdefault(f.rule, Counter())[f.confirmation.status] += 1
                    if f.confirmation.status not in SHOWN:
                        left.append(_told(f, record["file"]))
    beds_used, planted, believed = _plant()
    page = _page(files, counts, verdicts, rules, remarks)
    page = page.replace(REMARKS, _left_page(left) + REMARKS) + _planted_page(
        beds_used, planted, believed
    )
    PAGE.write_text(page, "utf-8")
    wrong = counts["errors"]["refuted"] + verdicts["refuted"]
    print(f"{files} files: {dict(counts['roots'])}; {wrong} refuted")
    print(f"{sum(planted.values())} planted, {sum(believed.values())} confirmed")
    return 1 if wrong or believed else 0


def _told(finding: Finding, file: str) -> Left:
    assert finding.confirmation is not None
    reason = str(finding.confirmation.evidence["reason"])
    return finding.rule, file, finding.confirmation.status, reason


def _left_page(left: list[Left]) -> str:
    """Each rule of a file once, with how many of its findings fared so."""
    lines = [
        "By file, with the reason.",
        "",
        "| file | rule | status | reason |",
        "| --- " * 4 + "|",
    ]
    for (rule, file, status, reason), n in sorted(Counter(left).items(), key=lambda e: e[0][1::-1]):
        many = f" ({n})" if n > 1 else ""
        lines.append(f"| {file} | {rule}{many} | {status.replace('_', ' ')} | {reason} |")
    return "\n".join(lines) + "\n\n"


def _plant() -> tuple[int, Counter[str], Counter[str]]:
    """In how many files false findings were planted; how many by kind, and how many confirmed."""
    files = 0
    planted: Counter[str] = Counter()
    believed: Counter[str] = Counter()
    for bed in beds():
        findings = planted_in(bed)
        if findings:
            files += 1
            planted.update(map(kind_of, findings))
            for rule, name, reason in wrongly_confirmed(bed, findings):
                believed[name.split()[0]] += 1
                print(f"{bed.name}: {rule} ({name}) is false and confirmed: {reason}")
    return files, planted, believed


def _planted_page(files: int, planted: Counter[str], believed: Counter[str]) -> str:
    lines = [
        "",
        "## False findings",
        f"{sum(planted.values()):,} false findings were planted in {files} files, one for each",
        "defect that the tests seed and two that run, beside the true ones. Each is foretold to",
        f"end as a true one of its file does. Confirmed: {sum(believed.values()) or 'none'}.",
        "",
        "| what | planted | confirmed |",
        "| --- | --- | --- |",
        *(f"| {told} | {planted[kind]} | {believed[kind]} |" for kind, told in KINDS.items()),
    ]
    return "\n".join(lines) + "\n"


def _folders() -> list[Path]:
    roots = [ROOT / "tests" / "data"]
    if named := os.environ.get("PTE_LINT_CORPUS"):
        roots.append(Path(named))
    return [truth.parent for root in roots for truth in sorted(root.glob("*/truth.json"))]


def _share(counts: Counter[str]) -> str:
    shown, total = sum(counts[status] for status in SHOWN), sum(counts.values())
    return f"{shown} of {total} ({100 * shown / max(total, 1):.1f} %)"


def _page(
    files: int,
    counts: dict[str, Counter[str]],
    verdicts: Counter[str],
    rules: dict[str, Counter[str]],
    remarks: dict[tuple[str, str], Counter[str]],
) -> str:
    lines = [
        f"{files} files, executorch {find_wheel().version}, emulated device memory.",
        "",
        "| what | by sign or repair | " + " | ".join(s.replace("_", " ") for s in STATUSES) + " |",
        "| --- | --- |" + " --- |" * len(STATUSES),
    ]
    for name, told in TOLD:
        row = " | ".join(str(counts[name][status]) for status in STATUSES)
        lines.append(f"| {told} | {_share(counts[name])} | {row} |")
    row = " | ".join(str(verdicts[status]) for status in STATUSES)
    lines.append(f"| verdicts | {verdicts['confirmed']} by their ending | {row} |")
    lines += [
        "",
        "A damaged file makes many things look wrong. What follows from another finding",
        "(`caused_by`), or is gone with it once that is undone (`follows_from`), is counted in the",
        "second row only.",
        "",
        "## What is not confirmed",
        "Errors that follow from no other, by rule.",
        "",
        "| rule | confirmed | " + " | ".join(s.replace("_", " ") for s in STATUSES[2:]) + " |",
        "| --- | --- |" + " --- |" * (len(STATUSES) - 2),
    ]
    for rule, told in sorted(rules.items()):
        shown = sum(told[status] for status in SHOWN)
        if shown < sum(told.values()):
            row = " | ".join(str(told[status]) for status in STATUSES[2:])
            lines.append(f"| [{rule}](rules/{rule}.md) | {shown} | {row} |")
    lines += [
        "",
        REMARKS.rstrip(),
        "They are no failures of the runtime. Some leave a sign in a run: memory of an output that",
        "lies on a device, a stand-in for a backend that is missing. Of others a copy of the file",
        "shows that they are right: without what is of no use, or with it written over, no run",
        "changes. What is in a program that does not load shows nowhere.",
        "",
        "| rule | severity | by sign or repair | of |",
        "| --- | --- | --- | --- |",
    ]
    for (severity, rule), told in sorted(remarks.items(), key=lambda each: each[0][::-1]):
        shown = sum(told[status] for status in SHOWN)
        row = f"{severity.rstrip('s')} | {shown} | {sum(told.values())}"
        lines.append(f"| [{rule}](rules/{rule}.md) | {row} |")
    return HEAD + "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
