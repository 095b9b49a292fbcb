from __future__ import annotations

import pytest

from pte_lint.claims.finding import Severity
from tests.rules.checks import found, only
from tests.support.cuda_libraries import cuda_target
from tests.support.tensorrt import engine, metadata, tensorrt_blob, tensorrt_program

RULE = "PTE436"


def test_another_version() -> None:
    program = tensorrt_program(tensorrt_blob())
    finding = only(program, RULE, target=cuda_target(tensorrt="10.9"))
    assert finding.message == (
        "The engine of delegate 0 (TensorRTBackend) was made for TensorRT 10.13.3.9, and the "
        "target has 10.9."
    )
    assert finding.severity is Severity.WARNING
    assert finding.evidence == {"engine": "10.13.3.9", "target": "10.9"}
    assert finding.subject == "delegates[0] TensorRT"


def test_another_platform() -> None:
    program = tensorrt_program(tensorrt_blob())
    finding = only(program, RULE, target=cuda_target(machine="aarch64"))
    assert finding.message == (
        "The engine of delegate 0 (TensorRTBackend) was made for platform linux_x86_64, and the "
        "target has aarch64."
    )
    assert finding.subject == "delegates[0] platform"


@pytest.mark.parametrize("version", ["10.13", "10.13.3", "10.13.3.9"])
def test_as_much_of_the_version_as_the_target_tells(version: str) -> None:
    program = tensorrt_program(tensorrt_blob())
    assert found(program, RULE, target=cuda_target(tensorrt=version)) == ()
    other = tensorrt_program(tensorrt_blob(engine((10, 1, 3, 9))))
    assert len(found(other, RULE, target=cuda_target(tensorrt=version))) == 1


def test_the_same_platform_or_none_told() -> None:
    program = tensorrt_program(tensorrt_blob())
    assert found(program, RULE, target=cuda_target(machine="x86_64")) == ()
    assert found(program, RULE) == ()
    windows = tensorrt_program(tensorrt_blob(told=metadata(target_platform="windows_arm64")))
    assert found(windows, RULE, target=cuda_target(machine="aarch64")) == ()
    unknown = tensorrt_program(tensorrt_blob(told=metadata(target_platform="unknown")))
    assert found(unknown, RULE, target=cuda_target(machine="aarch64")) == ()
