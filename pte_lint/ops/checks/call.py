"""One kernel call as the kernel's own checks see it, as far as the file tells.

Element type and dimension order of a tensor never change. Sizes do, unless they are static; what
may change is None here, and a comparison with it decides nothing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Final, TypeVar

from pte_lint.claims.forecast import NEWEST, RUNTIME_VERSIONS
from pte_lint.ops.checks.scalars import Number
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.str_enum import StrEnum

Size = int | None
Sizes = tuple[Size, ...]
T = TypeVar("T")


class End(StrEnum):
    """How a call that a kernel cannot make ends."""

    REFUSED = "InvalidArgument"
    """The kernel returns this error."""
    THROWN = "Internal"
    """The kernel throws, and its wrapper returns this error."""
    ABORT = "SIGABRT"
    NULL = "SIGSEGV"
    DIVISION = "SIGFPE"
    """The kernel divides by a size of 0."""
    UNCHECKED = "undefined"
    """The kernel does not look, and reads past a tensor or divides by zero."""


class Cause(StrEnum):
    """What the kernel objects to."""

    SHAPES = "shapes"
    """Sizes, ranks, or numbers that do not go together."""
    RANK = "rank"
    """A number of dimensions that the kernel is not made for."""
    UNSUPPORTED = "unsupported"
    """An argument that PyTorch takes and the kernel does not."""
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
        first: Whether it comes before the kernel compares any sizes.
    """

    def __init__(
        self,
        message: str,
        end: End = End.REFUSED,
        cause: Cause = Cause.SHAPES,
        *,
        first: bool = False,
    ) -> None:
        super().__init__(message)
        self.end = end
        self.cause = cause
        self.first = first

    def kept(self) -> Refused:
        """Itself, without where it was raised: frames would keep the call and its method alive."""
        self.__cause__ = self.__context__ = None
        return self.with_traceback(None)


_MOST: Final = 2**64


def product(sizes: Sequence[Size]) -> int | None:
    """The product of sizes; 0 as soon as one is, None when it is not known.

    What is beyond 64 bits counts as 2**64 (or its negative): no tensor has as many elements, and
    the exact product of a hostile file's sizes takes time that grows with the square of its length.
    """
    if 0 in sizes:
        return 0
    count = 1
    for size in sizes:
        if size is None:
            return None
        count = max(-_MOST, min(count * size, _MOST))
    return count


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
    def strides(self) -> Sizes:
        """Elements between neighbours along each dimension; None where that is not known."""
        strides: list[Size] = [None] * self.rank
        if sorted(self.order) != list(range(self.rank)):
            return tuple(strides)
        step: Size = 1
        for dim in reversed(self.order):
            strides[dim] = step
            size = self.sizes[dim]
            step = None if step is None or size is None else step * size
        return tuple(strides)

    @property
    def is_contiguous(self) -> bool:
        """True when dimensions are in order in memory."""
        return self.order == tuple(range(len(self.order)))

    @property
    def is_channels_last(self) -> bool:
        """True for the dimension order of channels-last images and volumes."""
        rank = len(self.order)
        return rank in (4, 5) and self.order == (0, *range(2, rank), 1)


class Call(ABC):
    """A kernel call of an operator with a known schema and the right number of arguments.

    Attributes:
        operator: Full name of the operator.
        has_looked_at_numbers: Whether the value of a number has been asked for.
        has_looked_at_version: Whether the runtime's version has been asked for.
    """

    def __init__(self, operator: str, runtime: str = NEWEST) -> None:
        """`runtime` is the version whose kernels are asked."""
        self.operator = operator
        self.has_looked_at_numbers = False
        self.has_looked_at_version = False
        self._runtime = runtime

    def since(self, version: str) -> bool:
        """Whether the kernels are those of a version or of a newer one."""
        self.has_looked_at_version = True
        return RUNTIME_VERSIONS.index(self._runtime) >= RUNTIME_VERSIONS.index(version)

    def double(self, position: int) -> float | None:
        """A number of any kind that no step writes."""
        number = self.scalar(position)
        return None if number is None else float(number)

    @abstractmethod
    def tensor(self, position: int) -> Operand | None:
        """The tensor at a position; None when there is none, or a move may have exchanged it."""

    @abstractmethod
    def inputs(self) -> list[Operand | None]:
        """The tensors before the outputs; None for one that a move may have exchanged."""

    @abstractmethod
    def out(self, number: int = 0) -> Operand | None:
        """The tensor that the given output goes to."""

    @abstractmethod
    def tensors(self, position: int) -> list[Operand] | None:
        """The tensors of a list; None unless all of them are known."""

    @abstractmethod
    def outs(self) -> list[Operand] | None:
        """The tensors of the list that an operator with a list of outputs writes."""

    @abstractmethod
    def optional_tensors(self, position: int) -> list[Operand | None] | None:
        """The tensors of a list with absent elements; None unless all of them are known."""

    @abstractmethod
    def number(self, position: int) -> int | None:
        """A number that no step writes; None when it is not known, or there is none."""

    @abstractmethod
    def numbers(self, position: int) -> tuple[int, ...] | None:
        """A list of numbers that no step writes."""

    @abstractmethod
    def scalar(self, position: int) -> Number | None:
        """A number as it is, of any kind, that no step writes."""

    @abstractmethod
    def string(self, position: int) -> str | None:
        """A text that no step writes."""

    @abstractmethod
    def scalar_type(self, position: int) -> int | None:
        """The element type that a number of any kind counts as; None when it is not known."""

    @abstractmethod
    def doubles(self, position: int) -> tuple[float, ...] | None:
        """A list of floating-point numbers."""

    @abstractmethod
    def bools(self, position: int) -> tuple[bool, ...] | None:
        """A list of Bools."""

    @abstractmethod
    def flag(self, position: int) -> bool | None:
        """A Bool that no step writes."""

    @abstractmethod
    def is_none(self, position: int) -> bool | None:
        """Whether the argument is None; None when steps write it, so that it may become so."""
