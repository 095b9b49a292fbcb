"""Compares pte-lint's verdicts with outcomes recorded from the real runtime.

A record is one of a corpus's `truth.json`: file, `severity` (by intent: clean, warning, error,
unknown), and `outcome` (`overall`, `methods`, `minimal_verification`) in the words of the probe
that ran it: `load_method_error:InvalidProgram`, `signal:SIGSEGV@execute`, `silent_wrong:...`,
`ok`, `ok_with_remarks:...`, `timeout@...`.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pte_lint
from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import Outcome
from pte_lint.claims.result import ArtifactReport, Verdict

_STAGES = {
    "load_program": "load_program",
    "load_method": "load_method",
    "set_input": "set_input",
    "set_inputs": "set_input",
    "set_output": "execute",
    "execute": "execute",
    "get_output": "get_output",
    "get_outputs": "get_output",
}


@dataclass(frozen=True)
class Seen:
    """What the runtime did: `outcome` is ok, error, crash, undefined."""

    outcome: str
    stage: str | None = None
    detail: str | None = None

    @property
    def is_bad(self) -> bool:
        return self.outcome != "ok"

    def agrees(self, verdict: Verdict) -> bool:
        """True when the verdict names the same outcome, stage and error."""
        if self.outcome == "ok":
            return verdict.outcome is Outcome.OK
        if self.outcome == "undefined":
            return verdict.outcome is not Outcome.OK
        if str(verdict.stage) != self.stage:
            return False
        if self.outcome == "error":
            return verdict.outcome is Outcome.ERROR and verdict.error == self.detail
        # Undefined behaviour may show as a crash; a crash that is predicted names its signal.
        return verdict.outcome is Outcome.UNDEFINED or (
            verdict.outcome is Outcome.CRASH and verdict.signal in (None, self.detail)
        )


def parse_outcome(text: str) -> Seen:
    """Reads a probe's words.

    Raises:
        ValueError: for words that are not known.
    """
    if text == "ok" or text.startswith("ok_with_remarks"):
        return Seen("ok")
    if match := re.match(r"(\w+?)_error:(\w+)", text):
        return Seen("error", _STAGES[match[1]], match[2])
    if match := re.match(r"signal:(\w+)@(\w+)", text):
        return Seen("crash", _STAGES[match[2]], match[1])
    if text.startswith("silent_wrong"):
        return Seen("undefined")
    if match := re.match(r"timeout@(\w+)", text):
        return Seen("undefined", _STAGES[match[1]])
    raise ValueError(f"unknown outcome {text!r}")


@dataclass(frozen=True)
class Disagreement:
    """One way in which a report and a record differ."""

    file: str
    kind: str
    detail: str

    def __str__(self) -> str:
        return f"{self.kind:14} {self.file}: {self.detail}"


def check_file(path: Path, record: Mapping[str, Any], **options: Any) -> ArtifactReport:
    """Checks a record's file with the data files that the runtime was given."""
    data = [path.parent / d["file"] for d in record.get("data_files") or () if d.get("given", True)]
    return pte_lint.check(path, data=data, isolated=True, **options).artifacts[0]


