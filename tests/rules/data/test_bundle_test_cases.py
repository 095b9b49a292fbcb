from __future__ import annotations

from typing import Any

import pytest

from pte_lint.claims.finding import Severity
from pte_lint.claims.forecast import Outcome
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.data_builder import BuiltBundle, Case, DataTensor, build_bundle
from pte_lint.testing.program_builder import build_program
from tests.support.examples import plain
from tests.support.judging import judge, only, verdict

TENSOR = DataTensor([1, 2, 3, 4], (2, 2))
IMAGE = DataTensor([1, 2, 3, 4, 5, 6, 7, 8], (1, 2, 2, 2))
SUITE = "method_test_suites[0]"
CASE = SUITE + ".test_cases[1]"
"""The second one; the first is always right."""
GOOD = build_bundle(plain().bytes(), {"forward": [([TENSOR], [TENSOR]), ([TENSOR], [TENSOR])]})


def _mixed() -> BuiltBundle:
    """An Int, a Double, a Bool and an image; gives twice the image."""
    b = MethodBuilder("second")
    numbers = [b.int_value(3), b.double_value(0.5), b.bool_value(True)]
    for v in numbers:
        b.takes(v)
    x = b.input((1, 2, 2, 2))
    b.output(b.add(x, x))
    case: Case = ([3, 0.5, True, IMAGE], [IMAGE])
    return build_bundle(build_program(b).bytes(), {"second": [case, case]})


def _doubling(sizes: tuple[int, ...]) -> MethodBuilder:
    b = MethodBuilder()
    x = b.input(sizes)
    b.output(b.add(x, x))
    return b


def _dynamic() -> BuiltBundle:
    b = MethodBuilder()
    x = b.input((4, 2), dynamism=1)
    b.output(b.add(x, x, b.tensor((4, 2), dynamism=1)))
    return build_bundle(build_program(b).bytes(), {"forward": [([TENSOR], [TENSOR])] * 2})


MIXED, DYNAMIC = _mixed(), _dynamic()


INT = MIXED.bundled.method_test_suites[0].test_cases[0].inputs[0]  # type: ignore[index]
LOADING, VERIFYING = "load_bundled_input", "verify_method_outputs"
IN, OUT = ".inputs[0]", ".expected_outputs[0]"


@pytest.mark.parametrize(
    ("bundle", "where", "value", "message", "ending"),
    [
        (
            GOOD,
            IN + ".val.sizes",
            (1, 4),
            "gives sizes [1, 4]; the method takes [2, 2]",
            "NotSupported",
        ),
        (
            DYNAMIC,
            IN + ".val.sizes",
            (4,),
            "gives sizes [4]; the method takes up to [4, 2]",
            "NotSupported",
        ),
        (GOOD, IN + ".val.scalar_type", 3, "gives int32; the method takes float32", "NotSupported"),
        (GOOD, IN, INT, "gives an Int for an input that is a Tensor", "NotSupported"),
        (GOOD, IN + ".val_type", 9, "gives a value of kind 9, which no tool reads", "NotSupported"),
        (
            MIXED,
            IN + ".val.int_val",
            4,
            "gives 4 for an input that was traced as 3",
            "NotSupported",
        ),
        (
            GOOD,
            OUT + ".val.sizes",
            (1, 4),
            "expects sizes [1, 4]; the method gives [2, 2]",
            "NotFound",
        ),
        (
            DYNAMIC,
            OUT + ".val.sizes",
            (4,),
            "expects sizes [4]; the method gives up to [4, 2]",
            "NotFound",
        ),
        (GOOD, OUT + ".val.scalar_type", 3, "expects int32; the method gives float32", "NotFound"),
        (GOOD, OUT, INT, "expects an Int; only tensors can be compared", "NotSupported"),
    ],
)
def test_what_a_tool_refuses(
    bundle: BuiltBundle, where: str, value: Any, message: str, ending: str
) -> None:
    report = judge(bundle.replaced(CASE + where, value).bytes(), "PTE532", name="m.bpte")
    found = only(report)
    name = bundle.bundled.method_test_suites[0].method_name  # type: ignore[index]
    place = where.partition(".val")[0]
    call = LOADING if place == IN else VERIFYING
    assert found.message == f"A test case of {name} {message}. {call} fails with {ending}."
    assert found.location.path == CASE + place
    assert found.severity is Severity.ERROR
    assert found.evidence == {"call": call, "result": ending}
    assert (found.forecast, verdict(report).outcome) == (None, Outcome.OK)


