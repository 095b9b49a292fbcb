"""What is asked of, and noted with, whoever plays the steps of a method.

Kinds of steps are played by modules of their own, and they all work on one method and one state.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from pte_lint.interpret.state import Cell, Sizes, State, Stop
from pte_lint.ir.method import Method
from pte_lint.ir.steps import Step
from pte_lint.ops.checks.call import Size


class Board(Protocol):
    """The method that is played, and what its values hold; see `pte_lint.interpret.player`."""

    method: Method
    changing: bytearray

    def cell(self, state: State, v: int) -> Cell:
        """What value `v` holds."""
        ...

    def sizes(self, state: State, thing: int) -> tuple[int, ...] | None:
        """The sizes of a tensor; None when they are not known."""
        ...

    def resized(self, state: State, thing: int, sizes: Sequence[Size] | None) -> None:
        """Notes the sizes that a tensor has from now on."""
        ...

    def kept(self, sizes: Sequence[Size] | None) -> Sizes:
        """The sizes, one object for all that are equal; None where one is not known."""
        ...

    def overwrite(self, step: Step, state: State) -> None:
        """Notes that tensors get other content, and perhaps another size."""
        ...

    def miscounted(self, step: Step) -> Stop:
        """The end of a run at a call with a wrong number of arguments."""
        ...

    def play_call(self, step: Step, state: State, key: tuple[object, ...]) -> Stop | None:
        """Plays a call that is not known to be like one that went well."""
        ...
