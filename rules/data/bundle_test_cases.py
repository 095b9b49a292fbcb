"""Test cases of a bundled program that do not fit it.

What it finds:
    Suites without a name or for a method that does not exist, cases with fewer inputs than the
    method, inputs of other kinds than tensors and numbers, tensors with fewer bytes than their
    sizes, and cases without expected outputs.

What the runtime does:
    The program itself is not affected. Tools that run the cases: a suite without a name or a case
    with too few inputs is read through null, SIGSEGV; other kinds give NotSupported; short data is
    read past its end; without expected outputs the comparison gives NotSupported
    (devtools/bundled_program/bundled_program.cpp: load_bundled_input, verify_method_outputs).

Why it happens:
    The suites were made for another version of the model, or the bundle was edited.

How to fix it:
    Make the suites from the model that is bundled:

        from executorch.devtools.bundled_program.config import MethodTestCase, MethodTestSuite

        MethodTestSuite(method_name="forward", test_cases=[MethodTestCase(inputs, outputs)])

How it is confirmed:
    Running the cases gives the error named; loading the program does not show it.

Seen in:
    No public report is known.
"""

from __future__ import annotations

from collections.abc import Iterator

from pte_lint.schema.bundled_program import (
    BundledMethodTestCase,
    BundledMethodTestSuite,
    BundledTensor,
    BundledValue,
)
from pte_lint.schema.enums import element_size

from pte_lint.analysis.method import Method
from pte_lint.context import Context
from pte_lint.finding import Finding, Location, Severity
from pte_lint.rule import Yields, artifact_rule
from pte_lint.words import count

_REMEDIATION = (
    "Make the suites from the model that is bundled:\n\n"
    "    from executorch.devtools.bundled_program.config import MethodTestCase, MethodTestSuite\n\n"
    '    MethodTestSuite(method_name="forward", test_cases=[MethodTestCase(inputs, outputs)])'
)


@artifact_rule(
    "PTE532", "bundle-test-cases", Severity.WARNING, "test cases that do not fit the program"
)
def check(ctx: Context) -> Yields:
    """Warnings: the program runs, its tests do not."""
    if ctx.bundle is None or ctx.bundle.bundle is None or ctx.program is None:
        return
    methods = {method.name: method for method in reversed(ctx.methods)}
    suites = ctx.bundle.bundle.method_test_suites
    if suites is None:
        yield _finding("The bundle has no list of test suites.", "method_test_suites", 0)
        return
    for n, suite in enumerate(suites):
        path = f"method_test_suites[{n}]"
        for message, where, at in _suite(suite, methods):
            yield _finding(message, path + where, at)


def _suite(
    suite: BundledMethodTestSuite, methods: dict[str, Method]
) -> Iterator[tuple[str, str, int]]:
    name = suite.method_name
    if name is None:
        yield "A test suite has no method name.", "", suite.at
        return
    method = methods.get(name)
    if method is None:
        yield f"A test suite is for method {name}, which the program does not have.", "", suite.at
        return
    for n, case in enumerate(suite.test_cases or ()):
        for message, where, at in _case(case, method):
            yield message, f".test_cases[{n}]{where}", at


def _case(case: BundledMethodTestCase, method: Method) -> Iterator[tuple[str, str, int]]:
    inputs, outputs = case.inputs or (), case.expected_outputs or ()
    if len(inputs) < len(method.inputs):
        yield (
            f"A test case of {method.name} has {count(len(inputs), 'input')}; the method takes "
            f"{len(method.inputs)}.",
            ".inputs",
            case.at,
        )
    if not outputs:
        yield f"A test case of {method.name} has no expected outputs.", "", case.at
    for which, values in (("inputs", inputs), ("expected_outputs", outputs)):
        for n, value in enumerate(values):
            fault = _value(value)
            if fault is not None:
                yield f"A test case of {method.name} {fault}.", f".{which}[{n}]", value.at


def _value(value: BundledValue) -> str | None:
    if value.val is None:
        return f"has a value of kind {value.val_type}, which no tool reads"
    if not isinstance(value.val, BundledTensor):
        return None
    wanted = element_size(value.val.scalar_type) or 0
    for size in value.val.sizes or ():
        wanted *= max(size, 0)
    have = value.val.data.size if value.val.data is not None else 0
    return f"has a tensor of {wanted} bytes with {have} bytes of data" if have < wanted else None


def _finding(message: str, path: str, at: int) -> Finding:
    return Finding(
        message=message,
        remediation=_REMEDIATION,
        location=Location(path=path, byte_offset=at),
        subject=path,
    )
