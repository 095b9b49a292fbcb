"""The results as a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

_INTRO = """# Performance

Measured with `{command}` on {date}: pte-lint {pte_lint}, Python {python}, {machine}, load
average {load} before it began. Whole processes, medians of {repeat} runs (long ones: {long_repeat})
after a warm-up; commands that are compared ran in turn, in one go. **s** is processor time, user
and system, and ratios are made of it: it says nearly the same on a machine that others use too.
Byte code is compiled before, as it is for an installed package. Every file is made by the benchmark
itself or is in the repository.
"""


class _Section(NamedTuple):
    key: str
    title: str
    text: str
    columns: Mapping[str, str]


_SECTIONS: Sequence[_Section] = (
    _Section(
        "cold_start",
        "Cold start",
        "What a process that judges one small file costs beside one that imports packages only.",
        {
            "what": "command",
            "against": "against",
            "seconds": "s",
            "base": "base, s",
            "ratio": "ratio",
            "wall": "wall clock, s",
            "mebibytes": "peak, MiB",
        },
    ),
    _Section(
        "lengths",
        "Length of the program",
        "A straight chain of kernel calls with twice as many values: a whole `pte-lint check` with "
        "all rules, then its stages. The networkx graph is built when a rule or a command asks for "
        "it, and is no part of a check. (The runtime refuses more than 1,000,000 tables, which is "
        "what a check says of the longest chain; all rules run on it all the same.)",
        {
            "instructions": "instructions",
            "bytes": "file, bytes",
            "seconds": "check, s",
            "times": "times the row before",
            "mebibytes": "peak, MiB",
            "read": "read, s",
            "index": "index, s",
            "analyses": "analyses, s",
            "rules": "rules, s",
            "graph": "graph, s",
        },
    ),
    _Section(
        "shapes",
        "Awkward shapes",
        "The same without starting up: what is linear grows by the factor by which the program "
        "does.",
        {
            "shape": "shape",
            "instructions": "instructions",
            "seconds": "s",
            "short": "short one, s",
            "growth": "growth",
            "factor": "of the program",
        },
    ),
    _Section(
        "dynamic",
        "Sizes that may change",
        "Files of the repository and the same with bounded sizes, judged without starting up.",
        {"what": "files", "bounded": "bounded, s", "fixed": "fixed, s", "ratio": "ratio"},
    ),
    _Section(
        "peers",
        "Beside ExecuTorch's own Python reader",
        "A whole `pte-lint check` with all rules against `deserialize_pte_binary`, which decodes "
        "and judges nothing (executorch {executorch}).",
        {
            "what": "file",
            "check": "check, s",
            "reader": "reader, s",
            "imports": "of which imports, s",
            "ratio": "ratio",
            "ratio_alone": "ratio without its imports",
            "check_mebibytes": "check, MiB",
            "reader_mebibytes": "reader, MiB",
        },
    ),
    _Section(
        "differences",
        "Beside the diff of ExecuTorch's devtools",
        "`pte-lint diff` against `executorch.devtools.pte_tool.diff_pte`, a file against itself.",
        {
            "what": "file",
            "diff": "diff, s",
            "peer": "devtools, s",
            "ratio": "ratio",
            "diff_mebibytes": "diff, MiB",
            "peer_mebibytes": "devtools, MiB",
        },
    ),
    _Section(
        "floor",
        "The floor: the C++ runtime",
        "`Program::load` with full verification, and `load_method` after it (the program loaded "
        "once more), in a child of the probe; nothing is executed. Wall clock here.",
        {
            "what": "file",
            "check_wall": "check, s",
            "load_program": "load program, s",
            "load_method": "and method, s",
            "ratio": "ratio",
        },
    ),
    _Section(
        "many_files",
        "Many small files",
        "One call over a folder against one call a file.",
        {
            "files": "files",
            "how": "how",
            "seconds": "one call, s",
            "single_calls": "single calls, s",
            "ratio": "ratio",
            "wall": "one call, wall clock, s",
            "single_wall": "single calls, wall clock, s",
        },
    ),
    _Section(
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
            "memory_ratio": "ratio",
        },
    ),
)


def render(results: Mapping[str, Any]) -> str:
    """Renders the results as Markdown."""
    command = "python -m benchmarks --quick" if results["quick"] else "python -m benchmarks"
    lines = [_INTRO.format(command=command, **results)]
    missing = [section.title for section in _SECTIONS if section.key not in results]
    for section in _SECTIONS:
        rows = results.get(section.key)
        if not rows:
            continue
        lines += [f"## {section.title}", "", section.text.format(**results), ""]
        if section.key in results.get("later", {}):
            lines += [f"Measured by itself on {results['later'][section.key]}.", ""]
        lines += _table(section.columns, [row for row in rows if "skipped" not in row])
        lines += [_skipped(row) for row in rows if "skipped" in row]
        lines.append("")
    if missing:
        lines += [f"Not measured this time: {'; '.join(missing)}.", ""]
    return "\n".join(lines)


def _table(columns: Mapping[str, str], rows: Sequence[Mapping[str, Any]]) -> list[str]:
    if not rows:
        return []
    lines = ["| " + " | ".join(columns.values()) + " |", "|" + " --- |" * len(columns)]
    lines += ["| " + " | ".join(_cell(row.get(c)) for c in columns) + " |" for row in rows]
    return lines


def _skipped(row: Mapping[str, Any]) -> str:
    what = row.get("what") or f"{row['GiB']} GiB"
    return f"Not measured: {what}: {row['skipped']}."


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.0f}" if value >= 100 else f"{value:.3g}"
    if isinstance(value, int) and value >= 10_000:
        return f"{value:,}"
    return str(value)
