"""The files that are measured, made here so that anybody can make them again."""

from __future__ import annotations

import multiprocessing
import struct
import subprocess
import sys
from pathlib import Path

from benchmarks.fast_writer import chain_program

SMALL = Path(__file__).parents[1] / "tests" / "data" / "device" / "add_skip_both_paired.pte"
"""A small real file that has no errors."""

FIXABLE = Path(__file__).parents[1] / "tests" / "fuzz" / "defects" / "PTE204.pte"
"""A small file with one finding, which `pte-lint fix` undoes."""


def write_chain(folder: Path, instructions: int) -> Path:
    """A straight chain of `instructions` kernel calls."""
    path = folder / f"chain_{instructions}.pte"
    if not path.exists():
        # In a process of its own: what a process has once held counts as its children's peak.
        child = multiprocessing.get_context("fork").Process(
            target=_write_chain, args=(path, instructions)
        )
        child.start()
        child.join()
    return path


def _write_chain(path: Path, instructions: int) -> None:
    path.write_bytes(chain_program(instructions))


def write_transformer(folder: Path, executorch: str) -> Path | None:
    """A 12-layer transformer from the real exporter, kept in `folder`; None where that fails."""
    path = folder / "transformer_12.pte"
    if path.exists():
        return path
    script = Path(__file__).with_name("transformer.py")
    folder.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(".part")
    done = subprocess.run(
        [executorch, str(script), str(fresh)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        print(f"the transformer was not exported: {done.stderr[-500:]}", file=sys.stderr)
        return None
    return fresh.replace(path)


def write_with_segments(folder: Path, program: Path, size: int) -> Path:
    """The same program with a segment area of `size` bytes behind it, a hole in the file.

    The program is one without a header; it gets one, and nothing in it refers to the segments, as
    in a model whose weights are named data.
    """
    path = folder / f"{program.stem}_{size >> 30}GiB.pte"
    if path.exists():
        return path
    raw = program.read_bytes()
    # The header goes behind the identifier; 32 bytes keep everything else aligned as it was.
    root = struct.unpack_from("<I", raw)[0] + 32
    length = len(raw) + 32
    base = -(-length // 128) * 128
    header = b"eh00" + struct.pack("<IQQQ", 32, length, base, size)
    with path.open("wb") as file:
        file.write(struct.pack("<I", root) + raw[4:8] + header + raw[8:])
        file.truncate(base + size)
    return path
