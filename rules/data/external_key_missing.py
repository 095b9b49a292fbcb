"""External data that none of the given data files has.

What it finds:
    External tensors whose key is in none of the .ptd files given. Where these have none of all keys
    that the program asks for, that is one finding a method: they were written for another program.

What the runtime does:
    NotFound at load_method, all versions. Only data files are searched: the program's own named
    data never serves external tensors (runtime/executor/method.cpp:
    Method::parse_external_constants; runtime/executor/pte_data_map.h: get_tensor_layout).

Why it happens:
    The .ptd belongs to another export, a second .ptd was forgotten (external_constants may write
    several), or the names changed with the model's module structure: then all keys are there with
    another beginning, which is told.

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

from collections.abc import Mapping, Set
from itertools import islice

from pte_lint.claims.finding import Finding, Json, NotEvaluated, Severity
from pte_lint.claims.forecast import Forecast, Stage, error
from pte_lint.claims.order import ValueStep
from pte_lint.claims.sign import Sign
from pte_lint.data.context import Context
from pte_lint.data.data_files import Entry, entries, is_usable
from pte_lint.data.externals import External, externals, load_order, wanted_keys
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, artifact_rule
from pte_lint.text.words import count

_NOT_FOUND = Forecast.always(error(Stage.LOAD_METHOD, "NotFound"))
_COMPARED = 10_000
"""Keys compared for a did-you-mean at most."""
_BEGINNINGS = 8
"""Beginnings of keys that are tried."""


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
    wanted = wanted_keys(ctx)
    is_foreign = len(wanted) > 1 and wanted.isdisjoint(known)
    for method in ctx.methods:
        missing: dict[str, External] = {}
        for external in externals(method):
            if external.key is not None and external.key not in known:
                missing.setdefault(external.key, external)
        if is_foreign and len(missing) > 1:
            yield _foreign(method, ctx, missing, _cause(wanted, known))
            continue
        for n, external in enumerate(missing.values()):
            yield _missing(method, ctx, external, known if n == 0 else {})


def _missing(
    method: Method, ctx: Context, external: External, similar_among: dict[str, Entry]
) -> Finding:
    key = external.key or ""
    near: list[str] = []
    if len(similar_among) <= _COMPARED:
        import difflib

        near = difflib.get_close_matches(key[:200], similar_among, n=1)
    hint = f" Close to it: {near[0]}." if near else ""
    return _finding(
        method,
        external,
        f"The key {key} of {method.describe(external.value)} is not in {_names(ctx)}.{hint}",
        {"key": key, "similar": near},
        f"key {key}",
    )


def _foreign(method: Method, ctx: Context, missing: dict[str, External], cause: str) -> Finding:
    """Told at the one that the runtime asks for first."""
    first = min(missing.values(), key=load_order)
    return _finding(
        method,
        first,
        f"None of the {len(missing)} keys that {method.name or '(no name)'} asks for is in "
        f"{_names(ctx)}: {cause}.",
        {"key": first.key, "keys": len(missing), "values": [e.value for e in missing.values()]},
        "external data",
    )


def _cause(wanted: Set[str], known: Mapping[str, Entry]) -> str:
    """Why a file may have none of the keys that are asked for."""
    if not known:
        return "it has no keys"
    some = max(wanted, key=len)
    more = (key[: -len(some)] for key in known if key.endswith(f".{some}"))
    for beginning in islice(more, _BEGINNINGS):
        if all(beginning + key in known for key in wanted):
            return f"all are there with `{beginning}` before them"
    less = (some[: -len(key)] for key in known if some.endswith(f".{key}"))
    for beginning in islice(less, _BEGINNINGS):
        if all(k.startswith(beginning) and k[len(beginning) :] in known for k in wanted):
            return f"all are there without the `{beginning}` before them"
    others = count(len(known), "other key")
    return f"with {others}, such as {next(iter(known))}, it was written for another program"


def _finding(
    method: Method, external: External, message: str, evidence: dict[str, Json], subject: str
) -> Finding:
    v = external.value
    return Finding(
        message=message,
        remediation="Give all .ptd files of this export:\n\n"
        "    pte-lint check --data a.ptd --data b.ptd model.pte",
        location=method.location(value=v, suffix=".val.extra_tensor_info.fully_qualified_name"),
        forecast=_NOT_FOUND,
        order=(*load_order(external), ValueStep.EXTERNAL_LAYOUT),
        evidence=evidence,
        subject=subject,
        method=method.name,
        plan=method.index,
    )


def _names(ctx: Context) -> str:
    return ", ".join(file.name for file in ctx.data)
