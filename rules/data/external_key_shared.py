"""Several external constants with one key that are not alike.

What it finds:
    External constants of a method that name the same key but differ in element type, sizes or dim
    order.

What the runtime does:
    The key is resolved once, with the first of them; the others are not compared and read the same
    bytes as their own type and shape. A larger one reads past the end (PTE516). All versions
    (runtime/executor/method.cpp: Method::parse_external_constants).

Why it happens:
    A tool renamed tensors, or a view of another type was taken of an external constant. The
    exporter gives views of one tensor the same layout.

How to fix it:
    Leave out the pass or tool that did it, or let it give each layout a key of its own, and export
    again:

        program.write_tensor_data_to_file(".")

How it is confirmed:
    Not visible by running when the bytes suffice.

Seen in:
    No public report is known.
"""

from __future__ import annotations

from pte_lint.schema.enums import dtype_name

from pte_lint.claims.finding import Finding, Severity
from pte_lint.data.context import Context
from pte_lint.data.externals import External, externals
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule


@method_rule("PTE517", "external-key-shared", Severity.WARNING, "unlike constants that share a key")
def check(method: Method, ctx: Context) -> Yields:
    """One finding a key and layout."""
    first: dict[str, External] = {}
    said: set[tuple[object, ...]] = set()
    for external in externals(method):
        if external.key is None or external.is_mutable:
            continue
        known = first.setdefault(external.key, external)
        layout = (external.key, *_layout(external))
        if _layout(known) == layout[1:] or layout in said:
            continue
        said.add(layout)
        yield Finding(
            message=f"Values {known.value} and {external.value} both take the bytes of "
            f"{external.key}, but as {_text(known)} and {_text(external)}; only the first "
            "is compared with the data.",
            remediation="No exporter setting makes this: a pass or a tool renamed tensors, or made "
            "one a view of another. Leave it out, or let it give each layout a key of its own, and "
            'export again:\n\n    program.write_tensor_data_to_file(".")',
            location=method.location(value=external.value),
            evidence={"key": external.key, "first": known.value},
            subject=f"key {external.key}",
        )


def _text(external: External) -> str:
    return f"{dtype_name(external.tensor.scalar_type)}{list(external.tensor.sizes or ())}"


def _layout(external: External) -> tuple[object, ...]:
    tensor = external.tensor
    return tensor.scalar_type, tensor.sizes or (), tensor.dim_order or ()