def compare(folder: Path, record: Mapping[str, Any]) -> Iterator[Disagreement]:
    """Yields how pte-lint's report on a record's file differs from the record."""
    file = record["file"]
    path = folder / file
    report = check_file(path, record)
    errors = [f for f in report.findings if f.severity is Severity.ERROR]
    shown = ", ".join(f"{f.rule} {f.name}" for f in errors) or "no error"
    for failure in report.internal_errors:
        yield Disagreement(file, "internal error", f"{failure.rule} {failure.message}")
    overall, severity = record["outcome"]["overall"], record["severity"]
    seen = parse_outcome(overall)
    for wanted, is_wanted in (*((w, True) for w in record.get("must", ())), *(
        (w, False) for w in record.get("must_not", ())
    )):  # fmt: skip
        if any(_is_such(f, wanted) for f in report.findings) != is_wanted:
            yield Disagreement(file, "must" if is_wanted else "must not", f"{wanted}; {shown}")
    if not seen.is_bad and any(wanted.startswith("any:") for wanted in record.get("must", ())):
        return  # A fault of what stands beside the program, which runs: the findings say all.
    if "any:info" in record.get("must", ()):
        return  # What the caller's data decide: no more than told.
    if severity == "clean":
        if errors:
            yield Disagreement(file, "false alarm", f"clean, {overall}; {shown}")
        return
    if severity == "warning" or (severity == "error" and not seen.is_bad):
        if errors and not seen.is_bad:
            yield Disagreement(file, "false alarm", f"{severity}, {overall}; {shown}")
        if not any(f.severity is not Severity.INFO for f in report.findings):
            yield Disagreement(file, "no warning", f"{record['expected_problem']}; {overall}")
        if not seen.is_bad or severity == "warning":
            return
    if seen.is_bad and not errors:
        if any(_announces(f, seen) for f in report.findings):
            return  # a condition on the caller: data or memory that the record's probe did not give
        yield Disagreement(file, "missed", f"{record['expected_problem']}; {overall}")
        return
    if not seen.is_bad:
        if errors:
            yield Disagreement(file, "false alarm", f"{severity}, {overall}; {shown}")
        return
    yield from _compare_verdicts(file, record, report, overall)
    minimal = record["outcome"].get("minimal_verification")
    if minimal:
        said = check_file(path, record, verification="minimal")
        want = overall if minimal == "same" else minimal
        for problem in _compare_verdicts(file, record, said, want, minimal=True):
            yield Disagreement(file, f"min. {problem.kind}", problem.detail)


def _is_such(finding: Finding, wanted: str) -> bool:
    """Whether a finding is what a record names: `PTE323`, `PTE421:warning`, `any:info` or worse."""
    rule, _, severity = wanted.partition(":")
    if rule != "any":
        return finding.rule == rule and severity in ("", str(finding.severity))
    ranks = [str(each) for each in (Severity.ERROR, Severity.WARNING, Severity.INFO)]
    return ranks.index(str(finding.severity)) <= ranks.index(severity)


def _announces(finding: Finding, seen: Seen) -> bool:
    """True for a warning that says what was seen will happen to a caller who does not comply."""
    p = finding.runtime
    return (
        finding.severity is Severity.WARNING
        and p is not None
        and (str(p.stage), str(p.outcome), p.error or p.signal)
        == (seen.stage, seen.outcome, seen.detail)
    )


def _compare_verdicts(
    file: str,
    record: Mapping[str, Any],
    report: ArtifactReport,
    overall: str,
    minimal: bool = False,
) -> Iterator[Disagreement]:
    """Compares verdict by verdict.

    Under minimal verification the runtime follows damaged tables out of the file. That is
    undefined, and whatever was seen once is no contradiction to that.
    """
    methods = record["outcome"].get("methods") or {}
    for verdict in report.verdict:
        text = methods.get(verdict.method, overall) if methods and overall != "ok" else overall
        if verdict.method is None or len(report.verdict) == 1:
            text = overall
        if minimal and verdict.outcome is Outcome.UNDEFINED:
            continue
        if not parse_outcome(text).agrees(verdict):
            yield Disagreement(
                file,
                "other verdict",
                f"{text}; said {verdict.method}: {verdict.stage} {verdict.outcome} "
                f"{verdict.error or verdict.signal or ''} by {verdict.rule}",
            )


def records(folder: Path) -> list[Mapping[str, Any]]:
    """Reads a folder's truth.json."""
    loaded: list[Mapping[str, Any]] = json.loads((folder / "truth.json").read_text("utf-8"))
    return loaded


def main() -> None:
    """Prints the disagreements over the folders named on the command line."""
    total = 0
    for name in sys.argv[1:]:
        folder = Path(name)
        problems = [p for r in records(folder) for p in compare(folder, r)]
        total += len(problems)
        print(f"{folder}: {len(records(folder))} records, {len(problems)} disagreements")
        for problem in problems:
            print("  ", problem)
    sys.exit(1 if total else 0)


if __name__ == "__main__":
    main()
