"""The programs that mutants are made from: exported ones, and generated ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from pte_lint.schema.enums import ShapeDynamism

from pte_lint.questions.method import Method
from tests.fuzz.generate import generated_seeds
from tests.fuzz.subject import Seed
from tests.fuzz.verdicts import judgement

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


def dynamic_twins(seeds: Iterable[Seed]) -> Iterator[Seed]:
    """The same programs with bounded sizes: every tensor with memory of its own may shrink.

    Not those with a view whose call the exporter left out: nothing would give it its sizes, so
    that the exporter leaves such calls out for sizes that never change only.
    """
    for seed in seeds:
        document = seed.program
        methods = judgement(seed.file, seed.data).methods
        if any(_is_left_out(method, v) for method in methods for v in method.tensors):
            continue
        for method in methods:
            for v in method.tensors:
                tensor = method.tensor(v)
                if tensor is not None and not tensor.data_buffer_idx:
                    path = f"{method.path}.values[{v}].val.shape_dynamism"
                    document = document.with_field(path, ShapeDynamism.DYNAMIC_BOUND)
        yield Seed(f"{seed.name}, dynamic", document.written(), seed.data)


def _is_left_out(method: Method, v: int) -> bool:
    """Whether a tensor is read that no call writes, no caller gives, and no file holds."""
    tensor = method.tensor(v)
    is_given = method.is_input[v] or (tensor is not None and tensor.data_buffer_idx)
    return bool(method.readers(v)) and not method.writers(v) and not is_given


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
