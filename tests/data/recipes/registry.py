"""What a recipe is, and the list of all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Inputs = tuple[Any, ...]


@dataclass(frozen=True)
class Exported:
    """The files that one recipe makes, and how the runtime is asked to prove them.

    Attributes:
        files: File suffix (``".pte"``, ``".ptd"``, ``".first.ptd"``) to content.
        calls: Method name to its example inputs and the values PyTorch computes for them. Empty
            where the runtime of the Python package cannot run the file (device delegates).
        tolerance: How far, relative and absolute, results may be from PyTorch's.
    """

    files: Mapping[str, bytes]
    calls: Mapping[str, tuple[Inputs, tuple[Any, ...]]] = field(default_factory=dict)
    tolerance: float = 1e-3


@dataclass(frozen=True)
class Recipe:
    """One file (or a program with its data files) of ``tests/data``.

    Attributes:
        folder: ``"device"``, ``"clean"`` or ``"refused"`` (fails on the host alone).
        name: File name without suffix.
        how: The export settings that make it, in one line.
        intent: ``"clean"``, or what is wrong with the file, in one line.
        severity: What a linter should think: ``"clean"``, ``"warning"`` (works, or works when the
            caller does something unusual) or ``"error"`` (cannot work).
        make: Exports the program.
    """

    folder: str
    name: str
    how: str
    intent: str
    severity: str
    make: Callable[[], Exported]


_RECIPES: dict[tuple[str, str], Recipe] = {}


def recipe(
    folder: str, *, how: str, intent: str = "clean", severity: str = ""
) -> Callable[[Callable[[], Exported]], Callable[[], Exported]]:
    """Registers the decorated function; its name becomes the file's name.

    The severity follows from the intent (clean or error) unless it is given.

    Raises:
        ValueError: Two recipes of one folder have the same name.
    """

    def register(make: Callable[[], Exported]) -> Callable[[], Exported]:
        name = make.__name__
        if (folder, name) in _RECIPES:
            raise ValueError(f"two recipes are called {folder}/{name}")
        meant = severity or ("clean" if intent == "clean" else "error")
        _RECIPES[folder, name] = Recipe(folder, name, how, intent, meant, make)
        return make

    return register


def all_recipes() -> list[Recipe]:
    """Every recipe, by folder and name. Imports the recipe modules, and with them torch."""
    from . import (  # noqa: F401
        clean_complex,
        clean_control,
        clean_data,
        clean_delegates,
        clean_models,
        clean_values,
        clean_xnnpack,
        delegates,
        device_add,
        device_chain,
        device_data,
        device_methods,
        device_shapes,
    )

    return [_RECIPES[key] for key in sorted(_RECIPES)]
