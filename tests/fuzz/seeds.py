"""The programs that mutants are made from: exported ones, and generated ones."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.fuzz.subject import Seed

DATA = Path(__file__).resolve().parent.parent / "data"


def exported_seeds() -> Iterator[Seed]:
    """The real programs of ``tests/data`` whose flatbuffer is sound, clean ones first."""
    for folder in ("clean", "device"):
        for path in sorted((DATA / folder).glob("*.pte")):
            data = sorted(path.parent.glob(f"{path.stem}*.ptd"))
            yield Seed(
                f"{folder}/{path.stem}", path.read_bytes(), tuple(p.read_bytes() for p in data)
            )
