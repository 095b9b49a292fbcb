"""Runs the benchmarks and writes the figures.

    python -m benchmarks --write --executorch-python PATH

needs the package's test dependencies. Ratios are made of processor time, taken in turn in one go.
What needs ExecuTorch with torch (its own Python reader, its diff, a transformer from its exporter)
is measured when --executorch-python names a Python that has them; what needs the C++ runtime, when
the executorch package and a compiler are there. What cannot be measured is left out, and the page
says so.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]


def find_package() -> None:
    """Makes the package importable, here and in the processes that are measured.

    The checkout's root holds a folder of the package's name that is not all of it, so it comes
    last. Where the package is not installed, the layout of `scripts/devtree` is used.
    """
    others = [p for p in sys.path if Path(p or os.curdir).resolve() != ROOT]
    sys.path[:] = others
    if importlib.util.find_spec("pte_lint") is None:
        tree = subprocess.check_output([str(ROOT / "scripts" / "devtree")], text=True).strip()
        sys.path.insert(0, tree)
        before = os.environ.get("PYTHONPATH")
        os.environ["PYTHONPATH"] = os.pathsep.join([tree, *([before] if before else [])])
    sys.path.append(str(ROOT))


def joined(results: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """The figures that are there, with those of parts that were measured by themselves since."""
    kept: dict[str, Any] = json.loads((ROOT / "docs" / "performance.json").read_text("utf-8"))
    later = kept.setdefault("later", {})
    for name in names:
        kept[name], later[name] = results[name], results["date"]
    return kept


def main() -> None:
    """Parses the command line, measures, prints, and writes on request."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--quick", action="store_true", help="smaller sizes, fewer repeats")
    parser.add_argument("--write", action="store_true", help="write docs/performance.md and .json")
    parser.add_argument("--executorch-python", metavar="PATH", help="Python with executorch, torch")
    parser.add_argument(
        "--only", action="append", metavar="NAME", help="only this part, and keep the others"
    )
    options = parser.parse_args()
    find_package()

    from benchmarks.page import render
    from benchmarks.plan import QUICK, WHOLE, measure

    python = options.executorch_python
    python = os.path.abspath(python) if python else None  # noqa: PTH100 - a venv's is a link
    with tempfile.TemporaryDirectory(prefix="pte-lint-bench-") as name:
        size = QUICK if options.quick else WHOLE
        try:
            results = measure(Path(name), size, python, ROOT / "build", options.only)
        except KeyError as exc:
            parser.error(f"no part is called {exc}")
    print(render(results))
    if options.write and options.only:
        results = joined(results, options.only)
    if options.write:
        page = ROOT / "docs" / "performance.md"
        page.write_text(render(results), "utf-8")
        page.with_suffix(".json").write_text(json.dumps(results, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
