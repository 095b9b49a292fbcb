from __future__ import annotations

import pytest

from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.rules.checks import adder_program, found, only, report
from tests.support.contracts import method, options, own_contract
from tests.support.examples import delegated

RULE = "PTE632"


def _mixed(host_calls: int, device: str = "cuda:0") -> MethodBuilder:
    b = MethodBuilder()
    x = b.input((2, 2))
    for _ in range(host_calls):
        x = b.add(x, x)
    (z,) = b.delegate("CudaBackend", [b.h2d(x)], [(2, 2)], device=device, blob=bytes(64))
    b.output(b.d2h(z))
    return b


def test_a_program_keeps_its_own() -> None:
    program = build_program(_mixed(1))
    contract = own_contract(program)
    assert contract.methods["forward"].least_delegated.calls == 0.5
    assert contract.methods["forward"].backends == ("CudaBackend on cuda:0",)
    assert found(program, RULE, options=options(contract)) == ()


def test_a_smaller_share() -> None:
    contract = options(method(**{"least-delegated": {"calls": 0.5}}))
    finding = only(build_program(_mixed(2)), RULE, options=contract)
    assert finding.message == (
        "contract.toml promises that the share of calls of forward in delegates is at least 0.5; "
        "the file has 0.333."
    )
    assert finding.evidence["key"] == "methods.forward.least-delegated.calls"


@pytest.mark.parametrize(
    ("promised", "count"),
    [
        (["CudaBackend on cuda:0"], 0),
        (["CudaBackend"], 0),
        (["CudaBackend on cuda:1"], 1),
        (["XnnpackBackend"], 1),
        (["CudaBackend", "XnnpackBackend"], 1),
        ([], 1),
    ],
)
def test_backends_and_their_devices(promised: list[str], count: int) -> None:
    findings = found(build_program(_mixed(0)), RULE, options=options(method(backends=promised)))
    assert [f.evidence["found"] for f in findings] == [["CudaBackend on cuda:0"]] * count


def test_operators_that_may_not_stay_on_the_host() -> None:
    contract = method(**{"host-operators": ["aten::mul*"]})
    finding = only(build_program(_mixed(2)), RULE, options=options(contract))
    assert finding.message == (
        "contract.toml promises that the operators of forward on the host are [aten::mul*]; "
        "the file has aten::add.out."
    )
    assert (finding.location.instruction, finding.location.operator) == (0, "aten::add.out")
    assert found(build_program(_mixed(0)), RULE, options=options(contract)) == ()
    refused = method(**{"no-host-operators": ["aten::add.*"]})
    finding = only(adder_program(), RULE, options=options(refused))
    assert finding.message.endswith("are none of [aten::add.*]; the file has aten::add.out.")


def test_what_blobs_do_not_tell_is_not_checked() -> None:
    contract = options(method(**{"least-delegated": {"multiply-adds": 0.5, "operators": 0.5}}))
    said = report(build_program(delegated("CudaBackend")), RULE, options=contract)
    assert said.findings == ()
    assert [each.what for each in said.unchecked] == [
        "contract.toml: the least delegated share of operators of forward",
        "contract.toml: the least delegated share of multiply-adds of forward",
    ]
