"""Defects that no random edit makes, one function a rule, each beside the good file it spoils."""

from __future__ import annotations

from collections.abc import Callable

from tests.fuzz.odd.compatibility import COMPATIBILITY
from tests.fuzz.odd.container import CONTAINER
from tests.fuzz.odd.contracts import CONTRACTS
from tests.fuzz.odd.cost import COST
from tests.fuzz.odd.data import DATA
from tests.fuzz.odd.defect import OddDefect
from tests.fuzz.odd.delegates import DELEGATES
from tests.fuzz.odd.device import DEVICE
from tests.fuzz.odd.memory import MEMORY
from tests.fuzz.odd.structure import STRUCTURE

__all__ = ["ODD_DEFECTS", "OddDefect"]

ODD_DEFECTS: dict[str, Callable[[], OddDefect]] = {
    **CONTAINER,
    **STRUCTURE,
    **MEMORY,
    **DEVICE,
    **DELEGATES,
    **DATA,
    **COMPATIBILITY,
    **CONTRACTS,
    **COST,
}
