from __future__ import annotations

import pytest

from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.data_builder import DataTensor, build_data
from pte_lint.testing.program_builder import build_program
from tests.support.examples import externally
from tests.support.judging import judge, only, verdict


def data(*keys: str) -> dict[str, bytes]:
    tensor = DataTensor([1, 2, 3, 4], (2, 2))
    return {f"{key}.ptd": build_data({key: tensor}).bytes() for key in keys}


@pytest.mark.parametrize("mutable", [False, True])
def test_a_key_that_no_file_has(mutable: bool) -> None:
    program = build_program(externally("layer.weight", mutable=mutable)).bytes()
    report = judge(program, "PTE513", data=data("layer.weights", "x"))
    assert only(report).message == (
        "The key layer.weight of "
        + ("value 1" if mutable else "constant (value 1)")
        + " is not in layer.weights.ptd, x.ptd. Close to it: layer.weights."
    )
    assert verdict(report).error == "NotFound"


def test_one_of_several_files() -> None:
    program = build_program(externally("b")).bytes()
    assert judge(program, "PTE513", data=data("a", "b")).findings == ()


def test_no_file_or_an_unreadable_one_proves_nothing() -> None:
    program = build_program(externally("b")).bytes()
    assert judge(program, "PTE513").findings == ()
    report = judge(program, "PTE513", data={"w.ptd": b"words"})
    assert report.rules[0].reason == "a data file cannot be read"


def test_a_key_that_does_not_end_is_not_found() -> None:
    program = build_program(externally("a long enough key")).bytes()
    content = data("a long enough key")["a long enough key.ptd"]
    at = content.index(b"a long enough key\0") + len(b"a long enough key")
    endless = content[:at] + b"!" + content[at + 1 :]
    assert judge(program, "PTE513", data={"w.ptd": content}).findings == ()
    assert verdict(judge(program, "PTE513", data={"w.ptd": endless})).error == "NotFound"


FOREIGN = "it was written for another program"


def two(*keys: str, mutable: bool = False) -> MethodBuilder:
    """x plus tensors of a data file, the first of which may be state."""
    b = MethodBuilder()
    total = b.input((2, 2))
    for n, key in enumerate(keys):
        total = b.add(total, b.external(key, (2, 2), mutable=mutable and n == 0))
    b.output(total)
    return b


@pytest.mark.parametrize(
    ("keys", "cause"),
    [
        (("x", "y", "z"), f"with 3 other keys, such as x, {FOREIGN}"),
        (("model.a", "model.b"), "all are there with `model.` before them"),
        (("model.a", "x"), f"with 2 other keys, such as model.a, {FOREIGN}"),
    ],
)
def test_a_file_of_another_program_is_told_once(keys: tuple[str, ...], cause: str) -> None:
    tensor = DataTensor([1, 2, 3, 4], (2, 2))
    content = build_data(dict.fromkeys(keys, tensor)).bytes()
    report = judge(build_program(two("a", "b", mutable=True)).bytes(), data={"w.ptd": content})
    (finding,) = (f for f in report.findings if f.rule in ("PTE513", "PTE525"))
    assert finding.message == f"None of the 2 keys that forward asks for is in w.ptd: {cause}."
    # Constants are asked for before state.
    assert finding.evidence == {"key": "b", "keys": 2, "values": [1, 4]}
    assert verdict(report).error == "NotFound"


def test_a_file_without_keys() -> None:
    content = build_data({}).bytes()
    report = judge(build_program(two("a", "b")).bytes(), "PTE513", data={"w.ptd": content})
    assert only(report).message.endswith("asks for is in w.ptd: it has no keys.")


def test_a_beginning_that_the_program_has_and_the_file_has_not() -> None:
    program = build_program(two("m.a", "m.b")).bytes()
    tensor = DataTensor([1, 2, 3, 4], (2, 2))
    content = build_data({"a": tensor, "b": tensor}).bytes()
    message = only(judge(program, "PTE513", data={"w.ptd": content})).message
    assert message.endswith("is in w.ptd: all are there without the `m.` before them.")


def test_where_another_method_has_its_keys_each_is_told() -> None:
    program = build_program(externally("a"), two("b", "c")).bytes()
    found = judge(program, "PTE513", data=data("a")).findings
    assert [f.evidence["key"] for f in found] == ["b", "c"]
