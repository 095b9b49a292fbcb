"""Constants outside the program, mutable buffers, several methods, bundled programs."""

from __future__ import annotations

from typing import Any

import torch
from executorch.devtools import BundledProgram
from executorch.devtools.bundled_program.config import MethodTestCase, MethodTestSuite
from executorch.devtools.bundled_program.serialize import (
    serialize_from_bundled_program_to_flatbuffer,
)
from executorch.exir import ExecutorchProgramManager
from executorch.exir.passes.init_mutable_pass import InitializedMutableBufferPass

from .clean_models import Mlp, one, seeded
from .lowering import lower, planning, pte_with_calls
from .registry import Exported, recipe


class Counter(torch.nn.Module):
    """Adds x to a buffer and returns the sum."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("total", torch.zeros(2, 3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.total.add_(x)
        return self.total * 2


class StartedCounter(Counter):
    """A counter that does not start at zero."""

    def __init__(self) -> None:
        super().__init__()
        self.total += torch.arange(6.0).reshape(2, 3)


class Cache(torch.nn.Module):
    """A key cache written at a position (index_put in place)."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("cache", torch.zeros(8, 4))

    def forward(self, row: torch.Tensor, position: torch.Tensor) -> torch.Tensor:
        self.cache[position] = row
        return self.cache.sum(dim=0)


class Half(torch.nn.Module):
    """Half of a module: the encoder or the decoder of one Mlp."""

    def __init__(self, parent: Mlp, part: str) -> None:
        super().__init__()
        self.layer = getattr(parent, part)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.layer(x))


class SharedState(torch.nn.Module):
    """Holds a buffer that two methods read and write."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("state", torch.zeros(2, 3))


class Put(torch.nn.Module):
    """Writes the shared state."""

    def __init__(self, shared: SharedState) -> None:
        super().__init__()
        self.shared = shared

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.shared.state.copy_(x)
        return x + 1


class Take(torch.nn.Module):
    """Reads the shared state and adds to it."""

    def __init__(self, shared: SharedState) -> None:
        super().__init__()
        self.shared = shared

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.shared.state.add_(x)
        return self.shared.state * 2


def _data_files(manager: ExecutorchProgramManager) -> dict[str, bytes]:
    """The program's .ptd files by suffix; the default file has no name of its own."""
    return {
        ".ptd" if name == "_default_external_constant" else f".{name}.ptd": bytes(cord)
        for name, cord in sorted(manager._tensor_data.items())
    }


def _external(choose: Any) -> Exported:
    methods = one(seeded(Mlp), torch.ones(2, 8))
    manager = lower(methods, external_constants=choose)
    return pte_with_calls(manager, methods, **_data_files(manager))


@recipe("clean", how="external_constants=True: all constants in a .ptd")
def external_constants() -> Exported:
    return _external(True)


@recipe("clean", how="external_constants by a function: only the biases in a .ptd")
def external_biases() -> Exported:
    return _external(lambda node: "biases" if node.name.endswith("bias") else None)


@recipe("clean", how="a mutable buffer without initial state")
def mutable_buffer() -> Exported:
    manager = lower(one(Counter(), torch.ones(2, 3)))
    return pte_with_calls(manager, one(Counter(), torch.ones(2, 3)))


@recipe("clean", how="a mutable buffer with its initial state (InitializedMutableBufferPass)")
def mutable_initial_state() -> Exported:
    manager = lower(
        one(StartedCounter(), torch.ones(2, 3)), passes=[InitializedMutableBufferPass(["total"])]
    )
    return pte_with_calls(manager, one(StartedCounter(), torch.ones(2, 3)))


@recipe("clean", how="a mutable buffer with its name in the file (emit_mutable_buffer_names)")
def mutable_named() -> Exported:
    manager = lower(one(Counter(), torch.ones(2, 3)), emit_mutable_buffer_names=True)
    return pte_with_calls(manager, one(Counter(), torch.ones(2, 3)))


class WholeRows(Cache):
    """The same with as many rows as positions, none of them broadcast."""

    def forward(self, row: torch.Tensor, position: torch.Tensor) -> torch.Tensor:
        self.cache.index_put_((position,), row)
        return self.cache.sum(dim=0)


def _cache(kind: type[Cache] = Cache, **settings: Any) -> Exported:
    inputs = (torch.ones(1, 4), torch.tensor([3]))
    return pte_with_calls(lower(one(kind(), *inputs), **settings), one(kind(), *inputs))


@recipe("clean", how="a cache written at a position: index_put, then copied back")
def cache_index_put() -> Exported:
    return _cache()


@recipe("clean", how="a cache written at a position, run_reinplace_pass=True: index_put in place")
def cache_in_place() -> Exported:
    return _cache(WholeRows, run_reinplace_pass=True)


@recipe(
    "refused",
    how="cache[position] = row with run_reinplace_pass=True: the row is broadcast",
    intent="the in-place index_put kernel refuses broadcast values at execute (InvalidArgument)",
)
def cache_in_place_broadcast() -> Exported:
    return _cache(run_reinplace_pass=True)


@recipe("clean", how="two methods with constants of their own and one in common")
def several_methods() -> Exported:
    parent = seeded(Mlp)
    methods = {
        "encode": (Half(parent, "first"), (torch.ones(2, 8),)),
        "decode": (Half(parent, "second"), (torch.ones(2, 16),)),
        "forward": (parent, (torch.ones(2, 8),)),
    }
    return pte_with_calls(lower(methods), methods)


@recipe("clean", how="two methods over one buffer (share_mutable_buffers=True)")
def shared_state() -> Exported:
    def methods() -> dict[str, Any]:
        shared = SharedState()
        return {
            "put": (Put(shared), (torch.ones(2, 3),)),
            "take": (Take(shared), (torch.ones(2, 3),)),
        }

    plan = planning(share_mutable_buffers=True)
    manager = lower(methods(), memory_planning_pass=plan)
    # Each call starts from the initial state, on both sides.
    calls = {"put": methods()["put"], "take": methods()["take"]}
    return pte_with_calls(manager, calls)


@recipe("clean", how="a BundledProgram of a linear layer with two test cases")
def bundled_linear() -> Exported:
    module = seeded(torch.nn.Linear, 4, 3)
    inputs = [(torch.ones(2, 4),), (torch.arange(8.0).reshape(2, 4),)]
    manager = lower(one(module, *inputs[0]))
    with torch.no_grad():
        cases = [MethodTestCase(inputs=list(i), expected_outputs=[module(*i)]) for i in inputs]
    bundled = BundledProgram(manager, [MethodTestSuite("forward", cases)])
    return Exported({".bpte": serialize_from_bundled_program_to_flatbuffer(bundled)})
