"""Sizes that follow from what a caller chooses, for concolic interpretation.

A method is interpreted with concrete sizes, the largest that callers may give. Beside its value, a
size that a caller chooses carries a symbol; checks that want two sizes equal tell here, and so it
is known afterwards which choices the method leaves open.
"""

from __future__ import annotations

from typing import Final


class Symbol:
    """A choice of the caller's, one dimension of an input; equal choices become one symbol."""

    __slots__ = ("_is_fixed", "_parent")

    def __init__(self) -> None:
        self._parent: Symbol | None = None
        self._is_fixed = False

    @property
    def root(self) -> Symbol:
        """What stands for all symbols that are this one."""
        found = self
        while found._parent is not None:
            found = found._parent
        return found

    @property
    def is_fixed(self) -> bool:
        """Whether calls need it to be one number."""
        return self.root._is_fixed

    def fix(self) -> None:
        """Notes that only one number will do."""
        self.root._is_fixed = True

    def join(self, other: Symbol) -> None:
        """Notes that both are the same choice."""
        mine, root = self.root, other.root
        if mine is not root:
            mine._parent = root
            root._is_fixed = root._is_fixed or mine._is_fixed


class Chosen(int):
    """A size `scale * symbol + offset`, and what that is at the symbol's largest.

    Sums, differences and products with numbers stay such; whatever else is computed from it
    follows the choice in an unknown way, and has a symbol of its own.
    """

    symbol: Symbol
    scale: int
    offset: int

    @classmethod
    def of(cls, value: int, symbol: Symbol, scale: int = 1, offset: int = 0) -> Chosen:
        """Makes a size."""
        made = cls(value)
        made.symbol, made.scale, made.offset = symbol, scale, offset
        return made

    @property
    def terms(self) -> tuple[Symbol, int, int]:
        """Equal for sizes that are the same for every choice."""
        return self.symbol.root, self.scale, self.offset

    def _moved(self, by: int) -> Chosen:
        return Chosen.of(int(self) + by, self.symbol, self.scale, self.offset + by)

    def _scaled(self, by: int) -> Chosen:
        return Chosen.of(int(self) * by, self.symbol, self.scale * by, self.offset * by)

    def __add__(self, other: int) -> int:
        if isinstance(other, Chosen):
            return _some(int(self) + int(other))
        return self._moved(other) if isinstance(other, int) else NotImplemented

    __radd__ = __add__

    def __mul__(self, other: int) -> int:
        if isinstance(other, Chosen):
            return _some(int(self) * int(other))
        return self._scaled(other) if isinstance(other, int) else NotImplemented

    __rmul__ = __mul__

    def __neg__(self) -> int:
        return self._scaled(-1)

    def __sub__(self, other: int) -> int:
        if isinstance(other, Chosen):
            return _some(int(self) - int(other))
        return self._moved(-other) if isinstance(other, int) else NotImplemented

    def __rsub__(self, other: int) -> int:
        return self._scaled(-1)._moved(other)

    def __floordiv__(self, other: int) -> int:
        divisor = int(other)
        if divisor == 1:
            return self
        if divisor and not self.scale % divisor and not self.offset % divisor:
            scale, offset = self.scale // divisor, self.offset // divisor
            return Chosen.of(int(self) // divisor, self.symbol, scale, offset)
        return _some(int(self) // divisor)

    def __rfloordiv__(self, other: int) -> int:
        return _some(int(other) // int(self))

    def __mod__(self, other: int) -> int:
        return _some(int(self) % int(other))

    def __rmod__(self, other: int) -> int:
        return _some(int(other) % int(self))


def _some(value: int) -> Chosen:
    """A number that follows from choices in a way that is not kept."""
    return Chosen.of(value, Symbol())


def following(value: int, *sources: object) -> int:
    """The value, as one that follows from choices if any of what it is computed from does."""
    if isinstance(value, Chosen) or not any(isinstance(each, Chosen) for each in sources):
        return value
    return _some(value)


def equate(left: object, right: object) -> None:
    """Notes that a check wants two sizes equal, which are so at the largest sizes."""
    if isinstance(left, Chosen):
        if not isinstance(right, Chosen):
            if left.scale:
                left.symbol.fix()
        elif (left.scale, left.offset) == (right.scale, right.offset) and left.scale:
            left.symbol.join(right.symbol)
    elif isinstance(right, Chosen):
        equate(right, left)


NUMBER: Final = (int, 0, 0)
"""The terms of a plain number, which no choice changes."""


def terms(size: float | None) -> tuple[object, int, int]:
    """Equal for sizes of one value that are the same for every choice."""
    return size.terms if isinstance(size, Chosen) else NUMBER
