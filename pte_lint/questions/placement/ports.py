"""Ports: a method's tensor inputs and outputs as the caller meets them, and whether two fit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pte_lint.claims.forecast import Forecast, Stage, crash, error, undefined
from pte_lint.interpret.residency import residency_of
from pte_lint.ir.device import Device, HomeKind
from pte_lint.ir.tensor_size import tensor_numel
from pte_lint.schema.enums import ShapeDynamism, dtype_name
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.program import Tensor

if TYPE_CHECKING:
    from pte_lint.ir.method import Method

_NEVER = Forecast.always(None)
_TYPE_REFUSED = Forecast.always(error(Stage.SET_INPUT, "InvalidArgument"))
_SIZES_REFUSED = Forecast.always(error(Stage.SET_INPUT, "NotSupported"))
_WRONG_BYTES = Forecast.always(undefined(Stage.EXECUTE))
_WRONG_MEMORY = _NEVER.since("1.4", undefined(Stage.EXECUTE))
_HOST_COPY = _NEVER.since("1.4", crash(Stage.SET_INPUT, "SIGSEGV")).since(
    "1.5", error(Stage.SET_INPUT, "NotSupported")
)


@dataclass(frozen=True, slots=True)
class Port:
    """One tensor input or output of a method."""

    method: str
    index: int
    is_output: bool
    value: int
    tensor: Tensor
    device: Device
    """Where the caller finds or puts the data: for an output what it is at the end."""
    planned: bool

    @property
    def name(self) -> str:
        """`prefill output 0`."""
        return f"{self.method} {'output' if self.is_output else 'input'} {self.index}"

    def describe(self) -> str:
        """Type, sizes and device, for messages: `float32 [8, 8] on cuda:0`."""
        sizes = list(self.tensor.sizes or ())
        bound = "up to " if self.tensor.shape_dynamism != ShapeDynamism.STATIC else ""
        where = "the host" if self.device.is_host else str(self.device)
        return f"{dtype_name(self.tensor.scalar_type)} {bound}{sizes} on {where}"


def input_port(method: Method, index: int) -> Port | None:
    """The input at `index`; None when there is none or it is no tensor."""
    if not 0 <= index < len(method.inputs):
        return None
    v = method.inputs[index]
    tensor = method.tensor(v)
    if tensor is None:
        return None
    planned = tensor.allocation_info is not None or tensor.data_buffer_idx > 0
    return Port(method.name, index, False, v, tensor, method.tag(v), planned)


def output_port(method: Method, index: int) -> Port | None:
    """The output at `index`; None when there is none or it is no tensor."""
    if not 0 <= index < len(method.outputs):
        return None
    v = method.outputs[index]
    tensor = method.tensor(v)
    if tensor is None:
        return None
    places = residency_of(method).at_end(v)
    device = places[0].home.device if places else method.tag(v)
    planned = any(p.home.kind is HomeKind.ARENA for p in places)
    return Port(method.name, index, True, v, tensor, device, planned)


def output_ports(method: Method) -> Iterator[Port]:
    """All tensor outputs."""
    for index in range(len(method.outputs)):
        if (port := output_port(method, index)) is not None:
            yield port


def input_ports(method: Method) -> Iterator[Port]:
    """All tensor inputs."""
    for index in range(len(method.inputs)):
        if (port := input_port(method, index)) is not None:
            yield port


def planned_device_outputs(method: Method) -> Iterator[int]:
    """Values that stay on a device as outputs although an arena there holds them; inputs aside."""
    for v in dict.fromkeys(method.outputs):
        if method.tensor(v) is None or method.nbytes(v) == 0 or method.is_input[v]:
            continue
        home = method.home(v)
        on_device = not home.device.is_host and not method.tag(v).is_host
        if home.kind is HomeKind.ARENA and on_device:
            yield v


@dataclass(frozen=True, slots=True)
class Misfit:
    """One way in which an output does not fit the input it is handed to.

    `forecast` is what happens in the receiving method, None where it is only doubtful.
    """

    what: str
    says: str
    forecast: Forecast | None


def misfits(source: Port, target: Port) -> Iterator[Misfit]:
    """Compares an output with the input that it feeds (`Method::set_input`)."""
    give, take = source.tensor, target.tensor
    if give.scalar_type != take.scalar_type:
        yield Misfit(
            "element type",
            f"{dtype_name(give.scalar_type)} is given where {dtype_name(take.scalar_type)} is "
            "taken",
            _TYPE_REFUSED,
        )
    yield from _sizes(give, take)
    if _layout(give) != _layout(take) and len(give.sizes or ()) == len(take.sizes or ()):
        yield Misfit(
            "dim order",
            f"dim order {list(give.dim_order or ())} is given where "
            f"{list(take.dim_order or ())} is taken; set_input does not compare them",
            _WRONG_BYTES,
        )
    if tensor_numel(give) and tensor_numel(take):
        yield from _devices(source, target)


def _sizes(give: Tensor, take: Tensor) -> Iterator[Misfit]:
    mine, theirs = list(give.sizes or ()), list(take.sizes or ())
    fixed = give.shape_dynamism == ShapeDynamism.STATIC
    bound = "" if fixed else "up to "
    says = f"sizes {bound}{mine} are given where {theirs} are taken"
    if len(mine) != len(theirs):
        yield Misfit("rank", says, _SIZES_REFUSED)
    elif take.shape_dynamism == ShapeDynamism.STATIC:
        if mine != theirs or not fixed:
            yield Misfit("sizes", says, _SIZES_REFUSED if fixed else None)
    elif tensor_numel(give) > tensor_numel(take):
        yield Misfit("sizes", f"{says} at most", _SIZES_REFUSED if fixed else None)


def _devices(source: Port, target: Port) -> Iterator[Misfit]:
    """Planned inputs are copied into from the host, unplanned ones share the caller's pointer."""
    given, taken = source.device, target.device
    if target.planned and not (given.is_host and taken.is_host):
        yield Misfit(
            "planning",
            f"{_on(given)} data is given to an input that is planned on {_on(taken)}: set_input "
            "copies from the host only",
            _HOST_COPY,
        )
    elif given != taken and not (given.is_host and taken.is_host):
        yield Misfit(
            "device", f"data on {_on(given)} is given where {_on(taken)} is taken", _WRONG_MEMORY
        )
    elif source.planned and not target.planned:
        yield Misfit(
            "planning",
            "the input shares memory that the first method plans for itself: its next execute "
            "overwrites it",
            None,
        )


def _on(where: Device) -> str:
    return "the host" if where.is_host else str(where)


def _layout(tensor: Tensor) -> list[int]:
    sizes = tensor.sizes or ()
    return [d for d in tensor.dim_order or () if d >= len(sizes) or sizes[d] != 1]
