"""PTE109."""

from __future__ import annotations

from tests.rules.checks import OK, PLAN, adder_program, only, verdict

RULE = "PTE109"


def test_unbound() -> None:
    program = adder_program().replaced(f"{PLAN}.values[3].val.shape_dynamism", 2)
    assert verdict(program, RULE) == "load_method: error NotSupported"
    assert "torch.export.Dim" in only(program, RULE).remediation


def test_bound_and_static() -> None:
    for dynamism in (0, 1, 7):
        program = adder_program().replaced(f"{PLAN}.values[3].val.shape_dynamism", dynamism)
        assert verdict(program, RULE) == OK
