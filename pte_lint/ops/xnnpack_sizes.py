"""Sizes of the values of an XNNPACK graph while it is played, and how nodes refuse them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, MutableMapping, Sequence

Sizes = tuple[int, ...]


class Refused(Exception):  # noqa: N818 - a result, not an error
    """A node cannot take the sizes; the text says why.

    `is_new`: runtimes before 1.5 do not look, and read past a tensor. `signal`: what the process
    dies of, where no error is returned.
    """

    def __init__(self, message: str, *, is_new: bool = False, signal: str = "") -> None:
        super().__init__(message)
        self.is_new = is_new
        self.signal = signal


class Unknown(Exception):  # noqa: N818 - the answer "cannot tell"
    """A node whose sizes are not followed."""


class KnownSizes(MutableMapping[int, Sizes]):
    """Sizes by the ids of values, of which several may be one place."""

    def __init__(
        self, numbers: Mapping[int, int], sizes: dict[int, Sizes], computed: Iterable[int]
    ) -> None:
        """Takes places by ids, sizes by places, and the ids of values that nodes compute."""
        self._numbers = numbers
        self._sizes = sizes
        self._awaited = {numbers[number] for number in computed if number in numbers}
        self._ranks = {place: len(each) for place, each in sizes.items()}
        self._empty = {
            place for place, each in sizes.items() if 0 in each and place not in self._awaited
        }

    def rank(self, number: int) -> int:
        """How many dimensions a value was defined with: nodes are told before sizes change."""
        return self._ranks[self._numbers[number]]

    def at(self, place: int) -> Sizes | None:
        """Sizes of a place; None where they are not known."""
        return self._sizes.get(place)

    def put(self, place: int, sizes: Sizes | None) -> None:
        """Notes the sizes of a place; None for what is not known."""
        self._empty.discard(place)
        if sizes is None:
            self._sizes.pop(place, None)
            return
        self._sizes[place] = sizes
        if 0 in sizes and place not in self._awaited:
            self._empty.add(place)

    def __getitem__(self, number: int) -> Sizes:
        return self._sizes[self._numbers[number]]

    def __setitem__(self, number: int, sizes: Sizes) -> None:
        self._awaited.discard(self._numbers[number])
        self.put(self._numbers[number], sizes)

    def __delitem__(self, number: int) -> None:
        del self._sizes[self._numbers[number]]
        self._empty.discard(self._numbers[number])

    def __iter__(self) -> Iterator[int]:
        return iter(self._sizes)

    def __len__(self) -> int:
        return len(self._sizes)

    def is_empty(self, number: int) -> bool:
        """Whether a value is known to have no elements; one to be computed is not yet."""
        return self._numbers[number] in self._empty


def need(condition: bool | None, message: str, *, is_new: bool = False) -> None:
    """Raises `Refused` where a condition does not hold; None decides nothing."""
    if condition is False:
        raise Refused(message, is_new=is_new)


def known(sizes: Sequence[int | None] | None) -> Sizes:
    """Sizes of which all are known."""
    return tuple([size for size in sizes or () if size is not None])
