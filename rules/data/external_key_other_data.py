"""A key that stands for other data in another method.

What it finds:
    External constants of two methods that name the same key, but with another index of data, or
    another element type, sizes or dim order.

What the runtime does:
    A key is looked up by name, whatever the index: both methods get the same bytes, those of the
    one entry that the data file has under this name. All versions
    (runtime/executor/method.cpp: Method::parse_external_constants).

Why it happens:
    Methods were exported from modules whose parameters have the same names and not the same values,
    as adapters of one base model do; the exporter numbers data by content, and names it by
    parameter.

How to fix it:
    Give the parameters names of their own, so that each has a key of its own:

        class Adapter(torch.nn.Module):
            def __init__(self, name, down, up):
                super().__init__()
                self.name = name
                self.register_parameter(f"{name}_down", down)
                self.register_parameter(f"{name}_up", up)

How it is confirmed:
    Not by running alone: the outputs differ from PyTorch's.

Seen in:
    Found here.
"""

from __future__ import annotations

from pte_lint.schema.enums import dtype_name

from pte_lint.claims.finding import Finding, Severity
from pte_lint.data.context import Context
from pte_lint.data.externals import External, externals
from pte_lint.rulebook.rule import Yields, artifact_rule


@artifact_rule(
    "PTE518", "external-key-other-data", Severity.WARNING, "keys that mean other data elsewhere"
)
def check(ctx: Context) -> Yields:
    """One finding a key and method."""
    first: dict[str, tuple[str, External]] = {}
    for method in ctx.methods:
        said: set[str] = set()
        for external in externals(method):
            if external.key is None or external.is_mutable:
                continue
            owner, known = first.setdefault(external.key, (method.name, external))
            difference = _difference(known, external)
            if owner == method.name or external.key in said or not difference:
                continue
            said.add(external.key)
            yield Finding(
                message=f"{external.key} is {difference} in {method.name or '(no name)'} than in "
                f"{owner or '(no name)'}, but both get what one data file has under this key.",
                remediation="Give the parameters of each method names of their own:\n\n"
                '    self.register_parameter(f"{name}_down", down)',
                location=method.location(value=external.value),
                evidence={"key": external.key, "methods": [owner, method.name]},
                subject=f"key {external.key} of {method.name}",
            )


def _difference(known: External, external: External) -> str:
    one, other = known.tensor, external.tensor
    if (one.scalar_type, one.sizes, one.dim_order) != (
        other.scalar_type,
        other.sizes,
        other.dim_order,
    ):
        text = f"{dtype_name(other.scalar_type)}{list(other.sizes or ())}"
        return f"another tensor ({text})"
    return "other data" if one.data_buffer_idx != other.data_buffer_idx else ""
