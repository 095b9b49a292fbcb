"""External data with fewer bytes than the tensor needs.

What it finds:
    Keys whose segment in the data file is smaller than the tensor's bytes, also where the declared
    sizes agree. In a .ptd checked by itself every tensor counts.

What the runtime does:
    The segment's size is never compared with the tensor: the kernel reads past the end of the
    loaded bytes, from other memory; a segment of 0 bytes gives a null pointer and SIGSEGV at
    execute. State is read from the file past the segment's end, so it gets the following bytes
    (runtime/executor/method.cpp: Method::parse_external_constants; extension/flat_tensor/
    flat_tensor_data_map.cpp: load_data_into). All versions.

Why it happens:
    The segment table was damaged, or a tool replaced the bytes of a key by fewer.

How to fix it:
    Write the data file again:

        program.write_tensor_data_to_file("out")

How it is confirmed:
    Outputs change from run to run or are wrong, or the method crashes.

Seen in:
    TensorRT#4404
"""

from __future__ import annotations

from pte_lint.context import Context
from pte_lint.data.data_files import (
    Entry,
    all_entries,
    entries,
    layout_fault,
    layout_nbytes,
    missing_bytes,
    own_data,
    segment_fault,
)
from pte_lint.data.externals import externals
from pte_lint.finding import Finding, Location, Severity
from pte_lint.forecast import Forecast, Stage, crash, undefined
from pte_lint.rule import Yields, artifact_rule

_GARBAGE = Forecast.always(undefined(Stage.EXECUTE))
_NULL = Forecast.always(crash(Stage.EXECUTE, "SIGSEGV"))


@artifact_rule("PTE516", "external-data-short", Severity.ERROR, "external data that is too short")
def check(ctx: Context) -> Yields:
    """Entries that fail earlier are PTE515."""
    own = own_data(ctx)
    if own is not None:
        for entry in all_entries((own,)):
            layout = entry.named.tensor_layout
            if layout is not None and layout_fault(entry) is None:
                yield from _judge(entry, layout_nbytes(layout), False, None)
    known = entries(ctx.data)
    for method in ctx.methods:
        most: dict[tuple[str, bool], int] = {}
        for external in externals(method):
            # Data that nobody reads may be as short as it likes.
            if external.key in known and (
                method.readers(external.value) or method.is_output[external.value]
            ):
                place = (external.key, external.is_mutable)
                most[place] = max(most.get(place, 0), external.nbytes)
        for (key, mutable), nbytes in most.items():
            entry = known[key]
            if layout_fault(entry) is None:
                yield from _judge(entry, nbytes, mutable, method.name)


def _judge(entry: Entry, nbytes: int, mutable: bool, method: str | None) -> Yields:
    segment = entry.segment
    if segment is None or segment_fault(entry) is not None:
        return
    missing = missing_bytes(entry, nbytes)
    if not missing:
        return
    key = entry.named.key
    yield Finding(
        message=f"{key} has {segment.size} bytes in {entry.file.name or 'the data file'}, but "
        f"{nbytes} are read: {missing} come from elsewhere.",
        remediation='Write the data file again:\n\n    program.write_tensor_data_to_file("out")',
        location=Location(path=entry.path, byte_offset=entry.named.at),
        forecast=_NULL if segment.size == 0 and not mutable else _GARBAGE,
        evidence={"key": key, "segment_size": segment.size, "nbytes": nbytes},
        subject=f"key {key}",
        method=method,
    )
