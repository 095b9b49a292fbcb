"""A bundled program: runners must unpack it.

What it finds:
    A .bpte, a program wrapped with test cases. The program inside is checked like any other.

What the runtime does:
    Program::load refuses the file as it is with InvalidProgram (identifier BP08); tools that take
    bundles pass the inner program on (devtools/bundled_program/bundled_program.cpp:
    get_program_data).

Why it happens:
    It is what `BundledProgram` and `serialize_from_bundled_program_to_flatbuffer` write.

How to fix it:
    Nothing is wrong. Ship the plain program to devices, and unpack bundles in test runners:

        const void* program; size_t size;
        get_program_data(file, file_size, &program, &size);

How it is confirmed:
    Loading the file as it is gives InvalidProgram; loading the program inside works.

Seen in:
    executorch#2533
"""

from __future__ import annotations

from pte_lint.schema.container import Kind

from pte_lint.claims.finding import Finding, Severity
from pte_lint.data.context import Context
from pte_lint.data.refusal import Role, role
from pte_lint.rulebook.rule import Yields, artifact_rule


@artifact_rule("PTE019", "bundled-program", Severity.INFO, "bundled programs")
def check(ctx: Context) -> Yields:
    """Silent where the name denies it: PTE018 says more."""
    if ctx.container.kind is not Kind.BUNDLED_PROGRAM or role(ctx) is not Role.BUNDLE:
        return
    yield Finding(
        message="This is a bundled program: a program and its test cases. Runners must unpack it; "
        "the verdict is that of the program inside.",
        remediation="Ship the plain program to devices; in test runners call get_program_data.",
        evidence={"size": ctx.artifact.size},
        subject="file",
    )
