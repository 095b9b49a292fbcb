from __future__ import annotations

import pytest

from pte_lint.finding import Severity
from pte_lint.forecast import Outcome
from tests.support.data_builder import BuiltBundle, DataTensor, build_bundle
from tests.support.examples import plain
from tests.support.judging import judge, only, verdict

TENSOR = DataTensor([1, 2, 3, 4], (2, 2))
GOOD = build_bundle(plain().bytes(), {"forward": [([TENSOR], [TENSOR])]})
SUITE = "method_test_suites[0]"
CASE = SUITE + ".test_cases[0]"


@pytest.mark.parametrize(
    ("bundle", "message", "path"),
    [
        (
            GOOD.replaced("method_test_suites", None),
            "The bundle has no list of test suites.",
            "method_test_suites",
        ),
        (
            GOOD.replaced(SUITE + ".method_name", None),
            "A test suite has no method name.",
            SUITE,
        ),
        (
            GOOD.replaced(SUITE + ".method_name", "other"),
            "A test suite is for method other, which the program does not have.",
            SUITE,
        ),
        (
            GOOD.replaced(CASE + ".inputs", ()),
            "A test case of forward has 0 inputs; the method takes 1.",
            CASE + ".inputs",
        ),
        (
            GOOD.replaced(CASE + ".expected_outputs", None),
            "A test case of forward has no expected outputs.",
            CASE,
        ),
        (
            GOOD.replaced(CASE + ".inputs[0].val.sizes", (2, 3)),
            "A test case of forward has a tensor of 24 bytes with 16 bytes of data.",
            CASE + ".inputs[0]",
        ),
        (
            GOOD.replaced(CASE + ".inputs[0].val_type", 9),
            "A test case of forward has a value of kind 9, which no tool reads.",
            CASE + ".inputs[0]",
        ),
    ],
)
def test_cases_that_do_not_fit(bundle: BuiltBundle, message: str, path: str) -> None:
    report = judge(bundle.bytes(), "PTE532", name="m.bpte")
    assert only(report).message == message
    assert only(report).location.path == path
    assert only(report).severity is Severity.WARNING
    assert verdict(report).outcome is Outcome.OK


def test_cases_that_fit() -> None:
    assert judge(GOOD.bytes(), "PTE532", name="m.bpte").findings == ()
