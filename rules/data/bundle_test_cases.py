"""Test cases of a bundled program that do not fit it.

What it finds:
    Suites without a name, for a method that does not exist or without cases; cases whose inputs
    the method refuses (number, kinds, element types, sizes, numbers that were traced, dim orders)
    and expected outputs that no result can equal. A warning: cases that only leave something out
    or that nobody looks at.

What the runtime does:
    The program itself is not affected. Tools that run the cases give NotSupported for an input that
    set_input refuses, NotFound for an output of other sizes or element type, and NotSupported for
    one that is no tensor or for a case without any; they die of SIGABRT for an output of another
    dim order, and of SIGSEGV for a suite without a name. Lists that are too short are read past
    their end, and an input of another dim order is read as if it had the method's
    (devtools/bundled_program/bundled_program.cpp: load_bundled_input, verify_method_outputs).

Why it happens:
    The suites were made for another version of the model, with another example input or memory
    format, or were bundled with `pte_file_path`, which checks nothing.

How to fix it:
    Make the suites from the model that is bundled, with inputs as they were exported:

        from executorch.devtools.bundled_program.config import MethodTestCase, MethodTestSuite

        case = MethodTestCase(inputs=example_inputs, expected_outputs=model(*example_inputs))
        MethodTestSuite(method_name="forward", test_cases=[case])

How it is confirmed:
    Running the cases: `set_input` refuses that input, or that output has another type or other
    sizes. Loading the program does not show it.

Seen in:
    No public report is known.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pte_lint.schema.bundled_program import BundledMethodTestSuite

from pte_lint.claims.finding import Finding, Location, Severity
from pte_lint.claims.sign import Unseen
from pte_lint.data.bundled_cases import LOAD, Fault, faults
from pte_lint.data.context import Context
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, artifact_rule

_REMEDIATION = (
    "Make the suites from the model that is bundled, with inputs as they were exported:\n\n"
    "    from executorch.devtools.bundled_program.config import MethodTestCase, MethodTestSuite\n\n"
    "    case = MethodTestCase(inputs=example_inputs, expected_outputs=model(*example_inputs))\n"
    '    MethodTestSuite(method_name="forward", test_cases=[case])'
)


@artifact_rule(
    "PTE532",
    "bundle-test-cases",
    Severity.ERROR,
    "test cases that do not fit the program",
    sign=Unseen("test cases are a matter of the bundle's runner: the program runs without them"),
)
def check(ctx: Context) -> Yields:
    """No forecast: the program runs, its tests do not."""
    if ctx.bundle is None or ctx.bundle.bundle is None or ctx.program is None:
        return
    suites = ctx.bundle.bundle.method_test_suites
    if suites is None:
        text = "The bundle has no list of test suites."
        yield _finding(Fault(text, LOAD, "", "method_test_suites", 0, Severity.WARNING), "")
        return
    names = {plan.name for plan in ctx.program.execution_plan or ()}
    methods = {method.name: method for method in reversed(ctx.methods)}
    seen: set[str | None] = set()
    for n, suite in enumerate(suites):
        path, name = f"method_test_suites[{n}]", suite.method_name
        fault = _suite(suite, names, seen)
        seen.add(name)
        if fault is not None:
            yield _finding(fault, path)
        elif name in methods:
            for where, each in _cases(suite, methods[name], ctx):
                yield _finding(each, path + where)


def _suite(
    suite: BundledMethodTestSuite, names: set[str | None], seen: set[str | None]
) -> Fault | None:
    """Why no case of a suite is worth a look."""
    name = suite.method_name
    if name is None:
        return Fault("A test suite has no method name.", LOAD, "SIGSEGV", "", suite.at)
    if name not in names:
        text = f"A test suite is for method {name}, which the program does not have."
        return Fault(text, "Loading that method", "InvalidArgument", "", suite.at)
    if name in seen:
        text = f"Another test suite for {name} comes before this one, which is never found."
        return Fault(text, "", "", "", suite.at, Severity.WARNING)
    if not suite.test_cases:
        text = f"The test suite for {name} has no cases."
        result = "InvalidArgument" if suite.test_cases is not None else "SIGSEGV"
        return Fault(text, LOAD, result, "", suite.at, Severity.WARNING)
    return None


def _cases(
    suite: BundledMethodTestSuite, method: Method, ctx: Context
) -> Iterator[tuple[str, Fault]]:
    for n, case in enumerate(suite.test_cases or ()):
        where = f".test_cases[{n}]"
        for fault in faults(case, method, ctx.artifact):
            text = f"A test case of {method.name} {fault.message}"
            yield where, replace(fault, message=text)


def _finding(fault: Fault, path: str) -> Finding:
    path += fault.where
    return Finding(
        message=fault.message + fault.outcome,
        remediation=_REMEDIATION,
        location=Location(path=path, byte_offset=fault.at),
        evidence={"call": fault.call or None, "result": fault.result or None},
        subject=path,
        severity=fault.severity,
    )
