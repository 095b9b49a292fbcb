"""The bytes of an XNNPACK graph's constants, wherever they are kept.

Facts: backends/xnnpack/runtime/XNNCompiler.cpp (getConstantDataPtr, convertF32TensorToBF16).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pte_lint.schema.program import Span
from pte_lint.schema.ranges import Buffer
from pte_lint.schema.xnnpack_graph import Graph, PerChannelGroupQuant, PerChannelQuant


class NotComputed(Exception):  # noqa: N818 - an answer
    """What a graph computes cannot be told; the text says why."""


@dataclass(frozen=True, slots=True)
class Constants:
    """The constants of one graph.

    Attributes:
        graph: The graph.
        buffer: The bytes that spans count in.
        area: Where constants are that the graph names by offset; None where it holds them itself.
        named: Where those are that it names by key.
    """

    graph: Graph
    buffer: Buffer
    area: Span | None
    named: Mapping[str, Span]

    def data(self, index: int, size: int) -> bytes:
        """The first bytes of a constant.

        Raises:
            NotComputed: They are not all there.
        """
        span = self._span(index)
        if span is None or span.size < size:
            raise NotComputed(f"constant {index} is not at hand")
        return bytes(self.buffer[span.start : span.start + size])

    def scales(self, params: PerChannelQuant | PerChannelGroupQuant, count: int) -> bytes:
        """Scales: float32 those of channels, bfloat16 those of groups.

        Raises:
            NotComputed: They are not all there.
        """
        width = 4 if isinstance(params, PerChannelQuant) else 2
        if params.scale_buffer_idx:
            return self.data(params.scale_buffer_idx, count * width)
        if params.scale is None or params.scale.size < 4 * count:
            raise NotComputed("scales are not at hand")
        start = params.scale.start
        return bytes(self.buffer[start : start + 4 * count])

    def _span(self, index: int) -> Span | None:
        if self.area is None:
            inline = self.graph.constant_buffer or ()
            return inline[index].storage if index < len(inline) else None
        entries = self.graph.constant_data or ()
        if index >= len(entries):
            return None
        entry = entries[index]
        if entry.named_key is not None:
            return self.named.get(entry.named_key)
        left = self.area.size - entry.offset
        return Span(self.area.start + entry.offset, left) if left >= 0 else None
