"""Many small files in one call, and files whose bulk is not looked at."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.files import SMALL, write_chain, write_with_segments
from benchmarks.measure import check_command, in_turn, run
from benchmarks.parts import Row


def many_files(folder: Path, count: int, repeat: int) -> Iterator[Row]:
    """Many small files in one call against as many calls."""
    many = folder / "many"
    many.mkdir(exist_ok=True)
    for n in range(count):
        shutil.copyfile(SMALL, many / f"{n}.pte")
    single = run(check_command(str(SMALL)), 3 * repeat)
    keep = ["env", f"PTE_LINT_CACHE_DIR={folder / 'kept'}"]
    for how, before, words in (
        ("in one process", [], ()),
        ("in two processes (`-j 2`)", [], ("-j", "2")),
        ("results kept from before (`--cache`)", keep, ("--cache",)),
    ):
        together = run([*before, *check_command("--quiet", *words, str(many))], repeat)
        yield {
            "files": count,
            "how": how,
            "seconds": together.seconds,
            "wall": together.wall,
            "single_calls": single.seconds * count,
            "single_wall": single.wall * count,
            "ratio": together.ratio(single) / count,
            "mebibytes": together.mebibytes,
        }


def big_files(folder: Path, gibibytes: Sequence[int], repeat: int) -> Iterator[Row]:
    """A small program with a large segment area against the program alone."""
    alone = write_chain(folder, 1000)
    for size in gibibytes:
        try:
            path = write_with_segments(folder, alone, size << 30)
        except OSError as exc:  # a file system without sparse files, or with smaller limits
            yield {"GiB": size, "skipped": f"cannot be made here: {exc.strerror}"}
            continue
        big, small = in_turn([check_command(str(p)) for p in (path, alone)], repeat)
        yield {
            "GiB": size,
            "seconds": big.seconds,
            "base": small.seconds,
            "ratio": big.ratio(small),
            "mebibytes": big.mebibytes,
            "base_mebibytes": small.mebibytes,
            "memory_ratio": big.mebibytes / small.mebibytes,
        }
        path.unlink()
