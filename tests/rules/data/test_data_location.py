from __future__ import annotations

from pte_lint.claims.finding import Severity
from pte_lint.testing.program_builder import build_program
from tests.support.examples import externally
from tests.support.judging import judge, only

GOOD = build_program(externally())
PATH = "execution_plan[0].values[1].val.extra_tensor_info.location"


def test_an_unknown_place() -> None:
    finding = only(judge(GOOD.replaced(PATH, 9).bytes(), "PTE507"))
    assert finding.severity is Severity.WARNING
    assert finding.message.endswith("location 9; runtimes take it for 0.")
    assert judge(GOOD.replaced(PATH, -1).bytes(), "PTE507").findings


def test_known_places() -> None:
    assert judge(GOOD.bytes(), "PTE507").findings == ()
    assert judge(GOOD.replaced(PATH, 0).bytes(), "PTE507").findings == ()
