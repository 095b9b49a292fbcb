"""Runs single calls in every layout, or several in a row; compares with PyTorch and the verdict.

    cd scripts && PYTHONPATH=../build/devtree python -m measure.single_calls --count 5000

For a new runtime: install its wheel beside torch, run this, and look at what differs; the table of
patterns is `pte_lint/ops/layouts/table.py`. Calls run in a process that is started again when
it dies, through ExecuTorch's Python bindings.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pte_lint.harness.reference.operators import NoDefinition

if TYPE_CHECKING:
    from tests.support.kernel_calls import KernelCall

Record = dict[str, Any]
Way = str
Made = tuple[bytes, list[Any], list[Any]]
Make = Callable[[Way], Made]
"""Makes a program, what it is given in one of `WAYS`, and what it should give."""
Program = tuple[int, str, Make]
OTHER_VALUES, SMALLER = ("signed", "falling"), ("one", "less")
WAYS = ("", *OTHER_VALUES, *SMALLER)
"""How inputs are filled: as constants are; in two other ways, which are tried where a wrong result
does not show; with a first dimension of 1, and of one less than the largest."""
KINDS = ("listed", "chains", "drawn", "graphs")
_SECONDS = 20
_NO_REFERENCE = (
    RuntimeError, AssertionError, AttributeError, TypeError, IndexError, NotImplementedError,
    NoDefinition,
)  # fmt: skip
_LAYOUT_RULES = ("PTE151", "PTE152")
_OF_VALUES = "PTE153"
_NOTHING = 1e-12
"""What is left of equal numbers that are taken from each other."""
_LOOSE = {"float16": 2e-2, "bfloat16": 8e-2}


def _same(mine: Any, theirs: Any) -> bool:
    import torch

    if mine.shape != theirs.shape:
        return False
    if not (mine.dtype.is_floating_point or mine.dtype.is_complex):
        return bool(torch.equal(mine.to(torch.int64), theirs.to(mine.dtype).to(torch.int64)))
    names = {str(each.dtype).rpartition(".")[2] for each in (mine, theirs)}
    tolerance = max(_LOOSE.get(name, 1e-4) for name in names)
    largest = theirs[torch.isfinite(theirs)].abs().max() if torch.isfinite(theirs).any() else 1
    near = max(tolerance * min(float(largest), 1.0), _NOTHING)
    theirs = theirs.to(mine.dtype)
    return bool(torch.allclose(mine, theirs, tolerance, near, equal_nan=True))


def _run(programs: list[Program], send: Connection) -> None:
    """Runs programs; what it is about to run is sent first."""
    warnings.filterwarnings("ignore")
    import torch
    from executorch.extension.pybindings import portable_lib

    torch.set_num_threads(1)

    def outcome(made: Made) -> str:
        data, given, wanted = made
        try:
            got = portable_lib._load_for_executorch_from_buffer(data).forward(given)
        except RuntimeError:
            return "error"
        return "ok" if all(_same(a, b) for a, b in zip(got, wanted, strict=True)) else "wrong"

    for n, label, make in programs:
        record: Record = {"number": n, "label": label}
        try:
            made = make("")
        except _NO_REFERENCE as error:
            send.send(record | {"outcome": "no reference", "why": str(error)[:80]})
            continue
        # The verdict first, with the crash as its outcome until the run is over.
        said = _verdict(made[0])
        send.send(record | {"outcome": "crash", **said})
        seen = {"": outcome(made)}
        # What follows may end the process.
        send.send({"number": n, "outcome": seen[""]})
        for way in WAYS[1:] if made[1] and seen[""] == "ok" else ():
            is_told = "wrong" in said["verdict"].values()
            if way in OTHER_VALUES and (not is_told or "wrong" in seen.values()):
                continue
            try:
                seen[way] = outcome(make(way))
            except _NO_REFERENCE:
                continue
        if seen[""] == "ok" and "wrong" in [seen.get(way) for way in OTHER_VALUES]:
            seen[""] = "wrong"
        smaller = [way for way in SMALLER if seen.get(way) == "wrong"]
        send.send({"number": n, "outcome": seen[""], "smaller": smaller})
    send.close()


def _programs(count: int, seed: int, kind: str) -> list[Program]:
    """Numbered programs and what makes each, with the values it should give."""
    import torch

    from measure.calls import filled, program, reference, shuffled
    from measure.chains import chain, chain_program
    from measure.drawn import call_program, drawn_calls, inputs_changed
    from measure.graphs import graph, graph_program
    from tests.support.kernel_calls import T

    def listed(call: KernelCall, n: int, _: Way) -> Made:
        values = filled(call, n)
        return program(call, values), [], reference(call, values)

    def chained(calls: list[KernelCall], n: int, _: Way) -> Made:
        data, wanted = chain_program(calls, n)
        return data, [], wanted

    def single(call: KernelCall, n: int, way: Way) -> Made:
        values = filled(call, n)
        data, given = call_program(call, values, bounded=n % 2 == 1)
        if way:
            values = inputs_changed(call, values, way)
            given = call_program(call, values, bounded=True)[1]
        # What is read in a short type is as exact as that, whatever type the result has.
        short = [a.dtype for a in call.args if isinstance(a, T) and a.dtype in _LOOSE]
        wanted = reference(call, values)
        if short:
            wanted = [
                w.to(getattr(torch, short[-1])) if w.is_floating_point() else w for w in wanted
            ]
        return data, [each.clone() for each in given], wanted

    if kind == "chains":
        drawn = [chain(seed * 1_000_000 + n) for n in range(count)]
        return [
            (n, ", ".join(c.operator for c in calls), partial(chained, calls, n))
            for n, calls in enumerate(drawn)
        ]
    if kind == "drawn":
        # Every second one has sizes that may change.
        return [
            (n, f"{call.operator}{' bounded' * (n % 2)}", partial(single, call, n))
            for n, call in enumerate(drawn_calls(count, seed))
        ]
    if kind == "graphs":
        graphs = [graph(seed * 1_000_000 + n) for n in range(count)]
        return [
            (
                n,
                ", ".join(c.operator for c, _ in each.calls) + " bounded" * (n % 2),
                partial(graph_program, each, n, n % 2 == 1),
            )
            for n, each in enumerate(graphs)
        ]
    return [
        (n, label, partial(listed, call, n))
        for n, (label, call) in enumerate(shuffled(count, seed))
    ]


def _verdict(data: bytes) -> Record:
    import pte_lint

    report = pte_lint.check(data, isolated=True).artifacts[0]
    said = report.runs_on
    warned = any(f.rule in _LAYOUT_RULES and f.severity == "warning" for f in report.findings)
    return {
        "verdict": {version: str(each[0].outcome) for version, each in said.items()},
        "warned": warned,
        "values": any(f.rule == _OF_VALUES for f in report.findings),
    }


def measure(count: int, seed: int, kind: str = "listed", seconds: float = math.inf) -> list[Record]:
    """All records, in order, as far as it gets in so many seconds."""
    programs = _programs(count, seed, kind)
    begun = time.monotonic()
    records: dict[int, Record] = {}
    start = 0
    while start < len(programs):
        here, there = multiprocessing.Pipe(duplex=False)
        process = multiprocessing.Process(target=_run, args=(programs[start:], there))
        process.start()
        there.close()
        last = start
        while here.poll(_SECONDS) and time.monotonic() - begun < seconds:
            try:
                record = here.recv()
            except EOFError:
                break
            last = record["number"]
            records.setdefault(last, {}).update(record)
        if time.monotonic() - begun >= seconds:
            process.kill()
            records.pop(last, None)  # its run may not be over
            break
        process.join(0.5)
        if process.exitcode == 0:
            break
        process.kill()
        start = last + 1
    return [records[n] for n in sorted(records)]


def agrees(record: Record, version: str) -> bool:
    """Whether verdict and outcome say the same; undefined behaviour may show as it likes.

    What only goes wrong with smaller sizes is told by a warning, what hangs on values by an info.
    """
    if record["outcome"] == "no reference":
        return True
    said = record["verdict"][version]
    if said == "ok" == record["outcome"] and record.get("smaller") and not record["warned"]:
        return False
    if said == "ok" and record["outcome"] == "wrong" and record["values"]:
        return True
    return said in (record["outcome"], "undefined")


def main() -> int:
    """Measures and prints what does not agree."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--kind",
        choices=KINDS,
        default="listed",
        help="listed single calls, chains of calls on images, drawn single calls of all types and "
        "orders, graphs of calls of many operators; half of drawn and graphs have bounded sizes",
    )
    parser.add_argument("--version", default="1.5", help="whose verdict is compared")
    parser.add_argument("--seconds", type=float, default=math.inf, help="stop after so long")
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    # What is imported here is not imported again in each of the processes.
    import executorch.extension.pybindings.portable_lib
    import executorch.kernels.quantized  # noqa: F401
    import torch.ao.quantization.fx._decomposed  # noqa: F401

    records = measure(options.count, options.seed, options.kind, options.seconds)
    if options.write:
        options.write.write_text(json.dumps(records, indent=0))
    counts = Counter(
        (record["outcome"], record.get("verdict", {}).get(options.version)) for record in records
    )
    for (outcome, verdict), number in sorted(counts.items(), key=str):
        print(f"{number:6} {outcome}, said {verdict}")
    bad = [record for record in records if not agrees(record, options.version)]
    for record in bad:
        print(json.dumps(record))
    print(f"{len(records)} calls, {len(bad)} differ")
    return bool(bad)


if __name__ == "__main__":
    multiprocessing.set_start_method("fork")
    sys.exit(main())
