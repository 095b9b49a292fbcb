"""Crafted files cost a small multiple of their size, in memory and in what is printed.

Peak memory is measured in a child process, above what the same command takes for a small program.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.support.sharing_writer import write_shared

# Not ru_maxrss: that of a child begins with what its parent had when it was forked.
_CHILD = """
import re, sys
from pte_lint.cli.app import app
try:
    app(sys.argv[1:])
except SystemExit as end:
    with open("/proc/self/status") as file:
        peak = int(re.search(r"VmHWM:\\s+(\\d+) kB", file.read())[1]) << 10
    print(end.code, peak, file=sys.stderr)
"""
_FREE = 64 << 20
_TIMES = 40


def small() -> bytes:
    b = MethodBuilder("forward")
    x = b.input((2,))
    b.output(b.add(x, x))
    return build_program(b).bytes()


def long_names() -> bytes:
    """Methods that share a name of half a megabyte, each with something wrong."""
    b = MethodBuilder("forward")
    x = b.input((2,))
    b.output(b.add(x, x), 99)
    built = build_program(b)
    (plan,) = built.program.execution_plan or ()
    name = "A" * 500_000
    plans = tuple(replace(plan, name=name, inputs=(0, n)) for n in range(600))
    return write_shared(replace(built.program, execution_plan=plans), built.segment_data)


def moves_in_a_loop() -> bytes:
    """Every tensor may in the end be any of thousands."""
    b = MethodBuilder("forward")
    tensors = [b.input((1,), planned=False) for _ in range(6_000)]
    again = b.input((1,), "bool")
    start = b.mark()
    for n in range(6_000):
        b.move(tensors[n * 7 % 6_000], tensors[(n * 13 + 1) % 6_000])
    b.jump_false(again, start)
    b.output(tensors[1])
    return build_program(b).bytes()


def many_errors() -> bytes:
    """Every argument is a finding of its own."""
    b = MethodBuilder("forward")
    tensors = [b.tensor((2,), device="cuda:0") for _ in range(600)]
    for n in range(599):
        b.call("aten::relu.out", tensors[n], out=tensors[n + 1])
    b.output(*tensors)
    return build_program(b).bytes()


def one_input_often() -> bytes:
    """One value, listed a hundred thousand times."""
    b = MethodBuilder("forward")
    x = b.input((2,))
    b.output(b.add(x, x))
    built = build_program(b)
    (plan,) = built.program.execution_plan or ()
    plan = replace(plan, inputs=(0,) * 100_000, outputs=(0,) * 100_000)
    return write_shared(replace(built.program, execution_plan=(plan,)), built.segment_data)


def run(path: Path, *command: str) -> tuple[int, int, int]:
    """Exit code, peak bytes and printed bytes of a command."""
    done = subprocess.run(
        [sys.executable, "-c", _CHILD, *command, str(path)],
        capture_output=True,
        check=False,
    )
    code, peak = done.stderr.split()[-2:]
    return int(code), int(peak), len(done.stdout)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc is there")
@pytest.mark.parametrize("make", [long_names, moves_in_a_loop, many_errors])
def test_memory_and_output_follow_the_file(make: Callable[[], bytes], tmp_path: Path) -> None:
    crafted, plain = tmp_path / "crafted.pte", tmp_path / "plain.pte"
    crafted.write_bytes(make())
    plain.write_bytes(small())
    size = crafted.stat().st_size
    for command in (
        ("check", "--isolated", "--no-cache", "--format", "json"),
        ("check", "--isolated", "--no-cache", "--format", "sarif"),
        ("inspect", "--instructions"),
    ):
        _, least, _ = run(plain, *command)
        code, peak, printed = run(crafted, *command)
        assert code == (1 if command[0] == "check" else 0)
        assert peak - least <= _FREE + _TIMES * size, command
        assert printed <= (4 << 20) + 8 * size, command


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc is there")
def test_comparing_takes_no_more(tmp_path: Path) -> None:
    """The whole process, as SECURITY.md says: what is listed often is held once."""
    crafted = tmp_path / "crafted.pte"
    crafted.write_bytes(one_input_often())
    code, peak, _ = run(crafted, "diff", "--isolated", str(crafted))
    assert code == 0
    assert peak <= _FREE + _TIMES * crafted.stat().st_size
