from __future__ import annotations

from pte_lint.claims.finding import Severity
from pte_lint.claims.forecast import Outcome
from pte_lint.testing.data_builder import DataTensor, build_data
from pte_lint.testing.program_builder import build_program
from tests.support.examples import adder, externally
from tests.support.judging import judge, only, verdict

PROGRAM = build_program(externally("layer.weight")).bytes()


def test_the_keys_are_listed() -> None:
    report = judge(PROGRAM, "PTE511")
    assert only(report).severity is Severity.WARNING
    assert only(report).message == (
        "The program needs a data file with 1 key, and none is given: layer.weight. "
        "The verdict is for a run that has it."
    )
    assert only(report).evidence == {"keys": ["layer.weight"], "methods": ["forward"]}
    assert [u.what for u in report.unchecked] == ["external data of 1 key"]
    assert verdict(report).outcome is Outcome.OK


def test_with_a_data_file_others_judge() -> None:
    data = {"w.ptd": build_data({"other": DataTensor([1], (1,))}).bytes()}
    assert judge(PROGRAM, "PTE511", data=data).findings == ()


def test_nothing_external() -> None:
    assert judge(build_program(adder()).bytes(), "PTE511").findings == ()
