from __future__ import annotations

from typing import Any

import pytest

from pte_lint.claims.finding import Severity
from tests.rules.checks import found, only, verdict
from tests.support.cuda_libraries import cuda_target
from tests.support.vela import INPUT, vela_program, vela_stream

RULE = "PTE434"
TARGET = cuda_target(backends=("EthosUBackend",))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dtype": "float32"}, "Argument 0 is float32, but the delegate takes elements of 1 bytes"),
        ({"dtype": "int32"}, "Argument 0 is int32, but the delegate takes elements of 1 bytes"),
        (
            {"sizes": (2, 2, 4)},
            "Argument 0 has the sizes [2, 2, 4], but the delegate takes [1, 1, 1, 2, 2, 3]",
        ),
    ],
)
def test_inputs_that_do_not_fit(options: dict[str, Any], message: str) -> None:
    program = vela_program(vela_stream(), **options)
    finding = only(program, RULE, target=TARGET)
    assert finding.message == f"{message}."
    assert finding.severity is Severity.ERROR
    assert (finding.location.instruction, finding.location.argument) == (0, 0)
    assert finding.subject == "instruction 0"
    assert verdict(program, RULE, target=TARGET) == "execute: error InvalidProgram"


def test_too_few_arguments() -> None:
    program = vela_program(vela_stream((INPUT, INPUT)))
    finding = only(program, RULE, target=TARGET)
    assert finding.message == (
        "The call has 2 arguments, but the delegate has 2 inputs and 1 output."
    )
    assert verdict(program, RULE, target=TARGET) == "execute: undefined"


@pytest.mark.parametrize("dtype", ["int8", "uint8", "bool"])
def test_types_of_the_same_size(dtype: str) -> None:
    assert found(vela_program(vela_stream(), dtype=dtype), RULE, target=TARGET) == ()


def test_a_backend_that_the_target_lacks_is_a_warning() -> None:
    program = vela_program(vela_stream(), dtype="float32")
    assert only(program, RULE).severity is Severity.WARNING
