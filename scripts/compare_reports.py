#!/usr/bin/env python3
"""Compares what two checkouts say about the same files, byte for byte.

    scripts/devtree && git worktree add ../before main && ../before/scripts/devtree
    scripts/compare_reports.py ../before/build/devtree build/devtree tests/data --mutants 20

A change that only makes things faster must change no report. Beside the files themselves, mutants
of them are checked, since most findings are about files that are not as they should be: words of
the program are replaced by other small numbers, so that the tables mostly stay readable.
"""

from __future__ import annotations

import argparse
import difflib
import hashlib
import json
import os
import random
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

_SUFFIXES = (".pte", ".bpte", ".ptd")
_SMALL = 4096
"""Words up to this are replaced, and are replaced by such."""


def main() -> int:
    """Runs both sides and shows the first differences; 1 when there are any."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("before", help="a folder with the package pte_lint, as devtree lays it out")
    parser.add_argument("after", help="the same, of the other checkout")
    parser.add_argument("paths", nargs="+", help="files, or folders to look in")
    parser.add_argument("--mutants", type=int, default=0, help="mutants a file")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", help="show the reports of one case (as named in the output)")
    parser.add_argument(
        "--new",
        action="append",
        default=[],
        help="a rule of one side only; that it passes is no difference",
    )
    parser.add_argument("--side", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.side:
        _side(options)
        return 0
    sides = [_run(tree, options) for tree in (options.before, options.after)]
    if options.only:
        sys.stdout.writelines(difflib.unified_diff(*sides, "before", "after"))
        return 0
    differing = [a for a, b in zip(*sides, strict=True) if a != b]
    for line in differing[:20]:
        print("differs:", line.split("\t")[0])
    print(f"{len(sides[0])} reports compared, {len(differing)} differ")
    return bool(differing)


def _run(tree: str, options: argparse.Namespace) -> list[str]:
    """One side's lines, made by a process of its own."""
    command = [sys.executable, __file__, *sys.argv[1:], "--side", tree]
    done = subprocess.run(
        command,
        env={**os.environ, "PYTHONPATH": str(Path(tree).resolve())},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return done.stdout.splitlines(keepends=True)


def _side(options: argparse.Namespace) -> None:
    import pte_lint
    from pte_lint.report.json_report import render

    for name, content in _cases(options):
        if options.only and name != options.only:
            continue
        said = json.loads(render(pte_lint.check(content, isolated=True)))
        for artifact in said["artifacts"]:
            quiet = [
                r for r in artifact["rules"] if r["rule"] in options.new and r["status"] == "passed"
            ]
            artifact["rules"] = [r for r in artifact["rules"] if r not in quiet]
        report = json.dumps(said, indent=2)
        if options.only:
            print(report)
        else:
            print(f"{name}\t{hashlib.sha256(report.encode()).hexdigest()}", flush=True)


def _cases(options: argparse.Namespace) -> Iterator[tuple[str, bytes]]:
    for path in _files(options.paths):
        content = path.read_bytes()
        yield str(path), content
        chance = random.Random(f"{options.seed} {path.name}")
        for number in range(options.mutants):
            yield f"{path}#{number}", _mutant(content, chance)


def _files(paths: list[str]) -> Iterator[Path]:
    for path in map(Path, paths):
        if path.is_dir():
            yield from sorted(p for p in path.rglob("*") if p.suffix in _SUFFIXES)
        else:
            yield path


def _mutant(content: bytes, chance: random.Random) -> bytes:
    """Replaces one to four small words of the program, or single bytes anywhere."""
    size = len(content)
    if content[8:12] == b"eh00" and size >= 32:
        size = min(size, int.from_bytes(content[16:24], "little"))
    numbers = enumerate(struct.iter_unpack("<I", content[: size & ~3]))
    words = [n for n, (word,) in numbers if word < _SMALL]
    out = bytearray(content)
    for _ in range(chance.randint(1, 4)):
        if words and chance.random() < 0.8:
            new = chance.choice((chance.randint(0, 12), chance.randint(0, 255), 0xFFFFFFFF))
            struct.pack_into("<I", out, 4 * chance.choice(words), new)
        elif out:
            out[chance.randrange(max(size, 1)) % len(out)] = chance.choice((0, 1, 5, 64, 255))
    return bytes(out)


if __name__ == "__main__":
    sys.exit(main())
