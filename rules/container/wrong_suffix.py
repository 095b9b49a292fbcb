"""A file whose name says one format and whose content is another.

What it finds:
    A .pte that holds a .ptd or a bundled program, a .ptd that holds a program, a .bpte that holds
    a plain program.

What the runtime does:
    Loaders go by how they are called: a .ptd or a .bpte given as program is refused with
    InvalidProgram, a program given as data file with InvalidExternalData, in every version
    (runtime/executor/program.cpp: Program::load; extension/flat_tensor/flat_tensor_data_map.cpp:
    FlatTensorDataMap::load). Tools that take bundled programs take plain ones too.

Why it happens:
    The files were renamed, or the two arguments of a runner were swapped:
    `Module(data_path, model_path)`.

How to fix it:
    Give each file the suffix of what it holds, and Module the program first, its data file second:

        Module module("model.pte", "model.ptd");

    A bundled program is for tools that take one; for Module unpack the program inside (PTE019).

How it is confirmed:
    Loading the file as its name says gives the error named.

Seen in:
    executorch#22311
"""

from __future__ import annotations

from pte_lint.schema.container import Kind

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.sign import Sign
from pte_lint.data.context import Context
from pte_lint.data.refusal import Role, refused, role
from pte_lint.rulebook.rule import Yields, artifact_rule

_WHAT = {
    Kind.PROGRAM: (Role.PROGRAM, "a program (.pte)"),
    Kind.FLAT_TENSOR: (Role.DATA, "a data file (.ptd)"),
    Kind.BUNDLED_PROGRAM: (Role.BUNDLE, "a bundled program (.bpte)"),
}
_ORDER = (
    "Module takes the program first and its data file second:\n\n"
    '    Module module("model.pte", "model.ptd");'
)
_ADVICE = {
    Kind.PROGRAM: f"It is a program: name it .pte. {_ORDER}",
    Kind.FLAT_TENSOR: f"It is a data file, no program: name it .ptd. {_ORDER}",
    Kind.BUNDLED_PROGRAM: "It is a bundled program: name it .bpte. Module takes the program inside "
    "of it alone, which has to be unpacked: `pte-lint explain PTE019` shows how.",
}
_NAMED = {Role.PROGRAM: ".pte", Role.DATA: ".ptd", Role.BUNDLE: ".bpte"}


@artifact_rule(
    "PTE018",
    "wrong-suffix",
    Severity.ERROR,
    "content that its file name denies",
    sign=Sign(r"Program identifier '(FT|BP)\d\d' != expected"),
)
def check(ctx: Context) -> Yields:
    """A plain program named .bpte still runs."""
    known = _WHAT.get(ctx.container.kind)
    named = role(ctx)
    if known is None or known[0] is named:
        return
    runs = named is Role.BUNDLE and ctx.container.kind is Kind.PROGRAM
    forecast, order = refused(ctx)
    yield Finding(
        message=f"The file is named {_NAMED[named]} but holds {known[1]}"
        + (": it has no test cases." if runs else f"; given as {_NAMED[named]} it is refused."),
        remediation=_ADVICE[ctx.container.kind],
        forecast=None if runs else forecast,
        order=order,
        evidence={"kind": str(ctx.container.kind), "named": _NAMED[named]},
        subject="file",
        severity=Severity.WARNING if runs else Severity.ERROR,
    )
