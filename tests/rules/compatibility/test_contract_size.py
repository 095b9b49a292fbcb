from __future__ import annotations

from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import BuiltProgram, build_program
from tests.rules.checks import adder_program, found, only
from tests.support.contracts import method, options, own_contract

RULE = "PTE633"


def _round_trip(copies: int = 1, rows: int = 2) -> BuiltProgram:
    b = MethodBuilder()
    x = b.input((rows, 2))
    for _ in range(copies):
        (z,) = b.delegate("CudaBackend", [b.h2d(x)], [(rows, 2)], device="cuda:0", blob=bytes(99))
        x = b.d2h(z)
    b.output(x)
    return build_program(b)


def test_a_program_keeps_its_own_and_a_smaller_one_keeps_it_too() -> None:
    contract = options(own_contract(_round_trip(2, 4)))
    assert found(_round_trip(2, 4), RULE, options=contract) == ()
    assert found(_round_trip(1, 2), RULE, options=contract) == ()


def test_each_size_that_grew() -> None:
    findings = found(_round_trip(2, 4), RULE, options=options(own_contract(_round_trip())))
    grown = {f.evidence["key"]: (f.evidence["promised"], f.evidence["found"]) for f in findings}
    before, after = grown.pop("most-bytes.all")
    assert before < after
    assert grown == {
        "most-bytes.cuda:0": (99, 198),
        "most-planned.all": (64, 224),
        "most-planned.cpu": (32, 96),
        "most-planned.cuda:0": (32, 128),
        "methods.forward.most-planned.all": (64, 224),
        "methods.forward.most-planned.cpu": (32, 96),
        "methods.forward.most-planned.cuda:0": (32, 128),
        "methods.forward.most-copied.all": (32, 128),
        "methods.forward.most-copied.h2d": (16, 64),
        "methods.forward.most-copied.d2h": (16, 64),
        "methods.forward.largest-tensor": (16, 32),
    }
    copied = next(f for f in findings if f.evidence["key"].endswith("h2d"))
    assert copied.message == (
        "contract.toml promises that the bytes that forward copies to devices are at most 16; "
        "the file has 64."
    )


def test_a_device_that_is_not_named_has_none() -> None:
    contract = options(own_contract(adder_program()))
    keys = [f.evidence["key"] for f in found(_round_trip(), RULE, options=contract)]
    assert "most-planned.cuda:0" in keys
    everything = options({"most-planned": {"all": 10_000}})
    assert found(_round_trip(), RULE, options=everything) == ()


def test_sizes_may_have_units_and_the_largest_tensor_is_named() -> None:
    contract = options(method(**{"largest-tensor": "1 KiB"}))
    b = MethodBuilder()
    b.output(b.add(b.input((4,)), b.constant(bytes(1040), (260,))))
    finding = only(build_program(b), RULE, options=contract)
    assert finding.message == (
        "contract.toml promises that the largest tensor of forward has at most, in bytes, 1,024; "
        "the file has 1,040."
    )
    assert finding.location.value == 1
