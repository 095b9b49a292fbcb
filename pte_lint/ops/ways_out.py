"""What to do in the model where a kernel cannot make a call, by what it objects to.

What is written here in place of an operator was exported and run: its results are PyTorch's
(torch 2.13, executorch 1.5.1).
"""

from __future__ import annotations

from typing import Final

from pte_lint.ops.checks.call import Cause, Refused

_DELEGATE: Final = """\
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
    from executorch.exir import to_edge_transform_and_lower

    edge = to_edge_transform_and_lower(exported, partitioner=[XnnpackPartitioner()])"""

_SHAPES: Final = """\
These sizes do not go together. If PyTorch runs the model with them, the kernel is not made for
them: write the operator in another way, or delegate it. Else a pass changed one tensor and not its
neighbours, or the file was edited after it was written: take an intact copy, or export again:

    with open("model.pte", "wb") as file:
        edge.to_executorch().write_to_file(file)"""

_RANK: Final = f"""\
No kernel of the runtime is made for tensors of this rank, and no export setting changes that. Write
the operator with others in the model, or delegate it to a backend that takes such tensors:

{_DELEGATE}"""

_UNSUPPORTED: Final = f"""\
PyTorch takes this argument and no kernel of the runtime does; no export setting changes that. Write
the operator in another way in the model, or delegate it to a backend that takes it:

{_DELEGATE}"""

_TYPES: Final = """\
Either a pass changed one tensor's element type and not its neighbours', or the kernel is not made
for the type. Export the model in a type that kernels take, or delegate the operator:

    inputs = tuple(x.float() if x.is_floating_point() else x for x in inputs)
    exported = torch.export.export(model.float(), inputs)"""

_COMPLEX: Final = """\
Few kernels are made for complex numbers. Compute with the real and the imaginary parts, or delegate
the operator:

    x = torch.view_as_real(x)"""

_ORDER: Final = """\
The kernel takes tensors in the default dimension order only, or all in the same one. Export the
model and its inputs without channels-last, or delegate the operator:

    model = model.to(memory_format=torch.contiguous_format)
    inputs = tuple(x.contiguous() for x in inputs)
    exported = torch.export.export(model, inputs)"""

_IN_PLACE: Final = """\
The kernel does less in place than into a tensor of its own. Export without the pass that makes
operators work in place:

    from executorch.exir import ExecutorchBackendConfig

    config = ExecutorchBackendConfig(run_reinplace_pass=False)
    edge.to_executorch(config)"""

_BY_CAUSE: Final = {
    Cause.SHAPES: _SHAPES,
    Cause.RANK: _RANK,
    Cause.UNSUPPORTED: _UNSUPPORTED,
    Cause.TYPES: _TYPES,
    Cause.ORDER: _ORDER,
    Cause.IN_PLACE: _IN_PLACE,
}

_CONV3D: Final = """\
No kernel of the runtime convolves over three dimensions, and no export setting changes that. Put a
sum of convolutions over two in its place (here without stride, padding, dilation and groups), or
delegate it to a backend that has Conv3d:

    from torch.nn.functional import conv2d

    class Slices(torch.nn.Module):
        def __init__(self, conv):
            super().__init__()
            self.conv = conv

        def forward(self, x):
            weight = self.conv.weight
            depth = weight.shape[2]
            planes = [
                sum(conv2d(x[:, :, d + k], weight[:, :, k]) for k in range(depth))
                for d in range(x.shape[2] - depth + 1)
            ]
            return torch.stack(planes, dim=2) + self.conv.bias[:, None, None, None]"""

_NEGATIVE_PADDING: Final = """\
PyTorch cuts where a padding is negative; no kernel of the runtime does, and no export setting
changes that. Cut with a slice in the model:

    x = x[..., 2:, 1:-1]  # in place of F.pad(x, (-1, -1, -2, 0))"""

_BOOL_LIMIT: Final = """\
PyTorch counts from and to a bool; no kernel of the runtime does, and no export setting changes
that. Give whole numbers in the model:

    y = torch.arange(int(start), int(end))  # in place of torch.arange(start, end)"""

_BY_OPERATOR: Final = {
    "aten::convolution.out": (Cause.RANK, "has 5 dimensions", _CONV3D),
    "aten::constant_pad_nd.out": (Cause.UNSUPPORTED, "negative", _NEGATIVE_PADDING),
    "aten::arange.start_out": (Cause.UNSUPPORTED, "bool", _BOOL_LIMIT),
}
"""By operator what the kernel objects to, a word of the reason it gives, and what to do."""

RUN: Final = """\
With the sizes that tensors have by then the kernel cannot make the call. They come from dimensions
that were exported as dynamic: export the one that it is about as static, or within bounds that the
model keeps, and say in the model what two sizes have to do with each other:

    torch._check(x.size(0) == y.size(0))"""
"""For what shows only when a method is played through."""

NARROW: Final = """\
A call in the model fixes a size that was exported as dynamic. Export that dimension as static:

    exported = torch.export.export(model, inputs)  # without dynamic_shapes for this input

or, if other sizes are wanted, write the operator that is named so that it takes them."""
"""For inputs whose sizes may change as far as the file says, and may not."""


def way_out(operator: str, reason: Refused, is_complex: bool = False) -> str:
    """A sentence on the cause and what to do instead, with code indented by four spaces.

    Args:
        operator: The full name of what is called.
        reason: What its kernel objects to.
        is_complex: Whether an argument has complex elements.
    """
    if is_complex and reason.cause is Cause.TYPES:
        return _COMPLEX
    cause, word, known = _BY_OPERATOR.get(operator, (None, "", ""))
    return known if reason.cause is cause and word in str(reason) else _BY_CAUSE[reason.cause]
