"""Initial state of a mutable buffer that cannot be loaded.

What it finds:
    Planned tensors with initial data (data_buffer_idx above 0) whose data is not where the program
    says: no segment base, no or empty mutable_data_segments, an index beyond its offsets, a
    segment that does not exist, or more bytes than the segment or the file has.

What the runtime does:
    load_method fails when the tensor is parsed: NotFound without base, table, offsets or entry, and
    for a segment that does not exist; InvalidProgram without a segment table (SIGSEGV up to 1.3)
    and where a sum passes 2^64 (1.2 wraps and reads other bytes); InvalidArgument for bytes
    outside the segment or the file. Only entry 0 of mutable_data_segments is ever used
    (runtime/executor/program.cpp: Program::load_mutable_subsegment_into).

Why it happens:
    The program was edited, or a pass changed the state's shape after its bytes were taken.

How to fix it:
    Export the program again, with the pass that marks buffers whose state is to be kept:

        from executorch.exir import ExecutorchBackendConfig
        from executorch.exir.passes.init_mutable_pass import InitializedMutableBufferPass

        ExecutorchBackendConfig(passes=[InitializedMutableBufferPass(["state"])])

How it is confirmed:
    Loading the method gives the error named.

Seen in:
    executorch#4908
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import Forecast, Stage, crash, error, undefined
from pte_lint.claims.order import LoadMethodStep
from pte_lint.claims.sign import AT_VALUE, Sign
from pte_lint.data.context import Context
from pte_lint.data.segments import U64, overflows, program_container
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule

_NOT_FOUND = Forecast.always(error(Stage.LOAD_METHOD, "NotFound"))
_INVALID = Forecast.always(error(Stage.LOAD_METHOD, "InvalidProgram"))
_OUTSIDE = Forecast.always(error(Stage.LOAD_METHOD, "InvalidArgument"))
_OVERFLOW = _INVALID.until("1.2", undefined(Stage.EXECUTE))
_NO_TABLE = _INVALID.until("1.3", crash(Stage.LOAD_METHOD, "SIGSEGV"))


@method_rule(
    "PTE506",
    "initial-state",
    Severity.ERROR,
    "initial state that cannot be loaded",
    sign=(
        Sign(
            r"No (mutable data )?segments in program|mutable_data_segments_index|No offsets",
            AT_VALUE,
        ),
        Sign(
            r"offset index {data_buffer_idx} out of range",
            AT_VALUE,
        ),
        Sign(r"Segment index \d+ out of range", AT_VALUE),
        Sign(
            r"\+ size {nbytes} (out of range|overflows)",
            AT_VALUE,
        ),
    ),
)
def check(method: Method, ctx: Context) -> Yields:
    """External mutable tensors are PTE513 to PTE516."""
    for v in method.initial_states:
        if method.is_external(v):
            continue
        tensor = method.tensor(v)
        assert tensor is not None
        fault = _fault(ctx, tensor.data_buffer_idx, method.nbytes(v))
        if fault is None:
            continue
        message, forecast = fault
        yield Finding(
            message=f"The initial state of value {v} (entry {tensor.data_buffer_idx}) {message}.",
            remediation="Export the program again:\n\n"
            "    from executorch.exir import ExecutorchBackendConfig\n"
            "    from executorch.exir.passes.init_mutable_pass "
            "import InitializedMutableBufferPass\n\n"
            '    ExecutorchBackendConfig(passes=[InitializedMutableBufferPass(["state"])])',
            location=method.location(value=v, suffix=".val.data_buffer_idx"),
            forecast=forecast,
            order=(LoadMethodStep.VALUES, v, 50),
            evidence={"data_buffer_idx": tensor.data_buffer_idx, "nbytes": method.nbytes(v)},
            subject=f"value {v}",
        )


def _fault(ctx: Context, entry: int, nbytes: int) -> tuple[str, Forecast] | None:
    container, program = program_container(ctx), ctx.program
    if container is None or program is None:
        return None
    if container.segment_base_offset == 0:
        return "is in a segment, but the file has no segment base", _NOT_FOUND
    if not program.mutable_data_segments:
        return "has no place: the program has no mutable_data_segments", _NOT_FOUND
    where = program.mutable_data_segments[0]
    if where.offsets is None:
        return "has no place: the entry in mutable_data_segments has no offsets", _NOT_FOUND
    if entry >= len(where.offsets):
        return f"is beyond the {len(where.offsets)} offsets in mutable_data_segments", _NOT_FOUND
    if program.segments is None:
        return "is in a segment, but there is no segment table", _NO_TABLE
    if where.segment_index >= len(program.segments):
        count = len(program.segments)
        return f"is in segment {where.segment_index}, but there are {count}", _NOT_FOUND
    segment = program.segments[where.segment_index]
    offset = where.offsets[entry]
    if offset + nbytes >= U64:
        return f"starts at byte {offset} of its segment: the end passes 2^64", _OVERFLOW
    if offset + nbytes > segment.size:
        return (
            f"takes bytes {offset} to {offset + nbytes} of its segment, which has {segment.size}",
            _OUTSIDE,
        )
    start = container.segment_base_offset + segment.offset
    if overflows(container, segment) or start + offset >= U64:
        return "is in a segment whose start passes 2^64", _OVERFLOW
    if start + offset + nbytes > container.size:
        return f"ends at byte {start + offset + nbytes} of {container.size} of the file", _OUTSIDE
    return None
