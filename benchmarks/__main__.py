"""Runs the benchmarks and writes the figures.

    python -m benchmarks --write

needs the package and its test dependencies installed. The comparison with ExecuTorch's own reader
needs a Python that has executorch with torch, named by --executorch-python.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pte_lint
from benchmarks import cases
from benchmarks.page import render

ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    """Parses the command line, measures, prints, and writes on request."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller sizes, fewer repeats")
    parser.add_argument("--write", action="store_true", help="write docs/performance.md and .json")
    parser.add_argument("--executorch-python", metavar="PATH", help="Python with executorch, torch")
    parser.add_argument("--only", action="append", metavar="NAME", help="run this part only")
    options = parser.parse_args()
    repeat = 5 if options.quick else 9
    sizes = (1_000, 10_000) if options.quick else (1_000, 10_000, 100_000, 1_000_000)
    with tempfile.TemporaryDirectory(prefix="pte-lint-bench-") as name:
        folder = Path(name)
        parts: dict[str, Iterator[cases.Row]] = {
            "cold_start": cases.cold_start(repeat),
            "lengths": cases.lengths(folder, sizes),
            "many_files": cases.many_files(folder, 50 if options.quick else 500),
            "big_files": cases.big_files(folder, (1,) if options.quick else (1, 50), repeat),
        }
        if options.executorch_python:
            length = 10_000 if options.quick else 100_000
            parts["peers"] = cases.peers(folder, length, options.executorch_python)
        chosen = options.only or list(parts)
        results: dict[str, Any] = {
            "date": datetime.now(UTC).date().isoformat(),
            "pte_lint": pte_lint.__version__,
            "python": platform.python_version(),
            "machine": f"{platform.system()} {platform.machine()}",
        }
        for part in chosen:
            print(f"measuring {part}", file=sys.stderr)
            results[part] = list(parts[part])
    print(render(results))
    if options.write:
        page = ROOT / "docs" / "performance.md"
        page.write_text(render(results), "utf-8")
        page.with_suffix(".json").write_text(json.dumps(results, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
