"""Which runs show that results are decided by what memory held before, without a runtime."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from pte_lint.claims.target import Target
from pte_lint.data.reading import open_context
from pte_lint.files.artifact import Artifact
from pte_lint.harness.memory_signs import decided_by_memory, follows_memory, results_of
from pte_lint.harness.outcome import (
    ArgumentFact,
    CopyFact,
    DelegateCall,
    MethodRun,
    TensorFacts,
)
from pte_lint.questions.method import Method
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.rules.checks import adder
from tests.support.examples import counter


def method_of(builder: MethodBuilder) -> Method:
    content = build_program(builder).bytes()
    (method,) = open_context(Artifact("m.pte", content), Target(), [], {}).methods
    return method


def copied(digest: str) -> CopyFact:
    return CopyFact("h2d", 4, "host", "cuda:0", 0, 0, "Ok", digest, None)


def called(digest: str) -> DelegateCall:
    given = ArgumentFact(0, "tensor", False, "cuda:0", "cuda:0", 4, digest, None, False)
    return DelegateCall("B", "cuda:0", 1, (given,), "Ok", None)


def ended(digest: str = "d", value: int | None = None, size: int = 1) -> TensorFacts:
    return TensorFacts("tensor", "Float", (size,), "cpu", "host", digest, value=value)


RUN = MethodRun(
    "execute",
    "ok",
    copies=(copied("a"),),
    delegate_calls=(called("c"),),
    outputs=(ended(), ended("e")),
    outputs_second_run=(ended(), ended("e")),
)

OTHERS = {
    "a copy": replace(RUN, copies=(copied("x"),)),
    "no copy": replace(RUN, copies=()),
    "an argument": replace(RUN, delegate_calls=(called("x"),)),
    "the last output": replace(RUN, outputs=(ended(), ended("x"))),
    "a number": replace(RUN, outputs=(ended(), ended("e", 2))),
    "sizes": replace(RUN, outputs=(ended(), ended("e", None, 2))),
}
"""Runs that differ in one thing that counts."""


def _stateless() -> Method:
    return method_of(adder())


@pytest.mark.parametrize("what", OTHERS)
@pytest.mark.parametrize(
    ("variant", "memory"), [("poisoned_device", "device memory"), ("poisoned_host", "host arenas")]
)
def test_a_difference_with_what_memory_held(what: str, variant: str, memory: str) -> None:
    runs = {"rising": RUN, variant: OTHERS[what]}
    told = f"the results change with what {memory} held before the run"
    assert decided_by_memory(runs, _stateless()) == told
    equal = {"rising": RUN, "poisoned_device": RUN, "poisoned_host": RUN}
    assert decided_by_memory(equal, _stateless()) is None
    assert decided_by_memory(equal | {variant: OTHERS[what]}, _stateless()) == told
    undefined = {"rising": replace(RUN, outcome="undefined"), variant: OTHERS[what]}
    assert decided_by_memory(undefined, _stateless()) == told


def test_a_method_is_looked_through_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """It may have thousands of findings, about each of which this is asked."""
    method = _stateless()
    looked: list[int] = []
    real = Method.has_initial_state

    def counted(self: Method, v: int) -> bool:
        looked.append(v)
        return real(self, v)

    monkeypatch.setattr(Method, "has_initial_state", counted)
    runs = {"rising": RUN, "poisoned_host": OTHERS["a copy"]}
    first = decided_by_memory(runs, method)
    assert first is not None
    assert decided_by_memory(runs, method) == first
    assert sorted(looked) == sorted(method.tensors)


def test_what_counts_for_nothing() -> None:
    other = OTHERS["a copy"]
    method = _stateless()
    failed = replace(other, outcome="error")
    damaged = replace(other, damaged="cut")
    for runs in (
        {"poisoned_device": other},
        {"rising": replace(RUN, outcome="error"), "poisoned_device": other},
        {"rising": replace(RUN, damaged="cut"), "poisoned_device": other},
        {"rising": RUN, "poisoned_device": failed},
        {"rising": RUN, "poisoned_device": damaged},
        {"rising": RUN, "falling": other},
    ):
        assert decided_by_memory(runs, method) is None
    # What is passed over does not hide what comes after it.
    told = "the results change with what host arenas held before the run"
    for passed in (failed, damaged):
        runs = {"rising": RUN, "poisoned_device": passed, "poisoned_host": other}
        assert decided_by_memory(runs, method) == told


def test_a_crash_with_a_pattern() -> None:
    crashed = replace(RUN, outcome="crash", signal="SIGSEGV")
    told = "with a pattern in host arenas before the run, it crashes (SIGSEGV)"
    assert decided_by_memory({"rising": RUN, "poisoned_host": crashed}, _stateless()) == told


def _in_place(*, before: bool = False, after: bool = False, is_input: bool = False) -> Method:
    """A tensor that a call reads and writes, written by another before or read after it."""
    b = MethodBuilder()
    x = b.input((4,))
    state = b.input((4,)) if is_input else b.tensor((4,))
    if before:
        b.kernel("aten::copy_", state, x, b.bool_value(False), state)
    b.kernel("aten::add_.Tensor", state, x, b.int_value(1), state)
    if after:
        b.output(b.add(state, x))
    b.output(state)
    return method_of(b)


@pytest.mark.parametrize(
    ("make", "has_state"),
    [
        (lambda: method_of(counter()), True),
        (_stateless, False),
        (_in_place, True),
        (lambda: _in_place(after=True), True),
        (lambda: _in_place(is_input=True), False),
    ],
)
def test_state_may_change_from_run_to_run(make: Callable[[], Method], has_state: bool) -> None:
    again = replace(RUN, outputs_second_run=(ended(), ended("x")))
    told = "a second run with the same inputs gives other results"
    assert decided_by_memory({"rising": again}, make()) == (None if has_state else told)
    assert decided_by_memory({"rising": RUN}, make()) is None
    assert decided_by_memory({"rising": replace(RUN, outputs_second_run=())}, make()) is None
    host = {"rising": RUN, "poisoned_host": OTHERS["a copy"]}
    assert (decided_by_memory(host, make()) is None) is has_state
    device = {"rising": RUN, "poisoned_device": OTHERS["a copy"]}
    assert decided_by_memory(device, make()) is not None


@pytest.mark.parametrize("what", OTHERS)
@pytest.mark.parametrize("first", ["rising", "falling"])
@pytest.mark.parametrize("memory", ["poisoned_device", "poisoned_host"])
def test_runs_that_follow_memory(what: str, first: str, memory: str) -> None:
    second = memory if first == "rising" else f"falling_{memory}"
    other = OTHERS[what]
    assert follows_memory({first: RUN, second: other})
    assert not follows_memory({first: RUN, second: RUN})
    assert not follows_memory({second: other})
    for useless in (replace(other, damaged="cut"), replace(other, outcome="crash")):
        assert not follows_memory({first: RUN, second: useless})
        assert not follows_memory({first: useless, second: RUN})
    assert follows_memory({first: RUN, second: replace(other, outcome="undefined")})


def test_results() -> None:
    assert results_of(RUN) == results_of(replace(RUN, copies=(), outcome="undefined"))
    for other in (OTHERS["the last output"], replace(RUN, outputs_second_run=(ended("x"),))):
        assert results_of(RUN) != results_of(other) is not None
    for nothing in (
        None,
        replace(RUN, damaged="cut"),
        replace(RUN, outcome="error"),
        replace(RUN, outputs=()),
    ):
        assert results_of(nothing) is None
