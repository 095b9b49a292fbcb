"""Which steps a method can get to."""

from __future__ import annotations

from pte_lint.questions.paths import leads_to
from tests.pte_lint.small import method, tensor


def test_a_method_without_steps_ends_where_it_begins() -> None:
    m = method([tensor((1, 0))], [], inputs=[0], outputs=[0])
    assert leads_to(m, 0, ())
    assert not leads_to(m, 1, ())
