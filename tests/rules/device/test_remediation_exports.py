# ruff: noqa: E402, TID251 - the exporter is what is tested here
"""The snippets of remediations work: each is run as it is printed, and the finding goes.

Needs the exporter (torch and executorch 1.5.1); the recorded exports in `tests/data/device` show
the same without it, in the tests of the rules.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

import pte_lint
from pte_lint.claims.finding import Finding, Severity
from tests.support.exporter import need_exporter

need_exporter()
torch = pytest.importorskip("torch")

from executorch.exir import (
    EdgeProgramManager,
    ExecutorchBackendConfig,
    to_edge_transform_and_lower,
)
from executorch.exir.backend.test.device_util import DeviceAwarePartitioner
from executorch.exir.passes import MemoryPlanningPass
from executorch.exir.passes.propagate_device_config import PropagateDeviceConfig

from tests.data.recipes import device_data as recipes


class Add(torch.nn.Module):  # type: ignore[misc, name-defined]
    def forward(self, a: Any, b: Any) -> Any:
        return a + b


def edge_of(*names: str, device: str = "cuda:0") -> EdgeProgramManager:
    inputs = (torch.ones(8, 8), torch.ones(8, 8))
    exported = {name: torch.export.export(Add(), inputs) for name in names}
    return to_edge_transform_and_lower(exported, partitioner=[DeviceAwarePartitioner(device)])


def findings(manager: Any, rule: str) -> list[Finding]:
    report = pte_lint.check(manager, isolated=True)
    return [f for f in report.findings if f.rule == rule]


def snippet(text: str) -> str:
    """The code of a remediation: its lines that are indented by four spaces."""
    lines = [line[4:] for line in text.splitlines() if not line or line.startswith("    ")]
    return "\n".join(lines)


def run(code: str, edge: EdgeProgramManager) -> Any:
    """Runs a snippet that ends in `edge.to_executorch(...)`; returns what that returns."""
    made: list[Any] = []

    class Recorder:
        def to_executorch(self, config: Any = None) -> Any:
            made.append(edge.to_executorch(config))
            return made[-1]

    exec(compile(code, "snippet", "exec"), {"edge": Recorder()})
    (manager,) = made
    return manager


BOTH = PropagateDeviceConfig(skip_h2d_for_method_inputs=True, skip_d2h_for_method_outputs=True)
H2D = PropagateDeviceConfig(skip_h2d_for_method_inputs=True)
D2H = PropagateDeviceConfig(skip_d2h_for_method_outputs=True)
FLAGS = PropagateDeviceConfig(skip_h2d_for_method_inputs={"prefill": True, "decode": False})

CASES: list[tuple[str, tuple[str, ...], Callable[[], ExecutorchBackendConfig]]] = [
    ("PTE301", ("forward",), lambda: ExecutorchBackendConfig(propagate_device_config=BOTH)),
    ("PTE301", ("forward",), lambda: ExecutorchBackendConfig(propagate_device_config=H2D)),
    (
        "PTE301",
        ("forward",),
        lambda: ExecutorchBackendConfig(enable_non_cpu_memory_planning=False),
    ),
    (
        "PTE301",
        ("prefill", "decode"),
        lambda: ExecutorchBackendConfig(
            propagate_device_config={"prefill": BOTH, "decode": PropagateDeviceConfig()}
        ),
    ),
    ("PTE302", ("forward",), lambda: ExecutorchBackendConfig(propagate_device_config=D2H)),
    (
        "PTE303",
        ("forward",),
        lambda: ExecutorchBackendConfig(
            propagate_device_config=D2H,
            memory_planning_pass=MemoryPlanningPass(alloc_graph_output=False),
        ),
    ),
    (
        "PTE308",
        ("forward",),
        lambda: ExecutorchBackendConfig(
            enable_non_cpu_memory_planning=False,
            memory_planning_pass=MemoryPlanningPass(alloc_graph_input=False),
        ),
    ),
    (
        "PTE316",
        ("forward",),
        lambda: ExecutorchBackendConfig(
            memory_planning_pass=MemoryPlanningPass(alloc_graph_output=False)
        ),
    ),
    (
        "PTE321",
        ("forward",),
        lambda: ExecutorchBackendConfig(enable_non_cpu_memory_planning=False),
    ),
    (
        "PTE323",
        ("prefill", "decode"),
        lambda: ExecutorchBackendConfig(
            propagate_device_config=FLAGS,
            memory_planning_pass={
                "prefill": MemoryPlanningPass(alloc_graph_input=False),
                "decode": MemoryPlanningPass(),
            },
        ),
    ),
]


@pytest.mark.parametrize(
    ("rule", "names", "wrong"), CASES, ids=[f"{c[0]}-{n}" for n, c in enumerate(CASES)]
)
def test_the_snippet_makes_the_finding_go(
    rule: str, names: tuple[str, ...], wrong: Callable[[], ExecutorchBackendConfig]
) -> None:
    edge = edge_of(*names)
    before = findings(copy.deepcopy(edge).to_executorch(wrong()), rule)
    assert before
    fixed = run(snippet(before[0].remediation), edge)
    assert findings(fixed, rule) == []
    report = pte_lint.check(fixed, isolated=True)
    assert [f.rule for f in report.findings if f.severity is Severity.ERROR] == []


def test_target_device_cpu_is_told_to_go() -> None:
    wrong = findings(edge_of("forward", device="cpu").to_executorch(), "PTE306")
    assert "take the spec out" in wrong[0].remediation
    exec(compile(snippet(wrong[0].remediation), "snippet", "exec"), {})
    assert findings(edge_of("forward").to_executorch(), "PTE306") == []


def test_a_delegate_that_owns_its_weight_leaves_no_tagged_constant() -> None:
    weighted = recipes.Weight()
    exported = torch.export.export(weighted, (torch.ones(8, 8),))
    config = ExecutorchBackendConfig(
        propagate_device_config=BOTH,
        memory_planning_pass=MemoryPlanningPass(alloc_graph_input=False, alloc_graph_output=False),
    )
    wrong = to_edge_transform_and_lower(exported, partitioner=[DeviceAwarePartitioner("cuda:0")])
    found = findings(wrong.to_executorch(config), "PTE314")
    assert "tag_constant_data(exported_program)" in snippet(found[0].remediation)
    right = to_edge_transform_and_lower(
        torch.export.export(weighted, (torch.ones(8, 8),)),
        partitioner=[recipes.OwningConstants("cuda:0")],
    )
    assert findings(right.to_executorch(config), "PTE314") == []


class AllAtZero(MemoryPlanningPass):  # type: ignore[misc]
    """Gives every tensor the same place."""

    def run(self, graph_module: Any, *rest: Any) -> Any:
        result = super().run(graph_module, *rest)
        for node in graph_module.graph.nodes:
            spec = node.meta.get("spec")
            if hasattr(spec, "mem_offset") and spec.mem_offset is not None:
                spec.mem_offset = 0
        return result


class Chain(torch.nn.Module):  # type: ignore[misc, name-defined]
    def forward(self, x: Any) -> Any:
        y = torch.sin(x)
        return torch.cos(y) + y


def test_another_plan_has_no_overlap() -> None:
    exported = torch.export.export(Chain(), (torch.ones(8, 8),))
    edge = to_edge_transform_and_lower(exported)
    config = ExecutorchBackendConfig(memory_planning_pass=AllAtZero())
    (wrong, *_) = findings(copy.deepcopy(edge).to_executorch(config), "PTE203")
    right = run(snippet(wrong.remediation), edge)
    report = pte_lint.check(right, isolated=True)
    assert [f.rule for f in report.findings if f.severity is not Severity.INFO] == []
