"""External data with fewer bytes than the tensor needs.

What it finds:
    Keys whose segment in the data file is smaller than the tensor's bytes, though the declared
    sizes agree, or are not compared. In a .ptd checked by itself every tensor counts.

What the runtime does:
    The segment's size is never compared with the tensor: the kernel reads past the end of the
    loaded bytes, from other memory; a segment of 0 bytes gives a null pointer: SIGSEGV at execute,
    Internal where a copy to the device is the first to read it, whatever a delegate makes of it
    where that is the first. State is read from the file past
    the segment's end, so it gets the following bytes (runtime/executor/method.cpp:
    Method::parse_external_constants; extension/flat_tensor/flat_tensor_data_map.cpp:
    load_data_into). All versions.

Why it happens:
    The segment table was damaged, or a tool replaced the bytes of a key by fewer.

How to fix it:
    Write the data file again:

        program.write_tensor_data_to_file(".")

How it is confirmed:
    Outputs change from run to run or are wrong, or the method crashes.

Seen in:
    TensorRT#4404
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pte_lint.claims.finding import Finding, Location, Severity
from pte_lint.claims.forecast import Forecast, Stage, crash, error, undefined
from pte_lint.claims.order import ExecuteStep
from pte_lint.claims.sign import Unseen
from pte_lint.data.context import Context
from pte_lint.data.data_files import (
    Entry,
    all_entries,
    entries,
    is_order_short,
    layout_fault,
    layout_nbytes,
    missing_bytes,
    own_data,
    segment_fault,
)
from pte_lint.data.external_layouts import Unlike, compared
from pte_lint.data.externals import externals
from pte_lint.ir.calling import H2D_COPY
from pte_lint.ir.steps import StepKind
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, artifact_rule

_GARBAGE = Forecast.always(undefined(Stage.EXECUTE))
_NULL = Forecast.always(crash(Stage.EXECUTE, "SIGSEGV"))
_NULL_COPIED = Forecast.always(error(Stage.EXECUTE, "Internal"))
"""The device's copy refuses a null pointer (et_copy::_h2d_copy.out)."""


@artifact_rule(
    "PTE516",
    "external-data-short",
    Severity.ERROR,
    "external data that is too short",
    sign=Unseen("what lies behind the data is read with it: only results would tell"),
)
def check(ctx: Context) -> Yields:
    """Entries that fail earlier are PTE514 and PTE515."""
    own = own_data(ctx)
    if own is not None:
        for entry in all_entries((own,)):
            layout = entry.named.tensor_layout
            if layout is not None and layout_fault(entry) is None:
                yield from _judge(entry, layout_nbytes(layout), _NULL)
    known = entries(ctx.data)
    for method in ctx.methods:
        refused = {
            each.external.key
            for each in compared(method, known)
            if isinstance(each, Unlike) and not is_order_short(each.entry)
        }
        most: dict[tuple[str, bool], int] = {}
        first: dict[tuple[str, bool], int] = {}
        for external in externals(method):
            # Data that nobody reads may be as short as it likes.
            if external.key not in known or external.key in refused:
                continue
            if method.readers(external.value) or method.is_output[external.value]:
                place = (external.key, external.is_mutable)
                most[place] = max(most.get(place, 0), external.nbytes)
                step = _first_reader(method, external.value)
                first[place] = min(first.get(place, step), step)
        for (key, mutable), nbytes in most.items():
            entry = known[key]
            if layout_fault(entry) is None:
                at = first[key, mutable]
                null = _GARBAGE if mutable else _when_null(method, at)
                for finding in _judge(entry, nbytes, null):
                    yield replace(
                        finding,
                        method=method.name,
                        plan=method.index,
                        order=(at, ExecuteStep.ACCESS),
                    )


def _first_reader(method: Method, v: int) -> int:
    """The first step that reads a value; the number of steps if none does."""
    readers = (i for i in method.readers(v) if method.flow.reachable[i])
    return next(readers, len(method.steps))


def _when_null(method: Method, reader: int) -> Forecast:
    """What a constant without any data leads to: its pointer is null."""
    if reader == len(method.steps):
        return _GARBAGE
    step = method.steps[reader]
    if step.operator == H2D_COPY:
        return _NULL_COPIED
    # What a delegate makes of a null pointer is its own affair.
    return _GARBAGE if step.kind is StepKind.DELEGATE else _NULL


def _judge(entry: Entry, nbytes: int, null: Forecast) -> Iterator[Finding]:
    segment = entry.segment
    if segment is None or segment_fault(entry) is not None:
        return
    missing = missing_bytes(entry, nbytes)
    if not missing:
        return
    key = entry.named.key
    rest = (
        f"the last {missing} are whatever lies behind"
        if segment.size
        else "there is nothing to read"
    )
    yield Finding(
        message=f"{key} has {segment.size} bytes in {entry.file.name or 'the data file'}, but "
        f"{nbytes} are read: {rest}.",
        remediation='Write the data file again:\n\n    program.write_tensor_data_to_file(".")',
        location=Location(path=entry.path, byte_offset=entry.named.at),
        forecast=null if segment.size == 0 else _GARBAGE,
        evidence={"key": key, "segment_size": segment.size, "nbytes": nbytes},
        subject=f"key {key}",
    )
