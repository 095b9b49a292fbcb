"""What is good or passed over before what is not, and the other way round: in lists of arguments,
of compile specs, of writers, and of calls that look alike.
"""

from __future__ import annotations

import pytest
from pte_lint.schema.program import BackendDelegate, CompileSpec

from pte_lint.claims.target import Target
from pte_lint.data.reading import open_context
from pte_lint.files.artifact import Artifact
from pte_lint.interpret.residency import residency_of
from pte_lint.questions.placement.faults import is_supplied
from pte_lint.questions.placement.target_device import delegate_target
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.data_builder import build_bundle
from pte_lint.testing.program_builder import BuiltProgram, build_program
from tests.rules.checks import adder, found
from tests.support.judging import judge
from tests.support.judging import verdict as verdict_of


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ((b"cuda:0", b"cuda:0"), False),
        ((b"cuda:0", b"CUDA"), False),
        ((b"cuda:0", b"cuda:0", b"cuda:1"), True),
        ((b"cuda:0", b"cuda:1", b"cuda:0"), True),
        ((b"cuda:0", b"gpu:0"), True),
    ],
)
def test_specs_that_say_the_same_do_not_contradict(
    values: tuple[bytes, ...], problem: bool
) -> None:
    specs = tuple(CompileSpec("target_device", value) for value in values)
    other = CompileSpec("other", b"cuda:1")
    target = delegate_target(0, BackendDelegate("Any", compile_specs=(other, *specs, other)))
    assert ("twice" in target.problem) is problem


@pytest.mark.parametrize("ends", [(0, 99), (99, 0), (99, 99)])
def test_moves_from_and_to_nowhere_are_for_others_to_judge(ends: tuple[int, int]) -> None:
    b = adder()
    b.move(*ends)
    b.move(2, 0)
    assert [f.location.instruction for f in found(build_program(b), "PTE134")] == [2]


def _with_dims(*dims: int) -> BuiltProgram:
    """sum of a tensor along a list of dimensions, items as they are given."""
    b = MethodBuilder()
    x, none, keep = b.input((2, 3)), b.null(), b.bool_value(False)
    listed = b.ints([1])
    b.output(b.call("aten::sum.IntList_out", x, listed, keep, none, out=(2,)))
    program = build_program(b)
    return program.replaced(f"execution_plan[0].values[{listed}].val.items", dims)


def test_items_of_lists_at_the_ends_of_the_values() -> None:
    count = len(_with_dims(3).program.execution_plan[0].values or ())
    (number,) = (
        v
        for v, value in enumerate(_with_dims(3).program.execution_plan[0].values or ())
        if type(value.val).__name__ == "Int"
    )
    assert found(_with_dims(number), "PTE124") == ()
    for item in (-1, count, count + 1, 0, count - 1):
        for items in ((item,), (number, item), (item, number)):
            program = _with_dims(*items)
            said = [f for f in judge(program.bytes()).findings if f.severity == "error"]
            assert said, items


@pytest.mark.parametrize("size", [62, 63, 64, 65, 120])
def test_a_bundle_of_something_else_of_about_a_head(size: int) -> None:
    bundle = build_bundle((b"words " * 20)[:size], {}).bytes()
    error = "InvalidArgument" if size < 64 else "InvalidProgram"
    assert verdict_of(judge(bundle, "PTE531", name="m.bpte")).error == error


@pytest.mark.parametrize("ends", [((0, 2), (5, 1)), ((5, 1), (0, 2)), ((0, 2), (0, 2), (5, 1))])
def test_calls_that_look_alike_but_for_their_numbers(ends: tuple[tuple[int, int], ...]) -> None:
    b = MethodBuilder()
    x, zero = b.input((4, 3)), b.int_value(0)
    for first, step in ends:
        numbers = (b.int_value(first), b.int_value(first + 2), b.int_value(step))
        b.call("aten::slice_copy.Tensor_out", x, zero, *numbers, out=b.tensor((1, 3)))
    bad = [n for n, (first, _) in enumerate(ends) if first == 5]
    assert [f.location.instruction for f in found(build_program(b), "PTE141")] == bad


@pytest.mark.parametrize("before", [False, True])
@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("name", ["state", None])
def test_state_of_the_embedder_is_written_in_place_only(
    before: bool, after: bool, name: str | None
) -> None:
    b = MethodBuilder()
    x, one = b.input((4,)), b.int_value(1)
    if name is None:
        kept = b.tensor((4,), planned=False)
    else:
        kept = b.tensor((4,), planned=False, name=name)
    if before:
        b.kernel("aten::relu.out", x, kept, kept)
    b.kernel("aten::add_.Tensor", kept, x, one, kept)
    if after:
        b.kernel("aten::relu.out", x, kept, kept)
    content = build_program(b).bytes()
    (method,) = open_context(Artifact("m.pte", content), Target(), [], {}).methods
    (place,) = residency_of(method).initial(kept)
    assert is_supplied(method, place) is (name is not None and not before and not after)
