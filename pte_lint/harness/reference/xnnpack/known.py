"""The numbers of a graph's values while its nodes are computed one after the other."""

from __future__ import annotations

from collections.abc import Mapping

import torch

from pte_lint.harness.reference.xnnpack.constants import NotComputed
from pte_lint.harness.reference.xnnpack.values import Place, Rounding, wide


class Known:
    """Values by the ids of nodes.

    Args:
        numbers: The place of each id.
        places: What there is at each place.
        rounding: How results are rounded to steps.
    """

    def __init__(
        self, numbers: Mapping[int, int], places: Mapping[int, Place], rounding: Rounding
    ) -> None:
        self._numbers, self._places = numbers, places
        self._known: dict[int, torch.Tensor] = {}
        self.rounding = rounding
        self.has_nan = False
        """Whether a NaN came up: what becomes of it kernels decide as they like."""

    def place(self, number: int) -> Place:
        """The value of an id.

        Raises:
            NotComputed: There is none.
        """
        place = self._numbers.get(number)
        if place is None:
            raise NotComputed("a node names a value that there is not")
        return self._places[place]

    def numbers(self, number: int) -> torch.Tensor:
        """The numbers of a value that was given or computed, or is constant.

        Raises:
            NotComputed: It is none of these.
        """
        place = self.place(number)
        at = self._numbers[number]
        if at not in self._known:
            if not place.tensor.constant_buffer_idx:
                raise NotComputed("a node reads what nothing wrote")
            self._known[at] = place.constant()
        return self._known[at]

    def alike(self, *ids: int) -> list[torch.Tensor]:
        """The numbers of several values in one type."""
        return list(wide(*map(self.numbers, ids)))

    def give(self, at: int, numbers: torch.Tensor) -> None:
        """Puts what an external value holds at its place."""
        self.has_nan = self.has_nan or bool(numbers.isnan().any())
        self._known[at] = numbers

    def put(self, number: int, numbers: torch.Tensor, off: float) -> None:
        """Writes a result as its value keeps it; `off` as in `Rounding`."""
        self.place(number)
        self.has_nan = self.has_nan or bool(numbers.isnan().any())
        self._known[self._numbers[number]] = self.rounding.stored(self.place(number), numbers, off)

    def at(self, place: int) -> torch.Tensor:
        """The numbers of a place.

        Raises:
            NotComputed: Nothing wrote them.
        """
        if place not in self._known:
            raise NotComputed("an output is not written")
        return self._known[place]
