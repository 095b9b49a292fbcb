"""External data that none of the given data files has.

What it finds:
    External tensors whose key is in none of the .ptd files given.

What the runtime does:
    NotFound at load_method, all versions. Only data files are searched: the program's own named
    data never serves external tensors (runtime/executor/method.cpp:
    Method::parse_external_constants; runtime/executor/pte_data_map.h: get_tensor_layout).

Why it happens:
    The .ptd belongs to another export, a second .ptd was forgotten (external_constants may write
    several), or the names changed with the model's module structure.

How to fix it:
    Give the .ptd files that the export wrote, all of them:

        pte-lint check --data a.ptd --data b.ptd model.pte
        Module module("model.pte", std::vector<std::string>{"a.ptd", "b.ptd"});

How it is confirmed:
    Loading the method with these files gives NotFound.

Seen in:
    executorch#22311
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, NotEvaluated, Severity
from pte_lint.claims.forecast import Forecast, Stage, error
from pte_lint.claims.order import LoadMethodStep, ValueStep
from pte_lint.claims.sign import Sign
from pte_lint.data.context import Context
from pte_lint.data.data_files import Entry, entries, is_usable
from pte_lint.data.externals import externals
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, artifact_rule

_NOT_FOUND = Forecast.always(error(Stage.LOAD_METHOD, "NotFound"))
_COMPARED = 10_000
"""Keys compared for a did-you-mean at most."""


@artifact_rule(
    "PTE513",
    "external-key-missing",
    Severity.ERROR,
    "keys that no given data file has",
    sign=Sign(r"Failed to get metadata for key {key}"),
)
def check(ctx: Context) -> Yields:
    """One finding a method and key; silent when no data is given, which is PTE511."""
    if not ctx.data:
        return
    if not all(is_usable(file) for file in ctx.data):
        raise NotEvaluated("a data file cannot be read")
    known = entries(ctx.data)
    for method in ctx.methods:
        yield from _check_method(method, ctx, known)


def _check_method(method: Method, ctx: Context, known: dict[str, Entry]) -> Yields:
    said: set[str] = set()
    for external in externals(method):
        key, v = external.key, external.value
        if key is None or key in known or key in said:
            continue
        said.add(key)
        near: list[str] = []
        if len(known) <= _COMPARED and len(said) == 1:
            import difflib

            near = difflib.get_close_matches(key[:200], known, n=1)
        hint = f" Close to it: {near[0]}." if near else ""
        step = LoadMethodStep.VALUES if external.is_mutable else LoadMethodStep.EXTERNAL_CONSTANTS
        names = ", ".join(file.name for file in ctx.data)
        yield Finding(
            message=f"The key {key} of {method.describe(v)} is not in {names}.{hint}",
            remediation="Give all .ptd files of this export:\n\n"
            "    pte-lint check --data a.ptd --data b.ptd model.pte",
            location=method.location(value=v, suffix=".val.extra_tensor_info.fully_qualified_name"),
            forecast=_NOT_FOUND,
            order=(step, v, ValueStep.EXTERNAL_LAYOUT),
            evidence={"key": key, "similar": near},
            subject=f"key {key}",
            method=method.name,
            plan=method.index,
        )
