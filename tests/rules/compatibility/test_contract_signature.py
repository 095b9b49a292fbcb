from __future__ import annotations

import pytest

from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import BuiltProgram, build_program
from tests.rules.checks import found, only
from tests.support.contracts import method, options, own_contract
from tests.support.language_models import constant

RULE = "PTE631"


def _program(**changes: object) -> BuiltProgram:
    b = MethodBuilder()
    given: dict[str, object] = {"sizes": (2, 3), "dtype": "float32", **changes}
    x = b.input(**given)  # type: ignore[arg-type]
    b.output(b.add(b.input((2, 3)), b.input((2, 3))))
    b.add(x, x)
    return build_program(b)


GOOD = own_contract(_program())


def test_a_program_keeps_its_own() -> None:
    assert found(_program(), RULE, options=options(GOOD)) == ()


@pytest.mark.parametrize(
    ("changes", "key", "promised", "has"),
    [
        ({"dtype": "int32"}, "dtype", "float32", "int32"),
        ({"sizes": (2, 4)}, "shape", "[2, 3]", "[2, 4]"),
        ({"sizes": (2,)}, "shape", "[2, 3]", "[2]"),
        ({"dynamism": 1}, "dynamic", "no", "yes"),
        ({"dim_order": (1, 0)}, "dim-order", "[0, 1]", "[1, 0]"),
        ({"device": "cuda:0"}, "device", "cpu", "cuda:0"),
        ({"planned": False}, "memory", "planned", "caller-owned"),
    ],
)
def test_each_thing_that_is_promised(
    changes: dict[str, object], key: str, promised: str, has: str
) -> None:
    findings = found(_program(**changes), RULE, options=options(GOOD))
    finding = next(f for f in findings if f.evidence["key"].endswith(f".{key}"))
    assert finding.message == (
        f"contract.toml promises that the {key} of input 0 of forward is {promised}; "
        f"the file has {has}."
    )
    assert finding.evidence["key"] == f"methods.forward.inputs[0].{key}"
    assert (finding.method, finding.location.value) == ("forward", 0)
    assert {f.location.value for f in findings} == {0}


def test_sizes_of_any_length_and_names_for_readers() -> None:
    free = {"inputs": [{"name": "image", "shape": ["*", 3], "dtype": "int8"}, {}, {}]}
    finding = only(_program(sizes=(7, 3)), RULE, options=options(method(**free)))
    assert finding.message == (
        "contract.toml promises that the dtype of input 0 (image) of forward is int8; the file has "
        "float32."
    )
    other = found(_program(sizes=(7, 4)), RULE, options=options(method(**free)))
    assert [f.evidence["key"].rpartition(".")[2] for f in other] == ["dtype", "shape"]


def test_the_number_of_outputs() -> None:
    finding = only(_program(), RULE, options=options(method(outputs=[])))
    assert finding.message == (
        "contract.toml promises that the number of outputs of forward is 0; the file has 1."
    )


def test_numbers_that_metadata_methods_return() -> None:
    contract = options(own_contract(build_program(constant("get_n", 1))))
    assert found(build_program(constant("get_n", 1)), RULE, options=contract) == ()
    assert only(build_program(constant("get_n", 2)), RULE, options=contract).evidence["found"] == 2
    kinds = found(build_program(constant("get_n", True)), RULE, options=contract)
    assert [f.evidence["found"] for f in kinds] == ["Bool", True]
