from __future__ import annotations

from pte_lint.claims.finding import Severity
from tests.rules.checks import found, only
from tests.support.cuda_libraries import cuda_target
from tests.support.vela import vela_program, vela_stream

RULE = "PTE435"


def test_another_accelerator() -> None:
    program = vela_program(vela_stream(), accelerator="ethos-u85-256")
    finding = only(program, RULE, target=cuda_target(accelerator="ethos-u55-128"))
    assert finding.message == (
        "Delegate 0 (EthosUBackend) was compiled for ethos-u85-256, and the target has "
        "ethos-u55-128."
    )
    assert finding.severity is Severity.WARNING
    assert finding.evidence == {"accelerator": "ethos-u85-256", "target": "ethos-u55-128"}
    assert finding.subject == "delegates[0] accelerator"


def test_the_same_accelerator_or_none_told() -> None:
    program = vela_program(vela_stream())
    assert found(program, RULE, target=cuda_target(accelerator="ethos-u55-128")) == ()
    assert found(program, RULE) == ()
