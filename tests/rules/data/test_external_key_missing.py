from __future__ import annotations

import pytest

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
