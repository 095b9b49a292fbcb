from __future__ import annotations

from tests.support.examples import plain
from tests.support.judging import judge, only, verdict


def test_an_index_beyond_the_offsets() -> None:
    path = "execution_plan[0].values[1].val.data_buffer_idx"
    report = judge(plain().replaced(path, 3).bytes(), "PTE502")
    assert only(report).message == "Value 1 is constant 3, but the program has 2 constants."
    assert only(report).location.path == path
    assert verdict(report).error == "InvalidArgument"
    assert judge(plain().replaced(path, 2).bytes(), "PTE502").findings == ()