@pytest.mark.parametrize(
    ("where", "value", "message"),
    [
        (
            OUT + ".val.dim_order",
            (1, 0),
            "expects dim order [1, 0]; the method gives [0, 1], and the "
            "two are not compared. "
            "verify_method_outputs crashes with SIGABRT.",
        ),
        (
            OUT + ".val.dim_order",
            None,
            "expects a tensor without a dim order. verify_method_outputs crashes with SIGSEGV.",
        ),
        (
            OUT + ".val.dim_order",
            (7, 7),
            "expects a tensor without a valid dim order. "
            "verify_method_outputs crashes with SIGABRT.",
        ),
        (
            IN + ".val.dim_order",
            (1, 0),
            "gives a tensor of dim order [1, 0]; the method reads its "
            "bytes as [0, 1], so each element lands elsewhere.",
        ),
        (
            IN + ".val.scalar_type",
            99,
            "has a tensor that cannot be: element-type-99[2, 2]. "
            "load_bundled_input crashes with SIGABRT.",
        ),
        (
            IN + ".val.sizes",
            None,
            "has a tensor without sizes. load_bundled_input crashes with SIGSEGV.",
        ),
        (
            IN + ".val.sizes",
            (2, 3),
            "has a tensor of 24 bytes with 16 bytes of data, and what lies behind them is read.",
        ),
        (
            ".inputs",
            (),
            "has 0 inputs; the method takes 1. load_bundled_input reads behind the list.",
        ),
    ],
)
def test_what_a_tool_dies_of_or_misreads(where: str, value: Any, message: str) -> None:
    found = only(judge(GOOD.replaced(CASE + where, value).bytes(), "PTE532", name="m.bpte"))
    assert found.message == f"A test case of forward {message}"
    assert found.severity is Severity.ERROR


@pytest.mark.parametrize(
    ("bundle", "where", "value", "message"),
    [
        (
            GOOD,
            ".expected_outputs",
            (),
            "has no expected outputs: nothing can be compared. "
            "verify_method_outputs fails with NotSupported.",
        ),
        (
            GOOD,
            ".expected_outputs",
            None,
            "has no expected outputs: nothing can be compared. "
            "verify_method_outputs crashes with SIGSEGV.",
        ),
        (
            GOOD,
            ".inputs",
            (INT, INT),
            "has 2 inputs; the method takes 1. The rest is never looked at.",
        ),
        (
            DYNAMIC,
            IN + ".val.sizes",
            (1, 4),
            "gives sizes [1, 4]; the method takes up to [4, 2]. It "
            "is accepted for its few elements.",
        ),
    ],
)
def test_what_only_leaves_something_out(
    bundle: BuiltBundle, where: str, value: Any, message: str
) -> None:
    changed = bundle.replaced(CASE + where, value)
    if value == (INT, INT):
        first = GOOD.bundled.method_test_suites[0].test_cases[0].inputs  # type: ignore[index]
        changed = bundle.replaced(CASE + where, (*(first or ()), INT))
    found = only(judge(changed.bytes(), "PTE532", name="m.bpte"))
    assert found.message == f"A test case of forward {message}"
    assert found.severity is Severity.WARNING


@pytest.mark.parametrize(
    ("where", "value", "message", "severity"),
    [
        ("method_test_suites", None, "The bundle has no list of test suites.", "warning"),
        (
            SUITE + ".method_name",
            None,
            "A test suite has no method name. load_bundled_input crashes with SIGSEGV.",
            "error",
        ),
        (
            SUITE + ".method_name",
            "other",
            "A test suite is for method other, which the program does "
            "not have. Loading that method fails with InvalidArgument.",
            "error",
        ),
        (
            SUITE + ".test_cases",
            (),
            "The test suite for forward has no cases. load_bundled_input "
            "fails with InvalidArgument.",
            "warning",
        ),
        (
            SUITE + ".test_cases",
            None,
            "The test suite for forward has no cases. load_bundled_input crashes with SIGSEGV.",
            "warning",
        ),
    ],
)
def test_suites(where: str, value: Any, message: str, severity: str) -> None:
    report = judge(GOOD.replaced(where, value).bytes(), "PTE532", name="m.bpte")
    assert only(report).message == message
    assert only(report).severity is Severity(severity)
    assert verdict(report).outcome is Outcome.OK


def test_a_second_suite_for_a_method_is_never_found() -> None:
    suites = GOOD.bundled.method_test_suites or ()
    found = only(judge(GOOD.replaced("method_test_suites", suites * 2).bytes(), "PTE532"))
    assert found.message == (
        "Another test suite for forward comes before this one, which is never found."
    )
    assert (found.severity, found.location.path) == (Severity.WARNING, "method_test_suites[1]")


@pytest.mark.parametrize(
    "bundle",
    [
        GOOD,
        MIXED,
        DYNAMIC,
        # Smaller sizes of a dynamic tensor, a number within the runtime's tolerance, an order
        # of dimensions that makes no difference: of equal elements, and of sizes 1.
        DYNAMIC.replaced(CASE + IN + ".val.sizes", (1, 2)),
        MIXED.replaced(CASE + ".inputs[1].val.double_val", 0.50001),
        build_bundle(
            plain().bytes(),
            {"forward": [([DataTensor([1] * 4, (2, 2), dim_order=(1, 0))], [TENSOR])]},
        ),
        build_bundle(
            build_program(_doubling((1, 1, 2, 1))).bytes(),
            {"forward": [([DataTensor([1, 2], (1, 1, 2, 1), dim_order=(0, 1, 3, 2))], [])]},
        ).replaced(SUITE + ".test_cases[0].expected_outputs", ()),
    ],
)
def test_cases_that_fit(bundle: BuiltBundle) -> None:
    findings = judge(bundle.bytes(), "PTE532", name="m.bpte").findings
    assert [f for f in findings if f.severity is Severity.ERROR] == []
