from __future__ import annotations

from typing import Any

from pte_lint.claims.finding import Severity
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import BuiltProgram, build_program
from tests.rules.checks import found

RULE = "PTE636"


def _method(name: str, **changes: Any) -> MethodBuilder:
    b = MethodBuilder(name)
    given: dict[str, Any] = {"sizes": (2, 2), "memory_id": 2, "offset": 0, **changes}
    state = b.state(**given)
    x = b.input(given["sizes"], given.get("dtype", "float32"))
    total = b.add(state, x)
    b.kernel("aten::copy_", state, total, b.bool_value(False), state)
    b.output(total)
    return b


def _program(**changes: Any) -> BuiltProgram:
    return build_program(_method("put"), _method("take", **changes))


def test_methods_that_share_need_a_runner_that_shares() -> None:
    (finding,) = found(_program(), RULE)
    assert finding.message == (
        "put, take share 1 buffer in arena 2: a runner that does not share its arenas, as Module "
        "by default, gives each method its own."
    )
    assert (finding.severity, finding.location.value) == (Severity.INFO, 0)
    assert finding.evidence == {"methods": ["put", "take"], "offsets": [0]}


def test_methods_that_take_the_bytes_for_other_tensors() -> None:
    info, warning = found(_program(sizes=(4,)), RULE)
    assert info.severity is Severity.INFO
    assert warning.severity is Severity.WARNING
    assert warning.message == (
        "At byte 0 of arena 2, which methods share, put has float32 [2, 2], take has float32 [4]: "
        "what one writes the other reads as something else."
    )
    assert (warning.method, warning.location.value) == ("take", 0)
    assert len(found(_program(dtype="int32"), RULE)) == 2


def test_what_is_not_shared() -> None:
    assert found(_program(offset=64), RULE) == ()
    assert found(_program(memory_id=1), RULE) == ()
    assert found(build_program(_method("put", memory_id=1), _method("b", memory_id=1)), RULE) == ()
    assert found(build_program(_method("put")), RULE) == ()
    assert found(_program(home="cuda:0"), RULE) == ()


def test_memory_of_activations_in_arena_2_is_no_state() -> None:
    both = []
    for name in ("a", "b"):
        b = MethodBuilder(name)
        x = b.input((2, 2), memory_id=2, offset=0)
        b.output(b.add(x, x))
        both.append(b)
    assert found(build_program(*both), RULE) == ()
