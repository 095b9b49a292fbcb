"""One kernel call with its tensors as they lie in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pte_lint.claims.forecast import NEWEST, RUNTIME_VERSIONS
from pte_lint.interpret.residency import residency_of
from pte_lint.ir.calling import list_items
from pte_lint.ops.checks.call import Call
from pte_lint.ops.layouts.placed import Placed
from pte_lint.schema.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable

    from pte_lint.ir.method import Method
    from pte_lint.ir.steps import Step
    from pte_lint.ops.schemas import OperatorSchema


class Unknown(Exception):  # noqa: N818 - a result of a question, not an error
    """A tensor or number of the call is not known from the file: nothing can be said."""


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


class OrderRefused(Exception):  # noqa: N818 - a result of a pattern, not an error
    """The kernel's own check lets no tensor in this order through: it returns InvalidArgument."""

    def __init__(self, tensor: Placed, wanted: str) -> None:
        super().__init__(wanted)
        self.tensor = tensor
        self.wanted = wanted


@dataclass(frozen=True, slots=True)
class _Source:
    """Where the tensors of a call come from."""

    method: Method
    step: Step
    is_uniform: Callable[[int], bool]


class PlacedCall:
    """A kernel call of an operator with a known schema and the right number of arguments.

    Attributes:
        operator: full name of the operator.
        numbers: the same call, asked for numbers.
        has_looked_at_version: whether the runtime's version has been asked for.
    """

    def __init__(
        self,
        method: Method,
        step: Step,
        schema: OperatorSchema,
        is_uniform: Callable[[int], bool],
        runtime: str = NEWEST,
    ) -> None:
        """`is_uniform` tells of a value whether all of its elements are surely equal."""
        self.operator: Final = step.operator
        self.numbers: Final = Call(method, step, schema, runtime=runtime)
        self.has_looked_at_version = False
        self._runtime = runtime
        self._from = _Source(method, step, is_uniform)
        self._inputs = schema.inputs
        self._schema = schema

    def since(self, version: str) -> bool:
        """Whether the kernels are those of a version or of a newer one."""
        self.has_looked_at_version = True
        return RUNTIME_VERSIONS.index(self._runtime) >= RUNTIME_VERSIONS.index(version)

    def tensor(self, position: int) -> Placed:
        """The tensor at a position.

        Raises:
            Unknown: there is none.
        """
        return self._placed(self._from.step.args[position], f"argument {position}")

    def has_tensor(self, position: int) -> bool:
        """Whether there is a tensor at a position; an optional one may be absent."""
        return self._from.method.tensor(self._from.step.args[position]) is not None

    def inputs(self) -> list[Placed]:
        """The tensors before the outputs, lists spread out."""
        found: list[Placed] = []
        for n in range(self._inputs):
            if self.has_tensor(n):
                found.append(self.tensor(n))
            elif self._schema.parameters[n].wanted in ("TensorList", "OptionalTensorList"):
                found += [each for each in self.list_at(n) if each is not None]
        return found

    def out(self, number: int = 0) -> Placed:
        """The tensor that an output goes to."""
        name = "the output" if number == 0 else f"output {number}"
        return self._placed(self._from.step.args[self._inputs + number], name)

    def outs(self) -> list[Placed]:
        """All tensors that outputs go to, lists spread out."""
        found: list[Placed] = []
        args = self._from.step.args
        count = max(len(self._schema.parameters) - self._inputs, 1)
        for number in range(count):
            v = args[self._inputs + number]
            if self._from.method.tensor(v) is not None:
                found.append(self.out(number))
            else:
                items = list_items(self._from.method.value(v))
                found += [self._placed(item, f"output {n}") for n, item in enumerate(items)]
        return found

    def list_at(self, position: int) -> list[Placed | None]:
        """The tensors of a list; None for one that is absent."""
        v = self._from.step.args[position]
        if self._from.method.writers(v):
            raise Unknown
        value = self._from.method.value(v)
        items = getattr(getattr(value, "val", None), "items", None) or ()
        return [
            self._placed(item, f"argument {position} item {n}") if item >= 0 else None
            for n, item in enumerate(items)
        ]

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

    def _placed(self, v: int, name: str) -> Placed:
        method = self._from.method
        tensor = method.tensor(v)
        if tensor is None or tensor.sizes is None or residency_of(method).is_rebound(v):
            raise Unknown
        order = tensor.dim_order or ()
        if sorted(order) != list(range(len(tensor.sizes))):
            raise Unknown
        return Placed(
            name=name,
            value=v,
            sizes=tensor.sizes,
            order=order,
            dtype=tensor.scalar_type,
            is_uniform=self._from.is_uniform(v),
        )
