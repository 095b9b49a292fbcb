"""An entry of a data file that fails whoever asks for it.

What it finds:
    Entries whose segment does not exist or ends beyond the header's bound, whose bytes are not in
    the file, and tensors whose layout is missing, negative, too large or has an impossible dim
    order. In a .ptd checked by itself every entry counts; beside a program those that it wants.

What the runtime does:
    At load_method: InvalidExternalData for the segment and for constants outside the file;
    InvalidArgument for negative or huge sizes, for dim_order values beyond the rank, and for state
    outside the file; SIGSEGV for a missing layout, sizes or dim_order of a key that a tensor
    wants, SIGABRT for an unknown element type. A dim_order that is too short is read beyond its
    end, which goes unseen when the right bytes follow (extension/flat_tensor/
    flat_tensor_data_map.cpp: get_named_data, create_tensor_layout). Before 1.4 an overflowing bound
    gives InvalidExternalData by accident.

Why it happens:
    The .ptd is cut or damaged, or a tool other than the exporter wrote it.

How to fix it:
    Write or transfer the data file again:

        program.write_tensor_data_to_file(".")

How it is confirmed:
    Loading a method that wants the key gives the error, or crashes.

Seen in:
    No public report is known.
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Location, Severity
from pte_lint.claims.forecast import Forecast, Stage, error, undefined
from pte_lint.claims.order import LoadMethodStep, ValueStep
from pte_lint.claims.sign import Sign
from pte_lint.data.context import Context
from pte_lint.data.data_files import (
    Entry,
    Fault,
    all_entries,
    entries,
    is_in_file,
    is_order_short,
    layout_fault,
    layout_nbytes,
    own_data,
    segment_fault,
)
from pte_lint.data.externals import externals
from pte_lint.rulebook.rule import Yields, artifact_rule

_BAD_DATA = error(Stage.LOAD_METHOD, "InvalidExternalData")
_OUTSIDE = error(Stage.LOAD_METHOD, "InvalidArgument")
_SHORT_ORDER = Fault(
    "has fewer values of dim_order than sizes: what follows them is read as the rest",
    undefined(Stage.LOAD_METHOD),
)


@artifact_rule(
    "PTE515",
    "external-entry-broken",
    Severity.ERROR,
    "entries of data files that cannot be used",
    sign=(Sign(r"File {file}: offset \d+ \+ size \d+ > file_size_"), Sign(r"[kK]ey {key}\b")),
)
def check(ctx: Context) -> Yields:
    """A .ptd by itself: every entry. Beside a program: what its methods want."""
    own = own_data(ctx)
    if own is not None:
        for entry in all_entries((own,)):
            fault = segment_fault(entry) or _layout(entry) or _range(entry, mutable=False)
            if fault is not None:
                yield _finding(entry, fault, (0, 0, 0), None)
            elif is_order_short(entry):
                yield _short_order(entry)
    known = entries(ctx.data)
    for method in ctx.methods:
        said: set[str] = set()
        for external in externals(method):
            key = external.key
            wanted = known.get(key) if key is not None else None
            if wanted is None or key is None or key in said:
                continue
            fault = segment_fault(wanted) or layout_fault(wanted)
            if fault is None and is_order_short(wanted):
                fault = _SHORT_ORDER
            place = ValueStep.EXTERNAL_LAYOUT
            if fault is None:
                fault, place = _range(wanted, external.is_mutable), ValueStep.LOAD
            if fault is None:
                continue
            said.add(key)
            step = (
                LoadMethodStep.VALUES if external.is_mutable else LoadMethodStep.EXTERNAL_CONSTANTS
            )
            yield _finding(wanted, fault, (step, external.value, place), method.name)


def _short_order(entry: Entry) -> Finding:
    return Finding(
        message=f"The entry {entry.named.key} of {entry.file.name or 'the data file'} has fewer "
        "values of dim_order than sizes: what follows them is read as the rest.",
        remediation='Write the data file again:\n\n    program.write_tensor_data_to_file(".")',
        location=Location(path=entry.path, byte_offset=entry.named.at),
        subject=f"key {entry.named.key} dim_order",
        severity=Severity.WARNING,
    )


def _layout(entry: Entry) -> Fault | None:
    """Entries without a layout are plain blobs, which is legal until a tensor wants them."""
    has_layout = entry.named.tensor_layout is not None or entry.damaged
    return layout_fault(entry) if has_layout else None


def _range(entry: Entry, mutable: bool) -> Fault | None:
    segment, container = entry.segment, entry.file.container
    if segment is None:
        return None
    layout = entry.named.tensor_layout
    size = layout_nbytes(layout) if mutable and layout is not None else segment.size
    if is_in_file(container, segment, size):
        return None
    start = container.segment_base_offset + segment.offset
    return Fault(
        f"takes bytes {start} to {start + size} of a file of {container.size}",
        _OUTSIDE if mutable else _BAD_DATA,
    )


def _finding(
    entry: Entry, fault: Fault, order: tuple[int, int, int], method: str | None
) -> Finding:
    key = entry.named.key
    return Finding(
        message=f"The entry {key} of {entry.file.name or 'the data file'} {fault.message}.",
        remediation="Write or transfer the data file again:\n\n"
        '    program.write_tensor_data_to_file(".")',
        location=Location(path=entry.path, byte_offset=entry.named.at),
        forecast=Forecast.always(fault.prediction),
        order=order,
        evidence={"key": key, "file": entry.file.name},
        subject=f"key {key}",
        method=method,
    )
