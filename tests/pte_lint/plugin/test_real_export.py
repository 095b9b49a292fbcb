"""A scratch project with one export script: the wrong export fails with its fix, the right passes.

Exports for real, so it needs torch and executorch; nothing here needs a device.
"""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from tests.pte_lint.plugin.conftest import Project

EXPORT = """
import torch
from executorch.exir import ExecutorchBackendConfig, to_edge_transform_and_lower
from executorch.exir.backend.test.device_util import DeviceAwarePartitioner
from executorch.exir.passes import MemoryPlanningPass
from executorch.exir.passes.propagate_device_config import PropagateDeviceConfig


class Add(torch.nn.Module):
    def forward(self, a, b):
        return a + b


def export(**planning):
    program = torch.export.export(Add(), (torch.ones(8, 8), torch.ones(8, 8)))
    edge = to_edge_transform_and_lower(program, partitioner=[DeviceAwarePartitioner("cuda:0")])
    return edge.to_executorch(
        ExecutorchBackendConfig(
            propagate_device_config=PropagateDeviceConfig(
                skip_h2d_for_method_inputs=True, skip_d2h_for_method_outputs=True
            ),
            memory_planning_pass=MemoryPlanningPass(**planning),
        )
    )
"""

TESTS = """
import pte_lint as lint
from export import export


def test_planned(pte_lint):
    pte_lint.assert_clean(export())


def test_paired(pte_lint):
    pte_lint.assert_clean(export(alloc_graph_input=False, alloc_graph_output=False))


def test_without_the_fixture():
    lint.assert_finds(export(), "PTE301", only=True)
"""


@pytest.mark.skipif(
    find_spec("torch") is None or find_spec("executorch") is None,
    reason="needs torch and executorch, to export",
)
def test_wrong_and_right(project: Project, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(export=EXPORT, test_export=TESTS)
    result = project("-p", "no:warnings", process=True)
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(
        [
            "*test_planned*",
            "E *NotClean: PTE301 device-input-planned*2 errors*",
            "E *error PTE301 (device-input-planned)",
            "E *runtime: executorch 1.5: set_input fails with NotSupported",
            "E *MemoryPlanningPass(alloc_graph_input=False*",
        ]
    )
