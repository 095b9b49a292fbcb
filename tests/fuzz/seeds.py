"""The programs that mutants are made from: exported ones, and generated ones."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.fuzz.generate import generated_seeds
from tests.fuzz.subject import Seed

DATA = Path(__file__).resolve().parent.parent / "data"

#: Generated programs beside the exported ones.
GENERATED = 120


def exported_seeds() -> Iterator[Seed]:
    """The real programs of ``tests/data``, clean ones first."""
    for folder in ("clean", "device"):
        yield from _seeds_in(DATA / folder)


def seeds_of(folder: Path) -> list[Seed]:
    """The sound programs of a folder, with the data files named after them."""
    return [seed for seed in _seeds_in(folder) if _is_sound(seed)]


def all_seeds(generated: int = GENERATED) -> list[Seed]:
    """Exported seeds and so many generated ones."""
    return [*exported_seeds(), *generated_seeds(1, generated)]


def _seeds_in(folder: Path) -> Iterator[Seed]:
    for path in sorted(folder.glob("*.pte")):
        data = sorted(path.parent.glob(f"{path.stem}*.ptd"))
        files = tuple(each.read_bytes() for each in data)
        yield Seed(f"{folder.name}/{path.stem}", path.read_bytes(), files)


def _is_sound(seed: Seed) -> bool:
    try:
        return bool(seed.program and seed.data_documents is not None)
    except ValueError:
        return False
