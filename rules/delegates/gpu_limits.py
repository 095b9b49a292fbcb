"""A Vulkan delegate with tensors that are larger than the target's GPU takes.

What it finds:
    Tensors of Vulkan delegates whose texture has more texels along a side than the target's
    `maxImageDimension3D` or `maxImageDimension2D`, or whose buffer has more elements than its
    `maxStorageBufferRange`. Nothing without such limits in the target profile.

What the runtime does:
    A buffer of too many elements is an exception that nothing catches while the graph is built, at
    load_method. Images are created without asking: what comes of one beyond the limits is the
    driver's (backends/vulkan/runtime/api/containers/Tensor.cpp: allocate_buffer, allocate_image).

Why it happens:
    The partitioner was told, or assumed, larger limits than the device has: it takes 16384 texels
    along x and y and 2048 along z for granted.

How to fix it:
    Tell the partitioner of the smallest device that has to run it:

        from executorch.backends.vulkan.partitioner.vulkan_partitioner import VulkanPartitioner

        partitioner = [VulkanPartitioner({"small_texture_limits": True})]

How it is confirmed:
    Only on the device.

Seen in:
    No public report is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod

from pte_lint.schema.blob.facts import GpuTensor

from pte_lint.claims.finding import Finding, Severity
from pte_lint.data.blobs import blobs
from pte_lint.data.context import Context
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule
from pte_lint.text.words import count

_REMEDY = """\
Tell the partitioner of the smallest device that has to run it:

    from executorch.backends.vulkan.partitioner.vulkan_partitioner import VulkanPartitioner

    partitioner = [VulkanPartitioner({"small_texture_limits": True})]"""


@method_rule("PTE437", "gpu-limits", Severity.WARNING, "tensors beyond the limits of the GPU")
def check(method: Method, ctx: Context) -> Yields:
    """One finding a delegate, about the first of its tensors."""
    limits = ctx.target.profile.vulkan
    if not limits:
        return
    for blob in blobs(method, ctx):
        beyond = [each for tensor in blob.facts.gpu_tensors for each in _beyond(tensor, limits)]
        if not beyond:
            continue
        message, limit = beyond[0]
        more = f" {count(len(beyond) - 1, 'more tensor')} of it too." if len(beyond) > 1 else ""
        yield Finding(
            message=f"Delegate {blob.index} ({blob.backend}): {message}, and the target's {limit} "
            f"is {limits[limit]}.{more}",
            remediation=_REMEDY,
            location=blob.location(method),
            evidence={"limit": limit, "tensors": len(beyond)},
            subject=f"delegates[{blob.index}] {limit}",
        )


def _beyond(tensor: GpuTensor, limits: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    """What of a tensor is too large, and for which limit; the first."""
    sizes = f"value {tensor.index}, {tensor.dtype}{list(tensor.sizes)}"
    if tensor.storage == "buffer":
        limit, elements = "maxStorageBufferRange", prod(tensor.sizes)
        if elements > limits.get(limit, elements):
            yield f"{sizes}, is a buffer of {elements} elements", limit
    elif tensor.extents is not None:
        limit = "maxImageDimension3D" if tensor.storage == "texture 3D" else "maxImageDimension2D"
        sides = tensor.extents if tensor.storage == "texture 3D" else tensor.extents[:2]
        if max(sides) > limits.get(limit, max(sides)):
            texels = " x ".join(map(str, sides))
            yield f"{sizes}, is a {tensor.storage} ({tensor.layout}) of {texels} texels", limit
