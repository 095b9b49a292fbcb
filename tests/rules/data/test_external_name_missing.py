from __future__ import annotations

import pytest

from pte_lint.testing.data_builder import DataTensor, build_data
from pte_lint.testing.program_builder import build_program
from tests.support.examples import externally
from tests.support.judging import judge, only, verdict

DATA = {"w.ptd": build_data({"w": DataTensor([1, 2, 3, 4], (2, 2))}).bytes()}
NAME = "execution_plan[0].values[1].val.extra_tensor_info.fully_qualified_name"


@pytest.mark.parametrize(
    ("mutable", "given", "error"),
    [
        (False, True, "InvalidExternalData"),
        (False, False, "InvalidState"),
        (True, True, "InvalidExternalData"),
        (True, False, "InvalidExternalData"),
    ],
)
def test_no_name(mutable: bool, given: bool, error: str) -> None:
    built = build_program(externally(mutable=mutable)).replaced(NAME, None)
    report = judge(built.bytes(), "PTE512", data=DATA if given else None)
    assert only(report).location.path == NAME
    assert verdict(report).error == error


def test_a_name() -> None:
    assert judge(build_program(externally()).bytes(), "PTE512", data=DATA).findings == ()
