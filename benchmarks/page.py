"""The results as a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_INTRO = """# Performance

Measured with `python -m benchmarks --write` on {date}: pte-lint {pte_lint}, Python {python},
{machine}, whole processes, medians. Ratios are between commands that ran in turn in one go, so they
mean more than the seconds do. Every file is made by the benchmark itself.
"""

_SECTIONS: Sequence[tuple[str, str, str, Mapping[str, str]]] = (
    (
        "cold_start",
        "Cold start",
        "What a process that judges one small file costs beside one that imports packages only.",
        {
            "what": "command",
            "against": "against",
            "seconds": "s",
            "base": "base, s",
            "ratio": "ratio",
        },
    ),
    (
        "lengths",
        "Length of the program",
        "A straight chain of kernel calls with twice as many values, by stage. The networkx graph "
        "is built when a rule or a command asks for it, and is not part of the total.",
        {
            "instructions": "instructions",
            "bytes": "file, bytes",
            "read": "read, s",
            "index": "index, s",
            "analyses": "analyses, s",
            "rules": "rules, s",
            "total": "total, s",
            "mebibytes": "peak, MiB",
            "graph": "graph, s",
        },
    ),
    (
        "peers",
        "Beside ExecuTorch's own Python reader",
        "The same file: a whole `pte-lint check` with all rules against "
        "`deserialize_pte_binary`, imports included.",
        {
            "instructions": "instructions",
            "check": "check, s",
            "reader": "reader, s",
            "reader_imports": "of which imports, s",
            "ratio": "ratio",
            "check_mebibytes": "check, MiB",
            "reader_mebibytes": "reader, MiB",
        },
    ),
    (
        "many_files",
        "Many small files",
        "One call over a folder against one call a file.",
        {
            "files": "files",
            "one_call": "one call, s",
            "single_calls": "single calls, s",
            "ratio": "ratio",
        },
    ),
    (
        "big_files",
        "Large files",
        "A program of 1,000 instructions with a segment area of this size (sparse) against the "
        "program alone: weights are never read.",
        {
            "GiB": "GiB",
            "seconds": "s",
            "base": "alone, s",
            "ratio": "ratio",
            "mebibytes": "peak, MiB",
            "base_mebibytes": "alone, MiB",
        },
    ),
)


def render(results: Mapping[str, Any]) -> str:
    """Renders the results as Markdown."""
    lines = [_INTRO.format(**results)]
    for key, title, text, columns in _SECTIONS:
        rows = results.get(key)
        if not rows:
            continue
        lines += [f"## {title}", "", text, ""]
        lines.append("| " + " | ".join(columns.values()) + " |")
        lines.append("|" + " --- |" * len(columns))
        lines += ["| " + " | ".join(_cell(row.get(c)) for c in columns) + " |" for row in rows]
        lines.append("")
    return "\n".join(lines)


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.0f}" if value >= 100 else f"{value:.3g}"
    if isinstance(value, int) and value >= 10_000:
        return f"{value:,}"
    return str(value)
