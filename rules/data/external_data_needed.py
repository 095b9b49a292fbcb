"""A program that needs data files, checked without any.

What it finds:
    Programs whose constants or state are external, when no .ptd is given. The keys are listed.

What the runtime does:
    Without a data file load_method gives InvalidState for external constants and
    InvalidExternalData for external state, all versions (runtime/executor/method.cpp:
    Method::parse_external_constants, runtime/executor/tensor_parser_exec_aten.cpp:
    getTensorDataPtr).

Why it happens:
    The program was exported with external_constants (or external mutable weights) and written as
    two files; only the .pte was given.

How to fix it:
    Give the .ptd to pte-lint, as to the runtime:

        pte-lint check --data model.ptd model.pte
        Module module("model.pte", "model.ptd");

How it is confirmed:
    Loading the method without data gives the error; with the right data it loads.

Seen in:
    executorch#22311
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Severity, Unchecked
from pte_lint.claims.forecast import Forecast, Stage, error
from pte_lint.claims.sign import Sign
from pte_lint.data.context import Context
from pte_lint.data.externals import externals
from pte_lint.rulebook.rule import Yields, artifact_rule
from pte_lint.text.words import count

_SHOWN = 5
# What the runtime says when it is given no data either.
_NO_MAP = Forecast.always(error(Stage.LOAD_METHOD, "InvalidState"))
_NO_STATE = Forecast.always(error(Stage.LOAD_METHOD, "InvalidExternalData"))


@artifact_rule(
    "PTE511",
    "external-data-needed",
    Severity.WARNING,
    "external data that is not given",
    sign=Sign(r"^E method\.cpp:\d+ external_data_map is null$"),
)
def check(ctx: Context) -> Yields:
    """No error: the file is not at fault for what was not given beside it."""
    if ctx.data:
        return
    users: dict[str, list[str]] = {}
    constants = False
    for method in ctx.methods:
        for external in externals(method):
            if external.key is not None:
                constants |= not external.is_mutable
                names = users.setdefault(external.key, [])
                if method.name not in names:
                    names.append(method.name)
    if not users:
        return
    shown = ", ".join(list(users)[:_SHOWN]) + (", ..." if len(users) > _SHOWN else "")
    yield Finding(
        message=f"The program needs a data file with {count(len(users), 'key')}, and none is "
        f"given: {shown}. The verdict is for a run that has it.",
        remediation="Give the .ptd:\n\n    pte-lint check --data model.ptd model.pte",
        forecast=_NO_MAP if constants else _NO_STATE,
        evidence={"keys": list(users), "methods": sorted({m for u in users.values() for m in u})},
        subject="external data",
    )
    yield Unchecked(
        f"external data of {count(len(users), 'key')}",
        "no .ptd was given (--data): presence, element type, sizes and bytes are not compared",
    )
