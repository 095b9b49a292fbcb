"""Small networks of many architectures, each with an example input."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 - PyTorch's own abbreviation
from torch import Tensor, nn

IMAGE = (2, 8, 16, 16)
Make = Callable[[], nn.Module]


class Fn(nn.Module):
    """A function of one tensor, between two convolutions if there are any."""

    def __init__(self, body: Callable[[Tensor], Tensor], before: int = 0, after: int = 0) -> None:
        super().__init__()
        self.body = body
        self.before = nn.Conv2d(8, before, 3, padding=1) if before else nn.Identity()
        self.after = nn.Conv2d(after, 4, 1) if after else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        """Convolution, the function, convolution."""
        out: Tensor = self.after(self.body(self.before(x)))
        return out


def conv(inputs: int, outputs: int, kernel: int = 3, **options: int) -> nn.Sequential:
    """Convolution, normalisation, ReLU."""
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, kernel, padding=kernel // 2, bias=False, **options),
        nn.BatchNorm2d(outputs),
        nn.ReLU(),
    )


class Residual(nn.Module):
    """A residual block; `gate` makes it a squeeze-and-excitation one."""

    def __init__(self, width: int = 8, gate: bool = False) -> None:
        super().__init__()
        self.body = nn.Sequential(conv(width, width), nn.Conv2d(width, width, 3, padding=1))
        self.gate = gate
        self.squeeze, self.excite = nn.Conv2d(width, 4, 1), nn.Conv2d(4, width, 1)

    def forward(self, x: Tensor) -> Tensor:
        """Adds the input to what the body makes of it."""
        y: Tensor = self.body(x)
        if self.gate:
            pooled = F.adaptive_avg_pool2d(y, 1)
            y = y * torch.sigmoid(self.excite(F.relu(self.squeeze(pooled))))
        return F.relu(x + y)


class Fire(nn.Module):
    """SqueezeNet's block."""

    def __init__(self) -> None:
        super().__init__()
        self.squeeze = nn.Conv2d(8, 4, 1)
        self.one, self.three = nn.Conv2d(4, 8, 1), nn.Conv2d(4, 8, 3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        """Two convolutions side by side."""
        x = F.relu(self.squeeze(x))
        return torch.cat([F.relu(self.one(x)), F.relu(self.three(x))], 1)


class Dense(nn.Module):
    """DenseNet's block."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList([conv(8 + 4 * n, 4) for n in range(3)])

    def forward(self, x: Tensor) -> Tensor:
        """Every layer sees all that came before."""
        for layer in self.layers:
            x = torch.cat([x, layer(x)], 1)
        return x


class UNet(nn.Module):
    """Down, up, and across."""

    def __init__(self, mode: str, join: str = "cat") -> None:
        super().__init__()
        self.down, self.low = conv(8, 8), conv(8, 8)
        self.up = conv(16 if join == "cat" else 8, 8)
        self.mode, self.join = mode, join
        self.transposed = nn.ConvTranspose2d(8, 8, 2, 2)

    def forward(self, x: Tensor) -> Tensor:
        """One level."""
        skip = self.down(x)
        y = self.low(F.max_pool2d(skip, 2))
        y = (
            self.transposed(y)
            if self.mode == "conv"
            else F.interpolate(y, scale_factor=2.0, mode=self.mode)
        )
        out: Tensor = self.up(torch.cat([skip, y], 1) if self.join == "cat" else skip + y)
        return out


class Shuffle(nn.Module):
    """ShuffleNet's unit."""

    def __init__(self) -> None:
        super().__init__()
        self.branch = nn.Sequential(conv(4, 4, 1), nn.Conv2d(4, 4, 3, padding=1, groups=4))

    def forward(self, x: Tensor) -> Tensor:
        """Half of the channels pass by, then all are shuffled."""
        one, other = x.chunk(2, 1)
        x = torch.cat([one, self.branch(other)], 1)
        n, c, h, w = x.shape
        return x.view(n, 2, c // 2, h, w).transpose(1, 2).reshape(n, c, h, w)


class Attention(nn.Module):
    """Patches of an image that look at each other."""

    def __init__(self, heads: int = 2) -> None:
        super().__init__()
        self.patch = nn.Conv2d(8, 16, 4, 4)
        self.layer = nn.TransformerEncoderLayer(16, heads, 32, 0.0, batch_first=True)
        self.head = nn.Linear(16, 5)

    def forward(self, x: Tensor) -> Tensor:
        """A vision transformer of one layer."""
        tokens = self.patch(x).flatten(2).transpose(1, 2)
        out: Tensor = self.head(self.layer(tokens).mean(1))
        return out


class Normalise(nn.Module):
    """Mean and deviation by channel, as images are prepared."""

    def __init__(self, mean: tuple[float, ...], std: tuple[float, ...]) -> None:
        super().__init__()
        self.register_buffer("mean", torch.tensor(mean).view(1, -1, 1, 1))
        self.register_buffer("std", torch.tensor(std).view(1, -1, 1, 1))
        self.conv = nn.Conv2d(3, 4, 3)

    def forward(self, x: Tensor) -> Tensor:
        """Normalises, then convolves."""
        out: Tensor = self.conv((x - self.mean) / self.std)
        return out


class Recurrent(nn.Module):
    """A recurrent layer over rows."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.layer = getattr(nn, kind)(8, 12, batch_first=True)

    def forward(self, x: Tensor) -> Tensor:
        """The outputs of the last layer."""
        out: Tensor = self.layer(x)[0]
        return out


def _window(x: Tensor) -> Tensor:
    n, c, h, w = x.shape
    x = torch.roll(x, (2, 2), (2, 3)).view(n, c, h // 4, 4, w // 4, 4)
    return x.permute(0, 2, 4, 3, 5, 1).reshape(-1, 16, c).softmax(1)


IMAGES: dict[str, Make] = {
    "plain convolutions": lambda: nn.Sequential(conv(8, 8), conv(8, 8)),
    "residual": Residual,
    "squeeze and excite": lambda: Residual(gate=True),
    "fire": Fire,
    "dense": Dense,
    "unet nearest": lambda: UNet("nearest"),
    "unet bilinear": lambda: UNet("bilinear"),
    "unet transposed": lambda: UNet("conv"),
    "fpn": lambda: UNet("nearest", "add"),
    "shuffle": Shuffle,
    "mobile": lambda: nn.Sequential(conv(8, 8, groups=8), nn.Conv2d(8, 8, 1), nn.Hardswish()),
    "vision transformer": Attention,
    "dilated": lambda: nn.Sequential(nn.Conv2d(8, 8, 3, padding=2, dilation=2), nn.ReLU6()),
    "inception": lambda: Fn(lambda x: torch.cat([F.avg_pool2d(x, 3, 1, 1), x], 1), 8, 16),
    "max and mean pool": lambda: Fn(lambda x: torch.cat([x.amax((2, 3)), x.mean((2, 3))], 1), 8),
    "global mean": lambda: Fn(lambda x: x.mean((2, 3)), 8),
    "global mean kept": lambda: Fn(lambda x: x.mean((2, 3), keepdim=True), 8, 8),
    "flatten": lambda: Fn(lambda x: x.flatten(1), 8),
    "flatten pooled": lambda: Fn(lambda x: F.adaptive_avg_pool2d(x, 1).flatten(1), 8),
    "pixel shuffle": lambda: Fn(lambda x: F.pixel_shuffle(x, 2), 16, 4),
    "pixel unshuffle": lambda: Fn(lambda x: F.pixel_unshuffle(x, 2), 8, 32),
    "flip": lambda: Fn(lambda x: x + x.flip(3), 8, 8),
    "roll": lambda: Fn(lambda x: torch.roll(x, 1, 2), 8, 8),
    "windows": lambda: Fn(_window, 8),
    "log softmax": lambda: Fn(lambda x: F.log_softmax(x, 1), 8),
    "softmax": lambda: Fn(lambda x: F.softmax(x, 1), 8),
    "layer norm": lambda: nn.Sequential(nn.Conv2d(8, 8, 3, padding=1), nn.LayerNorm([8, 16, 16])),
    "layer norm last": lambda: Fn(
        lambda x: F.layer_norm(x.permute(0, 2, 3, 1), (8,)).permute(0, 3, 1, 2), 8, 8
    ),
    "group norm": lambda: nn.Sequential(nn.Conv2d(8, 8, 3), nn.GroupNorm(2, 8)),
    "instance norm": lambda: nn.Sequential(nn.Conv2d(8, 8, 3), nn.InstanceNorm2d(8)),
    "local response": lambda: nn.Sequential(nn.Conv2d(8, 8, 3), nn.LocalResponseNorm(2)),
    "prelu": lambda: nn.Sequential(nn.Conv2d(8, 8, 3), nn.PReLU(8)),
    "gelu": lambda: nn.Sequential(nn.Conv2d(8, 8, 3), nn.GELU(), nn.Conv2d(8, 8, 1)),
    "mish": lambda: nn.Sequential(nn.Conv2d(8, 8, 3), nn.Mish(), nn.ELU(), nn.SiLU()),
    "argmax": lambda: Fn(lambda x: x.argmax(1), 8),
    "channel maximum": lambda: Fn(lambda x: x.max(1).values, 8),
    "topk": lambda: Fn(lambda x: x.topk(3, 1).values, 8),
    "cumsum": lambda: Fn(lambda x: x.cumsum(2), 8, 8),
    "variance": lambda: Fn(lambda x: x.var((2, 3), keepdim=True), 8, 8),
    "deviation by channel": lambda: Fn(lambda x: x.std(1, keepdim=True), 8),
    "norm": lambda: Fn(lambda x: F.normalize(x, dim=1), 8, 8),
    "constant pad": lambda: Fn(lambda x: F.pad(x, (1, 1, 2, 0)), 8, 8),
    "reflection pad": lambda: Fn(lambda x: F.pad(x, (1, 1, 1, 1), mode="reflect"), 8, 8),
    "replication pad": lambda: Fn(lambda x: F.pad(x, (1, 1, 1, 1), mode="replicate"), 8, 8),
    "slice rows": lambda: Fn(lambda x: x[:, :, 2:10], 8, 8),
    "slice channels": lambda: Fn(lambda x: x[:, 2:6], 8, 4),
    "slice batch": lambda: Fn(lambda x: x[:1], 8, 8),
    "strided slice": lambda: Fn(lambda x: x[..., ::2], 8, 8),
    "split and glu": lambda: Fn(lambda x: F.glu(x, 1), 16, 8),
    "chunk": lambda: Fn(lambda x: x.chunk(2, 1)[0] * x.chunk(2, 1)[1], 16, 8),
    "stack": lambda: Fn(lambda x: torch.stack([x, x * 2], 1).sum(1), 8, 8),
    "unsqueeze": lambda: Fn(lambda x: x.unsqueeze(1).expand(-1, 2, -1, -1, -1).mean(1), 8, 8),
    "select": lambda: Fn(lambda x: x[:, 0], 8),
    "gather": lambda: Fn(lambda x: x.gather(1, torch.zeros(2, 2, 16, 16, dtype=torch.int64)), 8, 2),
    "where": lambda: Fn(lambda x: torch.where(x > 0, x, x * 0.1), 8, 8),
    "masked fill": lambda: Fn(lambda x: x.masked_fill(x < 0, 0.5), 8, 8),
    "clamp": lambda: Fn(lambda x: x.clamp(-0.5, 0.5), 8, 8),
    "grid sample": lambda: Fn(
        lambda x: F.grid_sample(x, x[:, :2].permute(0, 2, 3, 1), align_corners=False), 8
    ),
    "unfold": lambda: Fn(lambda x: x.unfold(2, 4, 4).mean(-1), 8),
    "channel scale": lambda: Fn(lambda x: x * torch.arange(8.0).view(1, 8, 1, 1), 8, 8),
    "row scale": lambda: Fn(lambda x: x * torch.arange(16.0).view(16, 1), 8, 8),
    "position": lambda: Fn(lambda x: x + torch.linspace(0, 1, 256).view(1, 1, 16, 16), 8, 8),
    "half up": lambda: Fn(lambda x: F.interpolate(x, scale_factor=1.5, mode="bilinear"), 8, 8),
    "matrix product": lambda: Fn(lambda x: x @ x.transpose(2, 3), 8),
    "gram": lambda: Fn(lambda x: x.flatten(2) @ x.flatten(2).transpose(1, 2), 8),
    "einsum": lambda: Fn(lambda x: torch.einsum("nchw,ncxw->nhx", x, x), 8),
    "to rows": lambda: Fn(lambda x: x.permute(0, 2, 3, 1).reshape(2, -1, 8), 8),
    "average pool": lambda: nn.Sequential(nn.Conv2d(8, 8, 3), nn.AvgPool2d(2)),
    "adaptive pool": lambda: nn.Sequential(nn.Conv2d(8, 8, 3), nn.AdaptiveAvgPool2d(4)),
    "autoencoder": lambda: nn.Sequential(conv(8, 4), nn.ConvTranspose2d(4, 8, 3, 2, 1, 1)),
}
"""Networks of images of sizes `IMAGE`, by name."""

OTHERS: dict[str, tuple[Make, tuple[int, ...]]] = {
    "normalise": (lambda: Normalise((0.48, 0.45, 0.4), (0.2, 0.22, 0.3)), (1, 3, 12, 12)),
    "normalise halves": (lambda: Normalise((0.5, 0.5, 0.5), (0.5, 0.5, 0.5)), (1, 3, 12, 12)),
    "one channel": (lambda: nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU()), (1, 1, 12, 12)),
    "one pixel": (lambda: nn.Conv2d(8, 4, 1), (2, 8, 1, 1)),
    "perceptron": (lambda: nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 4)), (3, 8)),
    "transformer": (lambda: nn.TransformerEncoderLayer(8, 2, 16, 0.0, batch_first=True), (2, 5, 8)),
    "lstm": (lambda: Recurrent("LSTM"), (2, 5, 8)),
    "gru": (lambda: Recurrent("GRU"), (2, 5, 8)),
    "rnn": (lambda: Recurrent("RNN"), (2, 5, 8)),
    "temporal": (lambda: nn.Sequential(nn.Conv1d(8, 8, 3, dilation=2), nn.GLU(1)), (2, 8, 20)),
    "volume": (lambda: nn.Sequential(nn.Conv3d(2, 4, 3), nn.ReLU()), (1, 2, 6, 6, 6)),
    "mixer": (
        lambda: nn.Sequential(nn.LayerNorm(8), nn.Linear(8, 8), nn.GELU(), nn.Linear(8, 8)),
        (2, 16, 8),
    ),
}
"""Networks of inputs of other sizes."""


def networks() -> Iterator[tuple[str, Make, tuple[int, ...]]]:
    """All of them: name, maker, sizes of the input."""
    for name, make in IMAGES.items():
        yield name, make, IMAGE
    for name, (make, sizes) in OTHERS.items():
        yield name, make, sizes


def _import_torchvision() -> Any:
    """torchvision, even where its compiled operators do not load: no network here needs them."""
    try:
        import torchvision.models
    except RuntimeError:
        import re
        import sys

        for name in [n for n in sys.modules if n.startswith("torchvision")]:
            del sys.modules[name]
        library = torch.library.Library("torchvision", "DEF")
        _LIBRARIES.append(library)
        while True:
            try:
                import torchvision.models
            except RuntimeError as error:
                missing = re.search(r"torchvision::(\w+)", str(error))
                if missing is None:
                    raise
                library.define(f"{missing[1]}(Tensor x) -> Tensor")
                for name in [n for n in sys.modules if n.startswith("torchvision")]:
                    del sys.modules[name]
            else:
                break
    return torchvision.models


_LIBRARIES: list[Any] = []


def torchvision_networks() -> Iterator[tuple[str, Make, tuple[int, ...]]]:
    """Networks of torchvision with random weights, on small images."""
    models = _import_torchvision()
    small = (1, 3, 64, 64)
    plain = (
        *("alexnet", "vgg11", "vgg11_bn", "vgg13", "resnet18", "resnet34", "resnet50"),
        *("resnext50_32x4d", "wide_resnet50_2", "squeezenet1_0", "squeezenet1_1"),
        *("densenet121", "densenet169", "shufflenet_v2_x0_5", "shufflenet_v2_x1_0"),
        *("shufflenet_v2_x1_5", "mobilenet_v2", "mobilenet_v3_small", "mobilenet_v3_large"),
        *("mnasnet0_5", "mnasnet0_75", "mnasnet1_0", "efficientnet_b0", "efficientnet_b1"),
        *("efficientnet_v2_s", "regnet_y_400mf", "regnet_y_800mf", "regnet_x_400mf"),
        *("regnet_x_800mf", "convnext_tiny", "swin_t", "swin_v2_t"),
    )
    for name in plain:
        yield name, lambda name=name: getattr(models, name)(weights=None), small
    yield (
        "googlenet",
        lambda: models.googlenet(weights=None, aux_logits=False, init_weights=False),
        small,
    )
    yield (
        "inception_v3",
        lambda: models.inception_v3(weights=None, aux_logits=False, init_weights=False),
        (1, 3, 96, 96),
    )
    yield (
        "vit",
        lambda: models.VisionTransformer(64, 16, 2, 2, 32, 64),
        small,
    )
    for name in ("lraspp_mobilenet_v3_large", "deeplabv3_mobilenet_v3_large", "fcn_resnet50"):
        yield name, lambda name=name: _Segmentation(name), small


class _Segmentation(nn.Module):
    def __init__(self, name: str) -> None:
        super().__init__()
        segmentation = _import_torchvision().segmentation
        self.net = getattr(segmentation, name)(weights=None, weights_backbone=None)

    def forward(self, x: Tensor) -> Tensor:
        """The classes of pixels."""
        out: Tensor = self.net(x)["out"]
        return out
