"""The decoded .ptd (flat tensor data): one record per table of `flat_tensor.fbs`.

The conventions of `pte_lint.schema.program` hold.
"""

from __future__ import annotations

from pte_lint.schema.program import DataSegment
from pte_lint.schema.record import record


@record
class TensorLayout:
    """Dtype and shape of a tensor whose bytes are in the file."""

    scalar_type: int = 0
    sizes: tuple[int, ...] | None = None
    dim_order: tuple[int, ...] | None = None
    at: int = 0


@record
class NamedTensorData:
    """A key that names a segment; with a layout it is a tensor, without one a plain blob."""

    key: str | None = None
    segment_index: int = 0
    tensor_layout: TensorLayout | None = None
    at: int = 0


@record
class FlatTensor:
    """The root table."""

    version: int = 0
    segments: tuple[DataSegment, ...] | None = None
    named_data: tuple[NamedTensorData, ...] | None = None
    at: int = 0
