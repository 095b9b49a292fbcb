"""Where two runs went apart."""

from __future__ import annotations

from dataclasses import replace

from pte_lint.harness.compare import Difference, first_difference
from pte_lint.harness.outcome import (
    ArgumentFact,
    CopyFact,
    DelegateCall,
    MethodRun,
    TensorFacts,
)


def copied(digest: str, instruction: int = 0) -> CopyFact:
    return CopyFact("h2d", 4, "host", "cuda:0", 0, instruction, "Ok", digest, None)


def called(digest: str, instruction: int = 1, output: str = "z") -> DelegateCall:
    taken = ArgumentFact(0, "tensor", False, "cuda:0", "cuda:0", 4, digest, None, False)
    given = ArgumentFact(1, "tensor", True, "cuda:0", "cuda:0", 4, output, None, False)
    return DelegateCall("B", "cuda:0", instruction, (taken, given), "Ok", None)


def ended(digest: str) -> TensorFacts:
    return TensorFacts("tensor", "Float", (1,), "cpu", "host", digest)


RUN = MethodRun(
    "execute",
    "ok",
    copies=(copied("a"), copied("b", 2)),
    delegate_calls=(called("c"),),
    outputs=(ended("d"), TensorFacts("int", value=1)),
    outputs_second_run=(ended("e"),),
)


def test_equal_runs() -> None:
    assert first_difference(RUN, RUN) is None


def test_the_earliest_instruction_is_blamed() -> None:
    later_copy = replace(RUN, copies=(copied("a"), copied("x", 2)))
    assert first_difference(RUN, later_copy) == Difference("copy", 1, None, 2, "b", "x")
    both = replace(later_copy, delegate_calls=(called("y"),))
    assert first_difference(RUN, both) == Difference("delegate argument", 0, 0, 1, "c", "y")


def test_what_a_stand_in_writes_is_not_compared() -> None:
    assert first_difference(RUN, replace(RUN, delegate_calls=(called("c", 1, "other"),))) is None


def test_outputs_of_both_runs() -> None:
    other = replace(RUN, outputs=(ended("d"), TensorFacts("int", value=2)))
    assert first_difference(RUN, other) == Difference(
        "output", 1, None, None, "int [] 1", "int [] 2"
    )
    second = replace(RUN, outputs_second_run=(ended("f"),))
    found = first_difference(RUN, second)
    assert found is not None
    assert (found.what, found.position) == ("second run output", 0)


def test_another_end() -> None:
    found = first_difference(RUN, replace(RUN, stage="set_input", outcome="error", outputs=()))
    assert found == Difference("end", 0, None, None, "execute ok", "set_input error")
