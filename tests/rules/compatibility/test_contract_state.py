from __future__ import annotations

from typing import Any

import pytest

from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import BuiltProgram, build_program
from tests.rules.checks import adder_program, found, only
from tests.support.contracts import options, own_contract

RULE = "PTE634"


def _method(method: str, **changes: Any) -> MethodBuilder:
    b = MethodBuilder(method)
    given: dict[str, Any] = {
        "sizes": (2, 2),
        "name": "cache",
        "memory_id": 2,
        "offset": 0,
        **changes,
    }
    state = b.state(**given)
    x = b.input(given["sizes"], given.get("dtype", "float32"))
    b.kernel("aten::copy_", state, x, b.bool_value(False), state)
    b.output(state)
    return b


def _program(**changes: Any) -> BuiltProgram:
    return build_program(_method("prefill"), _method("decode", **changes))


GOOD = own_contract(_program())


def test_a_program_keeps_its_own() -> None:
    (state,) = GOOD.state
    assert (state.methods, state.shared) == (("prefill", "decode"), True)
    assert found(_program(), RULE, options=options(GOOD)) == ()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"offset": 64}, "sharing by methods of the state cache is yes; the file has no."),
        ({"memory_id": 1}, "sharing by methods of the state cache is yes; the file has no."),
        (
            {"name": "other"},
            "methods with the state cache are [prefill, decode]; the file has [prefill].",
        ),
    ],
)
def test_buffers_that_methods_share_no_longer(changes: dict[str, Any], said: str) -> None:
    finding = found(_program(**changes), RULE, options=options(GOOD))[0]
    assert finding.message == f"contract.toml promises that the {said}"


def test_state_that_is_gone_or_of_another_type() -> None:
    finding = only(adder_program(), RULE, options=options(GOOD))
    assert finding.message.endswith("the file has none.")
    other = build_program(_method("prefill", dtype="int32"), _method("decode", dtype="int32"))
    finding = only(other, RULE, options=options(GOOD))
    assert finding.message.endswith("dtype of the state cache is float32; the file has int32.")


def test_first_content_that_is_gone() -> None:
    filled = build_program(_method("prefill", initial=[1, 2, 3, 4]))
    finding = only(build_program(_method("prefill")), RULE, options=options(own_contract(filled)))
    assert finding.evidence["key"] == "state[0].initial-content"
