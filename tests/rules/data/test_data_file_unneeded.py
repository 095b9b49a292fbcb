from __future__ import annotations

from pte_lint.claims.finding import Severity
from pte_lint.testing.data_builder import DataTensor, build_data
from pte_lint.testing.program_builder import build_program
from tests.support.examples import adder, delegated, externally
from tests.support.judging import judge, only

DATA = {"w.ptd": build_data({"w": DataTensor([1, 2, 3, 4], (2, 2))}).bytes()}


def test_a_file_for_another_program() -> None:
    finding = only(judge(build_program(adder()).bytes(), "PTE525", data=DATA))
    assert finding.severity is Severity.INFO
    assert finding.message == "Nothing in the program uses w.ptd (1 key)."


def test_a_file_that_is_used() -> None:
    assert judge(build_program(externally()).bytes(), "PTE525", data=DATA).findings == ()


def test_delegates_may_use_anything() -> None:
    assert judge(build_program(delegated()).bytes(), "PTE525", data=DATA).findings == ()


def test_one_of_two_methods_has_delegates() -> None:
    other = delegated()
    other.name = "other"
    assert judge(build_program(adder(), other).bytes(), "PTE525", data=DATA).findings == ()
