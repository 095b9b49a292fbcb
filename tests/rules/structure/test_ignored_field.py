"""PTE111."""

from __future__ import annotations

from typing import Any

import pytest
from pte_lint.schema.program import ExtraTensorInfo, FrameList

from pte_lint.claims.finding import Severity
from tests.rules.checks import OK, PLAN, adder_program, found, only, verdict

RULE = "PTE111"


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("values[0].val.shape_dynamism", 7),
        ("values[0].val.layout", 1),
        ("values[0].val.extra_tensor_info", ExtraTensorInfo(location=9)),
        ("values[0].val.extra_tensor_info", ExtraTensorInfo(mutable_data_segments_idx=3)),
        ("chains[0].inputs", (99,)),
        ("chains[0].outputs", (-1,)),
        ("chains[0].stacktrace", (FrameList(()), FrameList(()))),
        ("container_meta_type", None),
    ],
)
def test_each_is_a_warning_and_runs(path: str, value: Any) -> None:
    program = adder_program().replaced(f"{PLAN}.{path}", value)
    assert only(program, RULE).severity is Severity.WARNING
    assert verdict(program, RULE) == OK


def test_the_exporters_own_are_fine() -> None:
    program = adder_program().replaced(f"{PLAN}.chains[0].stacktrace", (FrameList(()),))
    assert found(program, RULE) == ()
