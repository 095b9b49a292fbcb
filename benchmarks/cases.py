"""The measurements. Each returns rows of plain values for the tables."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.files import SMALL, write_chain, write_copies, write_with_segments
from benchmarks.measure import compare, python, run
from benchmarks.stages import stages

Row = dict[str, Any]
_CHECK = [sys.executable, "-m", "pte_lint", "check", "--isolated", "--no-color"]
_FOUND = """
import sys
sys.argv = ["pte-lint", "check", "--isolated", {path!r}]
from pte_lint.cli import main
try:
    main()
except SystemExit:
    pass
ours = ("pte_lint", "__main__")
found = sorted({{m.partition(".")[0] for m in sys.modules}} & set({third!r}))
print("\\n" + " ".join(found))
"""
_THIRD_PARTY = ("click", "flatbuffers", "jinja2", "networkx", "platformdirs", "pydantic", "rich")


def cold_start(repeat: int) -> Iterator[Row]:
    """A cold check of a small file against importing the same third-party packages."""
    import subprocess

    code = _FOUND.format(path=str(SMALL), third=_THIRD_PARTY)
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    used = out.stdout.split("\n")[-2].split()
    imports = [sys.executable, "-c", "; ".join(f"import {name}" for name in used) or "pass"]
    check, base = compare([*_CHECK, str(SMALL)], imports, repeat)
    yield {
        "what": f"check of a {SMALL.stat().st_size} byte file",
        "against": f"importing {', '.join(used) or 'nothing'}",
        "seconds": check.seconds,
        "base": base.seconds,
        "ratio": check.ratio(base),
    }
    every = [sys.executable, "-c", "; ".join(f"import {name}" for name in _THIRD_PARTY[:6])]
    check, base = compare([*_CHECK, str(SMALL)], every, repeat)
    yield {
        "what": "the same",
        "against": "importing every run-time dependency",
        "seconds": check.seconds,
        "base": base.seconds,
        "ratio": check.ratio(base),
    }
    for words in (["--help"], ["explain", "PTE301"], ["rules"]):
        shown, base = compare(
            [sys.executable, "-m", "pte_lint", *words],
            [sys.executable, "-c", "import click"],
            repeat,
        )
        yield {
            "what": f"pte-lint {' '.join(words)}",
            "against": "importing click",
            "seconds": shown.seconds,
            "base": base.seconds,
            "ratio": shown.ratio(base),
        }


def lengths(folder: Path, sizes: tuple[int, ...]) -> Iterator[Row]:
    """Stages and memory by length of a straight chain."""
    for size in sizes:
        path = write_chain(folder, size)
        yield {"instructions": size, **_row(path, graph=size <= 100_000)}
    path = write_copies(folder, 10_000, 5_000)
    yield {"instructions": "10000, 5000 of them copies", **_row(path, graph=True)}


def _row(path: Path, graph: bool) -> Row:
    cost = stages(path, graph)
    row = {name: getattr(cost, name) for name in cost.__dataclass_fields__}
    return row | {"total": cost.total, "bytes": path.stat().st_size}


def peers(folder: Path, size: int, executorch: str) -> Iterator[Row]:
    """The same file through ExecuTorch's own Python reader."""
    path = write_chain(folder, size)
    check = run([*_CHECK, str(path)], 3)
    imports = "from executorch.exir._serialize._program import deserialize_pte_binary"
    alone = python(imports, 3, executorch)
    code = f"{imports}; deserialize_pte_binary(open({str(path)!r}, 'rb').read())"
    reader = python(code, 3, executorch)
    yield {
        "instructions": size,
        "check": check.seconds,
        "reader": reader.seconds,
        "reader_imports": alone.seconds,
        "ratio": check.ratio(reader),
        "check_mebibytes": check.mebibytes,
        "reader_mebibytes": reader.mebibytes,
    }


def many_files(folder: Path, count: int) -> Iterator[Row]:
    """Many small files in one call against as many calls."""
    many = folder / "many"
    many.mkdir(exist_ok=True)
    for n in range(count):
        shutil.copyfile(SMALL, many / f"{n}.pte")
    together = run([*_CHECK, "--quiet", str(many)], 3)
    single = run([*_CHECK, str(SMALL)], 15)
    yield {
        "files": count,
        "one_call": together.seconds,
        "single_calls": single.seconds * count,
        "ratio": together.seconds / (single.seconds * count),
    }


def big_files(folder: Path, gibibytes: tuple[int, ...], repeat: int) -> Iterator[Row]:
    """A small program with a large segment area against the program alone."""
    alone = write_chain(folder, 1000)
    for size in gibibytes:
        path = write_with_segments(folder, alone, size << 30)
        big, small = compare([*_CHECK, str(path)], [*_CHECK, str(alone)], repeat)
        yield {
            "GiB": size,
            "seconds": big.seconds,
            "base": small.seconds,
            "ratio": big.ratio(small),
            "mebibytes": big.mebibytes,
            "base_mebibytes": small.mebibytes,
        }
        path.unlink()
