"""What an interpretation keeps in mind between two steps: kinds, numbers and sizes of values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from pte_lint.claims.forecast import Prediction
from pte_lint.ops import numbers, prims
from pte_lint.schema.enums import ShapeDynamism
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.program import Bool, Double, Int

if TYPE_CHECKING:
    from pte_lint.ir.method import Method

Number = numbers.Number
Sizes = tuple[int, ...] | None
"""A tensor's current sizes; None when they depend on the run."""


UNKNOWN = prims.UNKNOWN


class Cell(NamedTuple):
    """What a value holds.

    `number` is None when it is not known, or the kind has none. `thing` is the value whose tensor
    or list it is: a move makes two values hold the same one.
    """

    kind: int
    number: Number | None = None
    thing: int = -1


Numbers = tuple[Mapping[int, Cell], Mapping[int, Sizes]]
"""Cells by value and sizes by tensor, as one state had them."""
_NO_CELLS: Final[Mapping[int, Cell]] = {}
_NO_SIZES: Final[Mapping[int, Sizes]] = {}


class State:
    """Everything that differs from what the file says, and what was assumed on the way."""

    __slots__ = ("assumed", "cells", "freed", "guessed", "sizes", "walked")

    def __init__(self) -> None:
        """The state in which a method is loaded."""
        self.cells: dict[int, Cell] = {}
        """By value: what steps have put there."""
        self.sizes: dict[int, Sizes] = {}
        """By tensor: sizes that steps have given it."""
        self.freed: frozenset[int] = frozenset()
        """Tensors whose memory a step has taken away."""
        self.assumed: dict[int, bool] = {}
        """By tensor: outcome of a condition that only the run knows, until it is written again."""
        self.guessed = False
        """Whether a comparison of unknown numbers was assumed: how often a loop runs, say."""
        self.walked = 0
        """Instructions that were executed in this run. No part of what states are told apart by."""

    def copy(self) -> State:
        """An independent copy."""
        other = State()
        other.cells, other.sizes = dict(self.cells), dict(self.sizes)
        other.freed, other.assumed = self.freed, dict(self.assumed)
        other.guessed, other.walked = self.guessed, self.walked
        return other

    def start(self) -> None:
        """Begins another run: values keep what they hold."""
        # Other inputs may come, so what was assumed about data does not hold any longer.
        self.assumed = {}
        self.walked = 0

    @property
    def weight(self) -> int:
        """How much it holds: what copying and remembering it costs."""
        own = len(self.cells) + len(self.sizes) + len(self.freed)
        return own + len(self.assumed)

    def key(self) -> tuple[object, ...]:
        """Equal for equal states."""
        return (frozenset(self.cells.items()), *self.rest())

    def rest(self) -> tuple[object, ...]:
        """Equal for states that differ in cells at most."""
        return (
            frozenset(self.sizes.items()),
            self.freed,
            frozenset(self.assumed.items()),
            self.guessed,
        )

    def numbers(self) -> Numbers:
        """What it says about numbers and sizes now."""
        return dict(self.cells) if self.cells else _NO_CELLS, (
            dict(self.sizes) if self.sizes else _NO_SIZES
        )

    def forget_numbers(self, unlike: Numbers) -> bool:
        """Gives up numbers and sizes that another state does not share; true if there are any."""
        forgets = False
        cells, other_sizes = unlike
        for v, cell in self.cells.items():
            if cell.number is not None and cells.get(v) != cell:
                self.cells[v] = cell._replace(number=None)
                forgets = True
        for thing, sizes in self.sizes.items():
            if sizes is not None and other_sizes.get(thing, sizes) != sizes:
                self.sizes[thing] = None
                forgets = True
        return forgets


@dataclass(frozen=True, slots=True)
class Stop:
    """Why a run ends; `kind` is a `FaultKind`, or empty where another rule tells of it."""

    kind: str
    step: int
    argument: int | None
    message: str
    prediction: Prediction
    since: str = ""
    """First release that does so, where older ones go on with misused memory."""
    older: tuple[Prediction, ...] = ()
    """What releases before the newest do, where the run ends otherwise in them; oldest first."""


def first_cell(method: Method, v: int) -> Cell:
    """What value `v` holds when the method is loaded; kind 0 when there is no such value."""
    value = method.value(v)
    if value is None:
        return Cell(0)
    content = value.val
    if isinstance(content, Int):
        return Cell(value.val_type, content.int_val)
    if isinstance(content, Bool):
        return Cell(value.val_type, content.bool_val)
    if isinstance(content, Double):
        return Cell(value.val_type, numbers.double(content.double_val))
    return Cell(value.val_type, None, v)


def first_sizes(
    method: Method, thing: int, given: Mapping[int, tuple[int, ...]] | None = None
) -> Sizes:
    """A tensor's sizes when the method is loaded; None when the caller decides.

    `given`: by input of sizes that may change, those that callers give it, if they are known.
    """
    tensor = method.tensor(thing)
    if tensor is None or tensor.sizes is None:
        return None
    if tensor.shape_dynamism != ShapeDynamism.STATIC and method.is_input[thing]:
        return None if given is None else given.get(thing)
    return tensor.sizes


def rank(method: Method, thing: int) -> int | None:
    """A tensor's number of dimensions, which never changes."""
    tensor = method.tensor(thing)
    return len(tensor.sizes) if tensor is not None and tensor.sizes is not None else None
