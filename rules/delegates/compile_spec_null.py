"""Compile specs with a null where the runtime reads.

What it finds:
    A compile spec without key or without value, and (for 1.2 only) a delegate without a list of
    compile specs. An absent list is legal since 1.3.

What the runtime does:
    A null key or value is read when the delegate is initialised: SIGSEGV at load_method, all
    versions. A null list: SIGSEGV in 1.2, no specs since 1.3 (runtime/executor/method.cpp:
    BackendDelegate::PopulateCompileSpecs).

Why it happens:
    A tool edited the program; an exporter writes empty values, never none.

How to fix it:
    Give every compile spec its bytes, empty ones where there is nothing to say:

        from executorch.exir.backend.compile_spec_schema import CompileSpec

        CompileSpec(key="target_device", value=b"cuda:0")

How it is confirmed:
    Loading the method crashes.

Seen in:
    No public report is known.
"""

from __future__ import annotations

from pte_lint.claims.finding import Finding, Location, Severity
from pte_lint.claims.forecast import Forecast, Stage, crash
from pte_lint.claims.order import LoadMethodStep
from pte_lint.claims.sign import Trial, Unseen
from pte_lint.data.context import Context
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule

_CRASH = crash(Stage.LOAD_METHOD, "SIGSEGV")


@method_rule(
    "PTE414",
    "compile-spec-null",
    Severity.ERROR,
    "compile specs without key or value",
    sign=Unseen("no word of the missing table: undone, the failure is gone", Trial.UNDO),
)
def check(method: Method, ctx: Context) -> Yields:
    """Specs are read before the backend sees them, so any backend crashes."""
    for index, delegate in enumerate(method.plan.delegates or ()):
        path = f"{method.path}.delegates[{index}].compile_specs"
        order = (int(LoadMethodStep.DELEGATES), index, 3)
        if delegate.compile_specs is None:
            yield Finding(
                message=f"Delegate {index} ({delegate.id or 'no name'}) has no list of compile "
                "specs.",
                remediation="Run it on 1.3 or later, or write an empty list.",
                location=Location(path, byte_offset=method.base + delegate.at),
                forecast=Forecast.always(None).until("1.2", _CRASH),
                order=order,
                subject=f"delegates[{index}].compile_specs",
            )
            continue
        for n, spec in enumerate(delegate.compile_specs):
            missing = "key" if spec.key is None else "value"
            if spec.key is not None and spec.value is not None:
                continue
            named = f" ({spec.key})" if spec.key is not None else ""
            yield Finding(
                message=f"Compile spec {n}{named} of delegate {index} "
                f"({delegate.id or 'no name'}) has no {missing}.",
                remediation="Write empty bytes where there is nothing to say:\n\n"
                "    from executorch.exir.backend.compile_spec_schema import CompileSpec\n\n"
                '    CompileSpec(key="target_device", value=b"cuda:0")',
                location=Location(f"{path}[{n}]", byte_offset=method.base + spec.at),
                forecast=Forecast.always(_CRASH),
                order=(*order, n),
                evidence={"missing": missing},
                subject=f"delegates[{index}].compile_specs[{n}]",
            )
            break
