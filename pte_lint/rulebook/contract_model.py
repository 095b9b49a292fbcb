"""What a program promises to those who use it, as pydantic models of the file that says so.

A key that is absent promises nothing. `docs/model_contract.md` and the configuration's schema are
generated from these models.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field, WithJsonSchema

from pte_lint.rulebook.strict_model import Strict
from pte_lint.text.byte_size import byte_count


def _bytes(value: Any) -> Any:
    return byte_count(value) if isinstance(value, str) else value


_ANY_SIZE = {"anyOf": [{"type": "integer"}, {"type": "string"}]}
Bytes = Annotated[int, BeforeValidator(_bytes), Field(ge=0), WithJsonSchema(_ANY_SIZE)]
"""A number of bytes: `65536` or `"64 KiB"`."""
Fraction = Annotated[float, Field(ge=0, le=1, strict=False)]


class Port(Strict):
    """One input or output of a method, in the order in which the method has them."""

    name: str | None = None
    """What findings call it. The file has no names of inputs and outputs: order is what counts."""
    kind: str = "Tensor"
    """`Tensor`, `Int`, `Double`, `Bool`, `String`, `None`, ..."""
    dtype: str | None = None
    """The element type, such as `float32`."""
    shape: (
        tuple[Annotated[int, Field(ge=0)] | Annotated[str, Field(pattern=r"^\*$")], ...] | None
    ) = None
    """The sizes, the largest ones where they may change; `"*"` is any size."""
    dynamic: bool | None = None
    """Whether sizes may change."""
    dim_order: tuple[int, ...] | None = None
    """The order of dimensions in memory: `[0, 1, 2, 3]`, or `[0, 2, 3, 1]` for channels last."""
    device: str | None = None
    """The device that its metadata claims: `cpu`, `cuda:0`."""
    memory: str | None = None
    """Where its bytes are before the first instruction: `planned`, `caller-owned`, `constant`,
    `external`, `none`."""
    value: bool | int | float | str | None = None
    """The number or text that the file fixes: what metadata methods return."""


class Delegated(Strict):
    """The least share of a method that delegates take, from 0 to 1."""

    calls: Fraction | None = None
    """Delegate calls by all calls that compute."""
    operators: Fraction | None = None
    """Operators inside of delegates by all that compute, where the blobs tell what is inside."""
    bytes: Fraction | None = None
    """Bytes of delegates' blobs and keys by these and the constants that host kernels use."""
    multiply_adds: Fraction | None = None
    """Multiply-adds of convolutions and matrix products, where the blobs tell what is inside."""


class Method(Strict):
    """What one method promises."""

    inputs: tuple[Port, ...] | None = None
    """All inputs, in order."""
    outputs: tuple[Port, ...] | None = None
    """All outputs, in order."""
    backends: tuple[str, ...] | None = None
    """The backends that it calls, these and no others: `XnnpackBackend`, or with the device that
    delegates are made for, `CudaBackend on cuda:0`."""
    least_delegated: Delegated = Delegated()
    """The least share that delegates take."""
    host_operators: tuple[str, ...] | None = None
    """Globs for the operators that may stay on the host; prim operators and boundary copies always
    may."""
    no_host_operators: tuple[str, ...] = ()
    """Globs for operators that may not."""
    most_planned: dict[str, Bytes] | None = None
    """The most planned bytes by device, and of `all`. Where a device is named, those that are not
    have none."""
    most_copied: dict[str, Bytes] | None = None
    """The most bytes that boundary copies move in a run, by direction: `h2d`, `d2h`, and of `all`;
    a copy in a loop counts once."""
    largest_tensor: Bytes | None = None
    """The most bytes of one tensor, constants included."""


class State(Strict):
    """A buffer that keeps its content between runs."""

    name: str
    """The name that the file gives it, such as `b_k_cache`; most have none and are counted in the
    order in which a method has them: `buffer 0`."""
    methods: tuple[str, ...]
    """The methods that have it."""
    dtype: str | None = None
    """The element type."""
    shape: tuple[int, ...] | None = None
    """The sizes."""
    shared: bool = False
    """Whether it has one place in one arena in all these methods, so that they share it where
    their runner shares arenas."""
    initial_content: bool | None = None
    """Whether its first content is in the file or a data file."""


class Contract(Strict):
    """What a program promises to those who use it."""

    artifact: str | None = None
    """Glob for programs, relative to the configuration file (for a contract that is given by hand
    to the working folder); without a slash it is matched against the file's name. Default: every
    program that is checked."""
    methods: dict[str, Method] = Field(default={})
    """Methods that must be there, by name, and what they promise. There may be others."""
    state: tuple[State, ...] = ()
    """Buffers that must be there."""
    external: tuple[str, ...] | None = None
    """The keys that data files must bring: these and no others."""
    most_bytes: dict[str, Bytes] | None = None
    """The most bytes of the file: of `all` of it, and of the blobs and keys of delegates on a
    device, by device."""
    most_planned: dict[str, Bytes] | None = None
    """The most planned bytes of all methods together by device, and of `all`."""
