"""What has changed since a baseline was written."""

from __future__ import annotations

from typing import Final

from pte_lint.claims.finding import Json
from pte_lint.config.baseline import Comparison, Fixed
from pte_lint.report.json_report import report_json
from pte_lint.report.layout import wrap
from pte_lint.report.phrases import plural
from pte_lint.text.sanitise import exact

_SHOWN: Final = 20


def baseline_text(comparison: Comparison) -> str:
    """The findings that are gone, and the counts; ends with a newline."""
    lines: list[str] = []
    if comparison.fixed:
        lines.append(f"{plural(len(comparison.fixed), 'finding')} of the baseline fixed:")
        for gone in comparison.fixed[:_SHOWN]:
            lines += wrap(_fixed(gone), indent="    ", first="  - ")
        if len(comparison.fixed) > _SHOWN:
            lines.append(f"  and {len(comparison.fixed) - _SHOWN} more")
        lines.append("`pte-lint baseline write` takes them out.")
    if comparison.absent:
        lines += wrap(
            f"{plural(len(comparison.absent), 'file')} of the baseline not checked: "
            f"{', '.join(comparison.absent[:3])}{', ...' if len(comparison.absent) > 3 else ''}"
        )
    new = len(comparison.report.findings)
    lines.append(f"{new} new, {comparison.known} known, {len(comparison.fixed)} fixed.")
    return "".join(f"{line}\n" for line in lines)


def baseline_json(comparison: Comparison, file: str) -> dict[str, Json]:
    """The report of `check`, whose findings are the new ones, with a key `baseline` added."""
    return {
        **report_json(comparison.report),
        "baseline": {
            "file": exact(file),
            "known": comparison.known,
            "fixed": [
                {
                    "path": exact(gone.path),
                    "rule": gone.known.rule,
                    "severity": str(gone.known.severity),
                    "method": None if gone.known.method is None else exact(gone.known.method),
                    "subject": exact(gone.known.subject),
                    "fingerprint": gone.known.fingerprint,
                }
                for gone in comparison.fixed
            ],
            "not_checked": [exact(path) for path in comparison.absent],
        },
    }


def _fixed(gone: Fixed) -> str:
    k = gone.known
    where = ": ".join(part for part in (k.method, k.subject) if part)
    return f"{gone.path}: {k.severity} {k.rule}{f' at {where}' if where else ''}"
