"""One kernel call as the kernel's own checks see it, as far as the file tells.

Element type and dimension order of a tensor never change. Sizes do, unless they are static; what
may change is None here, and a comparison with it decides nothing.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from enum import StrEnum
from typing import TypeVar

from pte_lint.analysis.calling import list_items
from pte_lint.analysis.method import Method
from pte_lint.analysis.numbers_known import known_int, known_ints
from pte_lint.analysis.steps import Step
from pte_lint.analysis.tensor_size import tensor_numel
from pte_lint.kernels.promotion import BOOL, FLOAT64, INT64
from pte_lint.kernels.schemas import OperatorSchema
from pte_lint.schema.enums import ShapeDynamism, dtype_name
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.program import (
    Bool,
    Double,
    DoubleList,
    Int,
    Null,
    OptionalTensorList,
    TensorList,
)

Size = int | None
Sizes = tuple[Size, ...]
T = TypeVar("T")


class End(StrEnum):
    """How a call that a kernel cannot make ends."""

    REFUSED = "InvalidArgument"
    """The kernel returns this error."""
    ABORT = "SIGABRT"
    NULL = "SIGSEGV"
    UNCHECKED = "undefined"
    """The kernel does not look, and reads past a tensor or divides by zero."""


class Cause(StrEnum):
    """What the kernel objects to."""

    SHAPES = "shapes"
    """Ranks, sizes, or numbers that go with them."""
    TYPES = "types"
    ORDER = "order"
    """The order of dimensions in memory."""
    IN_PLACE = "in place"
    """What the kernel could do into another tensor, but not in place."""


class Refused(Exception):  # noqa: N818 - a result of a check, not an error
    """The kernel cannot make the call; the text says why.

    Attributes:
        end: How the call ends.
        cause: What the kernel objects to.
    """

    def __init__(self, message: str, end: End = End.REFUSED, cause: Cause = Cause.SHAPES) -> None:
        super().__init__(message)
        self.end = end
        self.cause = cause


@dataclass(frozen=True, slots=True)
class Operand:
    """A tensor argument. `sizes` holds None for a size that may change."""

    name: str
    sizes: Sizes
    dtype: int
    order: tuple[int, ...]
    capacity: int | None
    """Elements that a tensor of bounded sizes can take; None for static ones."""
    resized: list[Sequence[Size]] | None = None
    """Where `resize` notes the sizes that the tensor gets, if anybody wants to know."""

    @property
    def rank(self) -> int:
        """Number of dimensions."""
        return len(self.sizes)

    @property
    def numel(self) -> int | None:
        """Number of elements, if known."""
        return product(self.sizes)

    @property
    def is_contiguous(self) -> bool:
        """True when dimensions are in order in memory."""
        return self.order == tuple(range(len(self.order)))

    @property
    def is_channels_last(self) -> bool:
        """True for the dimension order of channels-last images and volumes."""
        rank = len(self.order)
        return rank in (4, 5) and self.order == (0, *range(2, rank), 1)


class Call:
    """A kernel call of an operator with a known schema and the right number of arguments.

    Attributes:
        operator: Full name of the operator.
        has_looked_at_numbers: Whether the value of a number has been asked for.
    """

    def __init__(
        self, method: Method, step: Step, schema: OperatorSchema, *, loose: bool = False
    ) -> None:
        """`step` must have the arguments that `schema` wants.

        `loose` takes tensors as the file has them even where a move may exchange them: what is
        fine then is fine for all calls with tensors of the same form.
        """
        self.operator = step.operator
        self.has_looked_at_numbers = False
        self._method = method
        self._step = step
        self._outs = schema.inputs
        self._loose = loose

    # -- arguments --------------------------------------------------------------------------------

    def tensor(self, position: int) -> Operand | None:
        """The tensor at a position; None when there is none, or a move may have exchanged it."""
        return self._operand(self._step.args[position], f"argument {position}")

    def out(self, number: int = 0) -> Operand | None:
        """The tensor that the given output goes to."""
        v = self._step.args[self._outs + number]
        return self._operand(v, "the output" if number == 0 else f"output {number}")

    def tensors(self, position: int) -> list[Operand] | None:
        """The tensors of a list; None unless all of them are known."""
        return self._list(self._step.args[position], f"argument {position}")

    def outs(self) -> list[Operand] | None:
        """The tensors of the list that an operator with a list of outputs writes."""
        return self._list(self._step.args[self._outs], "output")

    def optional_tensors(self, position: int) -> list[Operand | None] | None:
        """The tensors of a list with absent elements; None unless all of them are known."""
        v = self._step.args[position]
        value = self._method.value(v)
        if value is None or not isinstance(value.val, TensorList | OptionalTensorList):
            return None
        found = [
            self._operand(item, f"argument {position} item {n}") if item >= 0 else None
            for n, item in enumerate(value.val.items or ())
        ]
        present = sum(item >= 0 for item in value.val.items or ())
        return found if sum(operand is not None for operand in found) == present else None

    def number(self, position: int) -> int | None:
        """A number that no step writes; None when it is not known, or there is none."""
        self.has_looked_at_numbers = True
        return known_int(self._method, self._step.args[position])

    def numbers(self, position: int) -> tuple[int, ...] | None:
        """A list of numbers that no step writes."""
        self.has_looked_at_numbers = True
        return known_ints(self._method, self._step.args[position])

    def double(self, position: int) -> float | None:
        """A number of any kind that no step writes."""
        self.has_looked_at_numbers = True
        v = self._step.args[position]
        value = self._method.value(v)
        if value is None or self._method.writers(v):
            return None
        if isinstance(value.val, Double):
            return value.val.double_val
        return float(value.val.int_val) if isinstance(value.val, Int) else None

    def scalar_type(self, position: int) -> int | None:
        """The element type that a number of any kind counts as; None when it is not known."""
        v = self._step.args[position]
        value = self._method.value(v)
        if value is None or self._method.writers(v):
            return None
        kinds = {Bool: BOOL, Int: INT64, Double: FLOAT64}
        return kinds.get(type(value.val))

    def doubles(self, position: int) -> tuple[float, ...] | None:
        """A list of floating-point numbers."""
        self.has_looked_at_numbers = True
        v = self._step.args[position]
        value = self._method.value(v)
        if value is None or not isinstance(value.val, DoubleList) or self._method.writers(v):
            return None
        return tuple(value.val.items or ())

    def flag(self, position: int) -> bool | None:
        """A Bool that no step writes."""
        self.has_looked_at_numbers = True
        v = self._step.args[position]
        value = self._method.value(v)
        if value is None or not isinstance(value.val, Bool) or self._method.writers(v):
            return None
        return value.val.bool_val

    def is_none(self, position: int) -> bool:
        """True when the argument is None."""
        v = self._step.args[position]
        value = self._method.value(v)
        return value is not None and isinstance(value.val, Null) and not self._method.writers(v)

    def _operand(self, v: int, name: str) -> Operand | None:
        method = self._method
        tensor = method.tensor(v)
        if tensor is None or tensor.sizes is None:
            return None
        if not self._loose and method.residency.is_rebound(v):
            return None
        static = tensor.shape_dynamism == ShapeDynamism.STATIC
        return Operand(
            name=name,
            sizes=tensor.sizes if static else (None,) * len(tensor.sizes),
            dtype=tensor.scalar_type,
            order=tensor.dim_order or (),
            capacity=None if static else tensor_numel(tensor),
        )

    def _list(self, v: int, name: str) -> list[Operand] | None:
        if self._method.writers(v):
            return None
        items = list_items(self._method.value(v))
        found = [self._operand(item, f"{name} item {n}") for n, item in enumerate(items)]
        known = [operand for operand in found if operand is not None]
        return known if len(known) == len(found) else None


# -- conditions -----------------------------------------------------------------------------------


def need(
    condition: bool | None, message: str, end: End = End.REFUSED, cause: Cause = Cause.SHAPES
) -> None:
    """Ends the call when the condition is surely false."""
    if condition is False:
        raise Refused(message, end, cause)


def need_type(condition: bool | None, message: str, end: End = End.REFUSED) -> None:
    """Ends the call for an element type when the condition is surely false."""
    need(condition, message, end, Cause.TYPES)


def need_order(condition: bool, message: str) -> None:
    """Refuses the call for an order of dimensions when the condition is false."""
    need(condition, message, cause=Cause.ORDER)


def same(left: T | None, right: T | None) -> bool | None:
    """Whether two things are equal; None when one is not known."""
    return None if left is None or right is None else left == right


def product(sizes: Sequence[Size]) -> int | None:
    """The product of sizes; 0 as soon as one is, None when it is not known."""
    if 0 in sizes:
        return 0
    count = 1
    for size in sizes:
        if size is None:
            return None
        count *= size
    return count


def rank(operand: Operand | None, *ranks: int) -> None:
    """The tensor has one of these ranks."""
    if operand is not None:
        wanted = " or ".join(map(str, ranks))
        need(operand.rank in ranks, f"{operand.name} has {operand.rank} dimensions, not {wanted}")


def same_types(*operands: Operand | None) -> None:
    """All tensors have one element type."""
    known = [operand for operand in operands if operand is not None]
    for other in known[1:]:
        need_type(
            other.dtype == known[0].dtype,
            f"{other.name} is {dtype_name(other.dtype)} and {known[0].name} "
            f"{dtype_name(known[0].dtype)}",
        )


def of_types(types: Container[int], *operands: Operand | None) -> None:
    """The kernel is compiled for the element types of all tensors."""
    for operand in operands:
        if operand is not None:
            need_type(operand.dtype in types, f"{operand.name} is {dtype_name(operand.dtype)}")


def one_order(*operands: Operand | None) -> None:
    """All tensors are contiguous, or all are channels-last."""
    if None in operands or len(operands) < 2:
        return
    known = [operand for operand in operands if operand is not None]
    good = all(o.is_contiguous for o in known) or all(o.is_channels_last for o in known)
    need_order(good, "its tensors differ in dimension order")


def default_order(operand: Operand | None) -> None:
    """The tensor is contiguous."""
    if operand is not None:
        need_order(operand.is_contiguous, f"{operand.name} is not in the default dimension order")


def plain_or_channels_last(*operands: Operand | None) -> None:
    """The tensors are contiguous or channels-last."""
    for operand in operands:
        if operand is not None:
            need_order(
                operand.is_contiguous or operand.is_channels_last,
                f"{operand.name} is neither contiguous nor channels-last",
            )


def axis(operand: Operand | None, dim: int | None) -> int | None:
    """The dimension counted from the start; None when unknown.

    Raises:
        Refused: the tensor has no such dimension.
    """
    if operand is None or dim is None:
        return None
    count = max(operand.rank, 1)
    need(-count <= dim < count, f"{operand.name} has no dimension {dim}")
    return dim + count if dim < 0 else dim


def size_at(operand: Operand | None, dim: int | None) -> Size:
    """The size of a dimension; None when it is not known."""
    if operand is None or dim is None or not 0 <= dim < operand.rank:
        return None
    return operand.sizes[dim]


def same_size(left: Operand | None, at: int, right: Operand | None, where: int) -> None:
    """Two dimensions are equal."""
    if left is None or right is None:
        return
    one, other = size_at(left, at), size_at(right, where)
    need(
        same(one, other),
        f"dimension {at} of {left.name} is {one}, dimension {where} of {right.name} {other}",
    )


def resize(out: Operand | None, sizes: Sequence[Size] | None) -> None:
    """The output can take a result of these sizes (`TensorImpl::internal_resize_contiguous`)."""
    if out is None or sizes is None:
        return
    if out.resized is not None:
        out.resized.append(tuple(sizes))
    need(
        out.rank == len(sizes),
        f"the result has {len(sizes)} dimensions, and {out.name} {out.rank}",
    )
    if out.rank == 0:
        return
    if out.capacity is None:
        need(
            not any(same(a, b) is False for a, b in zip(out.sizes, sizes, strict=True)),
            f"the result has the sizes {shown(sizes)}, and {out.name} {shown(out.sizes)}",
        )
        return
    count = product(sizes)
    if count is not None:
        need(
            count <= out.capacity,
            f"the result has {count} elements, and {out.name} room for {out.capacity}",
        )


def broadcast(shapes: Sequence[Sequence[int]]) -> tuple[int, ...] | None:
    """The common sizes, dimension by dimension from the last; None where there are none."""
    rank_of_all = max(len(sizes) for sizes in shapes)
    result = [1] * rank_of_all
    for sizes in shapes:
        for at, size in enumerate(sizes, rank_of_all - len(sizes)):
            if size == 1 or size == result[at]:
                continue
            if result[at] != 1:
                return None
            result[at] = size
    return tuple(result)


def broadcasts_to(source: Operand | None, sizes: Sequence[Size] | None) -> None:
    """The tensor can be broadcast to these sizes."""
    if source is None or sizes is None:
        return
    message = f"{source.name} of sizes {shown(source.sizes)} does not broadcast to {shown(sizes)}"
    need(source.rank <= len(sizes), message)
    for mine, wanted in zip(reversed(source.sizes), reversed(sizes), strict=False):
        need(mine == 1 or same(mine, wanted), message)


def shown(sizes: Sequence[Size]) -> str:
    """Sizes for readers; `?` for one that may change."""
    return "[" + ", ".join("?" if size is None else str(size) for size in sizes) + "]"
