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
        for path in sorted((DATA / folder).glob("*.pte")):
            data = sorted(path.parent.glob(f"{path.stem}*.ptd"))
            yield Seed(
                f"{folder}/{path.stem}", path.read_bytes(), tuple(p.read_bytes() for p in data)
            )


def all_seeds(generated: int = GENERATED) -> list[Seed]:
    """Exported seeds and so many generated ones."""
    return [*exported_seeds(), *generated_seeds(1, generated)]
