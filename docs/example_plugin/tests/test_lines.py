"""The report format quotes what comes from files."""

from __future__ import annotations

from example_rules._lines import LINES

import pte_lint
from pte_lint.testing import MethodBuilder, build_program


def test_one_line_a_finding() -> None:
    b = MethodBuilder()
    b.output(b.call("acme::fast_gelu.out", b.input((4,), "float64"), out=(4,)))
    report = pte_lint.check(build_program(b).bytes(), select=["EXAMPLE"])
    assert LINES.render(report) == (
        '"<bytes>"\tEXAMPLE001\t"input 0"\n"<bytes>"\tEXAMPLE003\t"acme::fast_gelu.out"\n'
    )
