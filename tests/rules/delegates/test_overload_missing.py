from __future__ import annotations

from pte_lint.claims.finding import Severity
from tests.support.examples import plain
from tests.support.judging import judge, only


def test_a_null_overload() -> None:
    path = "execution_plan[0].operators[1].overload"
    finding = only(judge(plain().replaced(path, None).bytes(), "PTE405"))
    assert finding.severity is Severity.WARNING
    assert finding.message.startswith("aten::mul has no overload, not even an empty one")
    assert finding.location.path == "execution_plan[0].operators[1]"
    assert judge(plain().replaced(path, "").bytes(), "PTE405").findings == ()
    assert judge(plain().bytes(), "PTE405").findings == ()
