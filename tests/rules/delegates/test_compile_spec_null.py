from __future__ import annotations

import pytest
from pte_lint.schema.program import CompileSpec

from pte_lint.claims.forecast import Outcome, Stage
from pte_lint.testing.program_builder import build_program
from tests.support.examples import delegated
from tests.support.judging import judge, only, verdict

SPECS = "execution_plan[0].delegates[0].compile_specs"
GOOD = build_program(delegated())


@pytest.mark.parametrize(
    ("spec", "missing"), [(CompileSpec(None, b"x"), "key"), (CompileSpec("k", None), "value")]
)
def test_a_null_in_a_spec(spec: CompileSpec, missing: str) -> None:
    specs = (CompileSpec("good", b""), spec)
    report = judge(GOOD.replaced(SPECS, specs).bytes(), "PTE414")
    assert only(report).location.path == f"{SPECS}[1]"
    assert only(report).message.endswith(f"has no {missing}.")
    said = verdict(report)
    assert (said.stage, said.outcome, said.signal) == (Stage.LOAD_METHOD, Outcome.CRASH, "SIGSEGV")


def test_no_list_is_fine_since_1_3() -> None:
    report = judge(GOOD.replaced(SPECS, None).bytes(), "PTE414")
    assert report.findings == ()
    assert report.runs_on["1.2"][0].signal == "SIGSEGV"
    assert report.runs_on["1.3"][0].outcome is Outcome.OK


def test_specs_with_key_and_value() -> None:
    assert judge(GOOD.replaced(SPECS, (CompileSpec("k", b""),)).bytes(), "PTE414").findings == ()
