"""What the runner of a method must provide that the target alone does not.

Memory follows `Module::load_method` (extension/module/module.cpp: planned buffers by device) and
`Method::set_input`, `Method::set_output_data_ptr` (runtime/executor/method.cpp): tensors without
planned memory have the caller's.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pte_lint.claims.need import Need, NeedKind
from pte_lint.ir.device import Device
from pte_lint.ops.libraries import BACKENDS, OPERATORS
from pte_lint.questions.resolution import Answer, namespace, resolution
from pte_lint.text.printable import printable
from pte_lint.text.words import count

if TYPE_CHECKING:
    from pte_lint.claims.target import Target
    from pte_lint.questions.method import Method

_ALLOCATOR = (
    "Link a device allocator (the CUDA backend registers one), and load with Module, without "
    "share_memory_arenas."
)
_BIND = (
    "Give it before each execute:\n\n    module.set_output(tensor, index);  // Module, C++\n"
    "    method.set_output_data_ptr(memory, bytes, index);  // Method, C++"
)
_SHOWN = 8
_LONGEST = 100
"""Characters of a backend's id that are told."""


def method_needs(method: Method, target: Target) -> Iterator[Need]:
    """What a method needs of backends, kernel libraries and memory.

    What a profile that the user gave lacks is an error of its own and no need.
    """
    name = printable(method.name)
    if not target.explicit_profile:
        for backend in absent_backends(method, target):
            library = BACKENDS.get(backend)
            how = library.advice() if library is not None else ""
            yield Need(NeedKind.BACKEND, f"the backend {printable(backend[:_LONGEST])}", name, how)
        if target.profile.kernels:
            missing = resolution(method, target.profile).by_answer(Answer.FOREIGN)
            for space in dict.fromkeys(namespace(problem.name) for problem in missing):
                library = OPERATORS[space]
                yield Need(NeedKind.KERNELS, library.name, name, library.advice())
    planned: dict[Device, int] = {}
    for arena in method.arenas.values():
        if not arena.device.is_host and arena.size > 0:
            planned[arena.device] = planned.get(arena.device, 0) + arena.size
    for device, size in sorted(planned.items()):
        what = f"{count(size, 'byte')} on {device}"
        yield Need(NeedKind.MEMORY, what, name, _ALLOCATOR)
    for device, positions in sorted(device_inputs(method).items()):
        what = f"{_listed('input', positions)} on {device}"
        yield Need(NeedKind.INPUT, what, name, "Give tensors whose memory is on the device.")
    for device, positions in sorted(unplanned_outputs(method).items()):
        where = "memory" if device.is_host else f"memory on {device}"
        what = f"{where} for {_listed('output', positions)}"
        yield Need(NeedKind.OUTPUT, what, name, _BIND)


def absent_backends(method: Method, target: Target) -> dict[str, int]:
    """The backends of the delegates that the target's profile does not list, each with the index
    of its first delegate.

    Every delegate in the table is initialised when the method is loaded, called or not.
    """
    profile = target.profile
    if not profile.kernels and not profile.backends:
        return {}
    found: dict[str, int] = {}
    for index, delegate in enumerate(method.plan.delegates or ()):
        name = delegate.id.split("\0", 1)[0] if delegate.id is not None else None
        if name is not None and name not in profile.backends:
            found.setdefault(name, index)
    return found


def device_inputs(method: Method) -> dict[Device, list[int]]:
    """Positions of the inputs that a caller must have on a device, by device."""
    found: dict[Device, list[int]] = {}
    for position, v in enumerate(method.inputs):
        if is_callers(method, v) and not method.tag(v).is_host:
            found.setdefault(method.tag(v), []).append(position)
    return found


def unplanned_outputs(method: Method) -> dict[Device, list[int]]:
    """Positions of the outputs that have no memory until the caller gives some, by device."""
    found: dict[Device, list[int]] = {}
    for position, v in enumerate(method.outputs):
        if is_callers(method, v) and not method.is_input[v] and method.nbytes(v):
            found.setdefault(method.tag(v), []).append(position)
    return found


def is_callers(method: Method, v: int) -> bool:
    """Whether a tensor's memory is the caller's: it has neither a place in an arena nor data."""
    tensor = method.tensor(v)
    if tensor is None or method.is_external(v):
        return False
    return tensor.allocation_info is None and tensor.data_buffer_idx == 0


def _listed(noun: str, positions: list[int]) -> str:
    shown = ", ".join(map(str, positions[:_SHOWN])) + (", ..." if len(positions) > _SHOWN else "")
    return f"{noun}{'s' if len(positions) > 1 else ''} {shown}"
