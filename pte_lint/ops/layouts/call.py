"""One kernel call with its tensors as they lie in memory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Final

from pte_lint.claims.forecast import NEWEST, RUNTIME_VERSIONS
from pte_lint.ops.checks.call import Call
from pte_lint.ops.layouts.placed import Placed, Unknown

__all__ = ["Misread", "PlacedCall", "Unknown"]


class Misread(Exception):  # noqa: N818 - a result of a pattern, not an error
    """The kernel takes a tensor for something else than it is.

    Attributes:
        tensor: the tensor that lies elsewhere than the kernel thinks.
        other: the tensor that it should go together with, if it is that.
        how: what the kernel does, to be read after its name.
        outside: whether the kernel leaves the tensor's memory.
    """

    def __init__(
        self, tensor: Placed, how: str, other: Placed | None = None, *, outside: bool = False
    ) -> None:
        super().__init__(how)
        self.tensor = tensor
        self.other = other
        self.how = how
        self.outside = outside


class PlacedCall(ABC):
    """A kernel call of an operator with a known schema and the right number of arguments.

    Attributes:
        operator: full name of the operator.
        numbers: the same call, asked for numbers.
        has_looked_at_version: whether the runtime's version has been asked for.
    """

    def __init__(self, numbers: Call, runtime: str = NEWEST) -> None:
        """`runtime` is the version whose kernels are asked."""
        self.operator: Final = numbers.operator
        self.numbers: Final = numbers
        self.has_looked_at_version = False
        self._runtime = runtime

    def since(self, version: str) -> bool:
        """Whether the kernels are those of a version or of a newer one."""
        self.has_looked_at_version = True
        return RUNTIME_VERSIONS.index(self._runtime) >= RUNTIME_VERSIONS.index(version)

    def number(self, position: int) -> int:
        """A number that no step writes.

        Raises:
            Unknown: it is not known.
        """
        number = self.numbers.number(position)
        if number is None:
            raise Unknown
        return number

    def axis(self, position: int, tensor: Placed) -> int:
        """The dimension of a tensor that a number names, counted from the first."""
        dim = self.number(position)
        dim = dim + tensor.rank if dim < 0 else dim
        if not 0 <= dim < max(tensor.rank, 1):
            raise Unknown
        return dim

    def axes(self, position: int, tensor: Placed) -> tuple[int, ...]:
        """The dimensions that a list names; all of them for an empty or absent list."""
        dims = self.numbers.numbers(position)
        if dims is None and not self.numbers.is_none(position):
            raise Unknown
        found = tuple(d + tensor.rank if d < 0 else d for d in dims or range(tensor.rank))
        if any(not 0 <= d < max(tensor.rank, 1) for d in found):
            raise Unknown
        return found

    @abstractmethod
    def tensor(self, position: int) -> Placed:
        """The tensor at a position.

        Raises:
            Unknown: there is none.
        """

    @abstractmethod
    def has_tensor(self, position: int) -> bool:
        """Whether there is a tensor at a position; an optional one may be absent."""

    @abstractmethod
    def inputs(self) -> list[Placed]:
        """The tensors before the outputs, lists spread out."""

    @abstractmethod
    def out(self, number: int = 0) -> Placed:
        """The tensor that an output goes to."""

    @abstractmethod
    def outs(self) -> list[Placed]:
        """All tensors that outputs go to, lists spread out."""

    @abstractmethod
    def list_at(self, position: int) -> list[Placed | None]:
        """The tensors of a list; None for one that is absent."""
