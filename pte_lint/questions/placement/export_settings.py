"""Export settings as text: what to pass to `to_executorch` so that a program comes out right.

The settings are those of executorch 1.5 (exir/capture/_config.py: ExecutorchBackendConfig;
exir/passes/propagate_device_config.py; exir/passes/memory_planning_pass.py). Snippets are indented
by four spaces, which the reports show as code.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from pte_lint.ir.calling import D2H_COPY
from pte_lint.ir.question import question
from pte_lint.schema.frozen import dataclass

if TYPE_CHECKING:
    from pte_lint.ir.method import Method

_MOST_METHODS: Final = 6
"""Methods that a snippet spells out; more are left to the reader."""

_WIDTH: Final = 76
"""Columns of a snippet's line; reports indent it by four more."""

_IMPORTS: Final = """\
    from executorch.exir import ExecutorchBackendConfig
    from executorch.exir.passes import MemoryPlanningPass
    from executorch.exir.passes.propagate_device_config import (
        PropagateDeviceConfig,
    )
"""


@dataclass(frozen=True, slots=True)
class DeviceSettings:
    """The device settings of one method."""

    skip_h2d: bool = False
    skip_d2h: bool = False
    alloc_inputs: bool = True
    alloc_outputs: bool = True

    @property
    def config(self) -> tuple[str, list[str]]:
        """The PropagateDeviceConfig call: its name and its arguments."""
        flags = []
        if self.skip_h2d:
            flags.append("skip_h2d_for_method_inputs=True")
        if self.skip_d2h:
            flags.append("skip_d2h_for_method_outputs=True")
        return "PropagateDeviceConfig", flags

    @property
    def planning(self) -> tuple[str, list[str]]:
        """The MemoryPlanningPass call: its name and its arguments."""
        flags = []
        if not self.alloc_inputs:
            flags.append("alloc_graph_input=False")
        if not self.alloc_outputs:
            flags.append("alloc_graph_output=False")
        return "MemoryPlanningPass", flags


@question
def paired_settings(method: Method) -> DeviceSettings:
    """What a method asks for, with the planning that has to go with it.

    An input that is tagged for a device was left without its copy, so it must not be planned;
    likewise an output. Outputs that are copied back must stay planned: without
    alloc_graph_output the exporter takes the memory from the delegate's result instead. Where a
    method has outputs of both kinds, no planning goes with the skipped copies: all are copied.
    """
    skip_h2d = any(not method.tag(v).is_host for v in method.inputs if method.tensor(v))
    skip_d2h = any(not method.tag(v).is_host for v in method.outputs if method.tensor(v))
    skip_d2h = skip_d2h and not has_copied_output(method)
    return DeviceSettings(skip_h2d, skip_d2h, not skip_h2d, not skip_d2h)


@question
def has_copied_output(method: Method) -> bool:
    """Whether an output of the method is what a copy to the host writes."""
    copies = {step.args[1] for step in method.calls.of(D2H_COPY) if len(step.args) > 1}
    return any(v in copies for v in method.outputs)


def settings_snippet(methods: Sequence[tuple[str, DeviceSettings]]) -> str:
    """A `to_executorch` call with these settings: shared if all agree, else one per method."""
    if len({settings for _, settings in methods}) == 1:
        shared = methods[0][1]
        config = _call(*shared.config, 8, "propagate_device_config=")
        planning = _call(*shared.planning, 8, "memory_planning_pass=")
    else:
        config = _per_method([(name, s.config) for name, s in methods])
        planning = _per_method([(name, s.planning) for name, s in methods])
    return (
        f"{_IMPORTS}\n"
        "    edge.to_executorch(ExecutorchBackendConfig(\n"
        f"        propagate_device_config={config},\n"
        f"        memory_planning_pass={planning},\n"
        "    ))"
    )


def _per_method(calls: Sequence[tuple[str, tuple[str, list[str]]]]) -> str:
    shown = calls[:_MOST_METHODS]
    lines = [f"            {name!r}: {_call(*call, 12, f'{name!r}: ')}," for name, call in shown]
    if len(calls) > len(shown):
        lines.append(f"            # ... and {len(calls) - len(shown)} more methods")
    return "{\n" + "\n".join(lines) + "\n        }"


def _call(name: str, flags: list[str], indent: int, lead: str) -> str:
    """The constructor call, on several lines when it would not fit one behind `lead`."""
    line = f"{name}({', '.join(flags)})"
    if not flags or indent + len(lead) + len(line) < _WIDTH:
        return line
    inner = "".join(f"{' ' * (indent + 4)}{flag},\n" for flag in flags)
    return f"{name}(\n{inner}{' ' * indent})"


DEFAULT_COPIES: Final = """\
    from executorch.exir import ExecutorchBackendConfig

    # True is the default: every boundary of a device delegate gets its copies.
    edge.to_executorch(
        ExecutorchBackendConfig(enable_non_cpu_memory_planning=True)
    )"""
"""A snippet of the settings that need nothing from the caller."""

TARGET_SPEC: Final = """\
    from executorch.exir.backend.compile_spec_schema import CompileSpec
    from executorch.exir.passes.propagate_device_pass import TARGET_DEVICE_COMPILE_SPEC_KEY

    # In the partitioner's DelegationSpec, beside the backend's own compile specs:
    CompileSpec(TARGET_DEVICE_COMPILE_SPEC_KEY, b"cuda:0")"""
"""A snippet that names a delegate's device; the CUDA partitioner does it by itself."""
