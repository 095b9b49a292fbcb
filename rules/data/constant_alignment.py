"""A constant that is not aligned for its element type.

What it finds:
    Constants whose offset in the constant segment is not a multiple of their element's size.

What the runtime does:
    Nothing checks it. The kernel reads the elements through a misaligned pointer: slow on x86, a
    fault on some Arm and DSP cores, undefined in C++ everywhere, all versions
    (runtime/executor/program.cpp: Program::get_constant_buffer_data).

Why it happens:
    An offset was damaged, or another tool packed the constants. The exporter aligns each to 16
    bytes (constant_tensor_alignment).

How to fix it:
    Export the program again, with an alignment that the target's kernels want:

        from executorch.exir import ExecutorchBackendConfig

        ExecutorchBackendConfig(constant_tensor_alignment=16)

How it is confirmed:
    Not visible by running on x86.

Seen in:
    No public report is known.
"""

from __future__ import annotations

from pte_lint.schema.enums import element_size

from pte_lint.claims.finding import Finding, Severity
from pte_lint.data.constants import constant_area, constants
from pte_lint.data.context import Context
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule


@method_rule("PTE505", "constant-alignment", Severity.WARNING, "misaligned constants")
def check(method: Method, ctx: Context) -> Yields:
    """Relative to the segment, which loaders align."""
    area = constant_area(ctx)
    if area is None:
        return
    said: set[int] = set()
    for constant in constants(method):
        if constant.nbytes == 0 or constant.entry in said or constant.entry >= len(area.offsets):
            continue
        tensor = method.tensor(constant.value)
        size = element_size(tensor.scalar_type) if tensor is not None else None
        offset = area.offsets[constant.entry]
        if not size or offset % size == 0:
            continue
        said.add(constant.entry)
        yield Finding(
            message=f"Constant {constant.entry} (value {constant.value}) starts at byte {offset} "
            f"of the constant segment; its elements have {size} bytes.",
            remediation="Export the program again:\n\n"
            "    from executorch.exir import ExecutorchBackendConfig\n\n"
            "    edge.to_executorch(ExecutorchBackendConfig(constant_tensor_alignment=16))",
            location=method.location(value=constant.value, suffix=".val.data_buffer_idx"),
            evidence={"offset": offset, "element_size": size},
            subject=f"constant {constant.entry}",
        )
