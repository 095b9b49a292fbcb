# ruff: noqa: TID251 - what exports imports PyTorch
"""Exports models of many kinds, for the table of what planning memory again saves.

    python benchmarks/replan_models.py FOLDER            # needs PyTorch and ExecuTorch
    python -m benchmarks.replan FOLDER --docs docs/fix.md

Every model is drawn from its number, and so the same everywhere. Models with device delegates use
the test partitioners of the ExecuTorch package.
"""

from __future__ import annotations

import argparse
import random
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from executorch.exir import EdgeCompileConfig, ExecutorchBackendConfig, to_edge_transform_and_lower
from executorch.exir.backend.test.device_util import DeviceAwarePartitioner
from executorch.exir.passes import MemoryPlanningPass
from executorch.exir.passes.propagate_device_config import PropagateDeviceConfig
from torch import Tensor, nn

EACH = 9
"""Models of each kind."""


class Graph(nn.Module):
    """A random graph of elementwise operators and additions, residual connections included."""

    def __init__(self, rng: random.Random, adds: float = 0.3) -> None:
        """Draws the graph."""
        super().__init__()
        self.steps: list[tuple[str, int, int]] = []
        count = rng.randint(4, 14)
        for n in range(count):
            kind = "add" if rng.random() < adds else rng.choice(("sin", "relu", "mul", "cat"))
            # Mostly what is near: what is far stays alive long.
            first = max(0, n + 1 - rng.randint(1, 4))
            self.steps.append((kind, rng.randint(0, n + 1), first))
        self.returned = rng.sample(range(1, count + 2), rng.randint(1, 2))

    def forward(self, x: Tensor, y: Tensor) -> tuple[Tensor, ...]:
        """Runs the graph."""
        values = [x, y]
        for kind, one, other in self.steps:
            a, b = values[one], values[other]
            match kind:
                case "add":
                    values.append(a + b)
                case "mul":
                    values.append(a * b)
                case "cat":
                    values.append(torch.cat((a, b), 0)[: x.shape[0]])
                case "sin":
                    values.append(torch.sin(a))
                case _:
                    values.append(torch.relu(a))
        return tuple(values[n] for n in self.returned)


class Mlp(nn.Module):
    """Linear layers of random widths with residual connections."""

    def __init__(self, rng: random.Random) -> None:
        """Draws the widths."""
        super().__init__()
        width = rng.choice((8, 16, 24))
        inner = [rng.choice((4, 16, 40, 64)) for _ in range(rng.randint(1, 4))]
        self.up = nn.ModuleList(nn.Linear(width, n) for n in inner)
        self.down = nn.ModuleList(nn.Linear(n, width) for n in inner)
        self.width = width

    def forward(self, x: Tensor) -> Tensor:
        """Runs the layers."""
        for up, down in zip(self.up, self.down, strict=True):
            x = x + down(torch.relu(up(x)))
        return x


class Convolutions(nn.Module):
    """Convolutions of two branches, pooled."""

    def __init__(self, rng: random.Random) -> None:
        """Draws the channels."""
        super().__init__()
        a, b = rng.choice((2, 4, 8)), rng.choice((2, 3, 6))
        self.first = nn.Conv2d(3, a, 3, padding=1)
        self.second = nn.Conv2d(a, b, 3, padding=1, stride=rng.choice((1, 2)))
        self.third = nn.Conv2d(a, b, 1, stride=self.second.stride)
        self.norm = nn.BatchNorm2d(b)

    def forward(self, x: Tensor) -> Tensor:
        """Runs the network."""
        x = torch.relu(self.first(x))
        x = torch.relu(self.norm(self.second(x))) + self.third(x)
        return x.mean((2, 3))


class Attention(nn.Module):
    """One block of a transformer."""

    def __init__(self, rng: random.Random) -> None:
        """Draws the width."""
        super().__init__()
        self.width, self.heads = rng.choice((8, 16)), rng.choice((1, 2, 4))
        self.qkv = nn.Linear(self.width, 3 * self.width)
        self.out = nn.Linear(self.width, self.width)
        self.norm = nn.LayerNorm(self.width)
        self.mlp = Mlp(rng)
        self.fit = nn.Linear(self.width, self.mlp.width)

    def forward(self, x: Tensor) -> Tensor:
        """Runs the block."""
        n, t, _ = x.shape
        parts = self.qkv(self.norm(x)).view(n, t, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        q, k, v = parts[0], parts[1], parts[2]
        weights = torch.softmax(q @ k.transpose(-1, -2), -1)
        x = x + self.out((weights @ v).transpose(1, 2).reshape(n, t, self.width))
        return self.mlp(self.fit(x))


class Branches(nn.Module):
    """A condition between two graphs of different needs."""

    def __init__(self, rng: random.Random) -> None:
        """Draws both branches."""
        super().__init__()
        self.one, self.other = rng.randint(1, 4), rng.randint(1, 4)

    def forward(self, x: Tensor) -> Tensor:
        """Runs one of them."""

        def one(x: Tensor) -> Tensor:
            y = x
            for _ in range(self.one):
                y = torch.sin(y) + x
            return y

        def other(x: Tensor) -> Tensor:
            y = torch.cat((x, x), 0)
            for _ in range(self.other):
                y = torch.relu(y) * 2.0
            return y[: x.shape[0]] + 1.0

        z = torch.sin(x)
        return torch.cond(x.sum() > 0, one, other, (z,)) + x


class Mapped(nn.Module):
    """A loop over the rows of its input."""

    def __init__(self, rng: random.Random) -> None:
        """Draws the body."""
        super().__init__()
        self.depth = rng.randint(1, 5)

    def forward(self, xs: Tensor, y: Tensor) -> Tensor:
        """Runs the loop."""
        from torch._higher_order_ops.map import map as loop

        def body(x: Tensor, y: Tensor) -> Tensor:
            for _ in range(self.depth):
                x = torch.sin(x) + y
            return x

        result: Tensor = loop(body, xs, y) * 2.0
        return result


class Scanned(nn.Module):
    """A recurrence with a carried value."""

    def __init__(self, rng: random.Random) -> None:
        """Draws the body."""
        super().__init__()
        self.depth = rng.randint(1, 4)

    def forward(self, init: Tensor, xs: Tensor) -> tuple[Tensor, Tensor]:
        """Runs the recurrence."""
        from torch._higher_order_ops.scan import scan

        def body(carry: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
            y = carry
            for _ in range(self.depth):
                y = torch.sin(y) + x
            return y + carry, y * 1.0

        return scan(body, init, xs)  # type: ignore[no-any-return]


class Recurrent(nn.Module):
    """A GRU unrolled by the exporter."""

    def __init__(self, rng: random.Random) -> None:
        """Draws the width."""
        super().__init__()
        self.width = rng.choice((4, 8))
        self.cell = nn.GRUCell(self.width, self.width)
        self.steps = rng.randint(2, 4)

    def forward(self, x: Tensor, h: Tensor) -> Tensor:
        """Runs the steps."""
        for _ in range(self.steps):
            h = self.cell(x, h)
        return h


class Stateful(nn.Module):
    """A buffer that is written in every call."""

    def __init__(self, rng: random.Random) -> None:
        """Draws the graph."""
        super().__init__()
        self.register_buffer("sum", torch.zeros(4, 8))
        self.graph = Graph(rng)

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        """Runs the graph and adds to the buffer."""
        out = self.graph(x, y)[0]
        self.sum.add_(out)
        return torch.sin(self.sum) + x


Case = tuple[nn.Module, tuple[Tensor, ...], dict[str, Any]]


def _rows(rng: random.Random) -> tuple[Tensor, Tensor]:
    rows = rng.choice((2, 4, 8))
    return torch.randn(rows, 8), torch.randn(rows, 8)


def _batch() -> Any:
    return torch.export.Dim("batch", min=2, max=32)


def _dynamic(rng: random.Random) -> Case:
    model = Mlp(rng)
    return model, (torch.randn(4, model.width),), {"dynamic_shapes": ({0: _batch()},)}


def _xnnpack(rng: random.Random) -> Case:
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner

    model = rng.choice((Mlp, Convolutions))(rng)
    given = torch.randn(2, model.width) if isinstance(model, Mlp) else torch.randn(1, 3, 8, 8)
    return model, (given,), {"partitioner": [XnnpackPartitioner()]}


def _device(rng: random.Random) -> Case:
    device = rng.choice(("cuda:0", "cuda:1"))
    return Graph(rng, 0.6), _rows(rng), {"partitioner": [DeviceAwarePartitioner(device)]}


def _device_skipped(rng: random.Random) -> Case:
    model, given, options = _device(rng)
    config = ExecutorchBackendConfig(
        propagate_device_config=PropagateDeviceConfig(skip_h2d_for_method_inputs=True),
        memory_planning_pass=MemoryPlanningPass(alloc_graph_input=False),
    )
    return model, given, {**options, "config": config}


def _mlp(rng: random.Random) -> Case:
    model = Mlp(rng)
    return model, (torch.randn(3, model.width),), {}


def _attention(rng: random.Random) -> Case:
    model = Attention(rng)
    return model, (torch.randn(1, 6, model.width),), {}


def _recurrent(rng: random.Random) -> Case:
    model = Recurrent(rng)
    return model, (torch.randn(2, model.width), torch.randn(2, model.width)), {}


KINDS: dict[str, Callable[[random.Random], Case]] = {
    "attention": _attention,
    "cond": lambda rng: (Branches(rng), (torch.randn(4, 8),), {}),
    "convolutions": lambda rng: (Convolutions(rng), (torch.randn(1, 3, 12, 12),), {}),
    "device": _device,
    "device, inputs given there": _device_skipped,
    "dynamic": _dynamic,
    "graph": lambda rng: (Graph(rng), _rows(rng), {}),
    "map": lambda rng: (Mapped(rng), (torch.randn(4, 6), torch.randn(6)), {}),
    "mlp": _mlp,
    "recurrent": _recurrent,
    "scan": lambda rng: (Scanned(rng), (torch.randn(4), torch.randn(5, 4)), {}),
    "state": lambda rng: (Stateful(rng), (torch.randn(4, 8), torch.randn(4, 8)), {}),
    "xnnpack": _xnnpack,
}


def export(kind: str, number: int) -> bytes:
    """One model as a program."""
    rng = random.Random(f"{kind}/{number}")
    torch.manual_seed(number)
    model, given, options = KINDS[kind](rng)
    exported = torch.export.export(
        model.eval(), given, dynamic_shapes=options.get("dynamic_shapes"), strict=False
    )
    edge = to_edge_transform_and_lower(
        exported,
        partitioner=options.get("partitioner", []),
        compile_config=EdgeCompileConfig(_check_ir_validity=False),
    )
    program = edge.to_executorch(options.get("config", ExecutorchBackendConfig()))
    return bytes(program.buffer)


def main() -> None:
    """Exports all models into a folder."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--each", type=int, default=EACH, help="models of each kind")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for kind in KINDS:
        for number in range(options.each):
            path = options.folder / f"{kind.replace(', ', '-').replace(' ', '_')}.{number}.pte"
            if path.exists():
                continue
            try:
                path.write_bytes(export(kind, number))
            except Exception:
                print(f"{kind} {number} could not be exported:", flush=True)
                traceback.print_exc(limit=-1)


if __name__ == "__main__":
    main()
