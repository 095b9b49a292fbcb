"""Draws mutants: the same seed and number always give the same one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from random import Random

from pte_lint.schema.flat_tensor import FlatTensor
from pte_lint.schema.program import Program

from tests.fuzz.atlas import Atlas, atlas
from tests.fuzz.byte_edits import blind_edit, structure_edit
from tests.fuzz.edits import Edit, FieldEdit, Mutant
from tests.fuzz.field_edits import field_edit
from tests.fuzz.fieldmap import FieldMap, field_map
from tests.fuzz.flow_edits import FLOW_EDITS
from tests.fuzz.layout_edits import layout_edit
from tests.fuzz.plan_edits import PLAN_EDITS, Chosen
from tests.fuzz.subject import Seed

#: Families and how often each is drawn.
SHARES = {"field": 30, "plan": 15, "flow": 15, "layout": 8, "structure": 20, "blind": 12}

# Of a program with data files, so many of a hundred edits go to the latter.
_DATA_SHARE = 30
_TRIES = 40


class Source:
    """A seed with the maps that edits are drawn from."""

    def __init__(self, seed: Seed) -> None:
        """Prepares a seed; its maps are made when they are first needed."""
        self.seed = seed

    @cached_property
    def files(self) -> tuple[bytes, ...]:
        """The program and its data files."""
        return (self.seed.file, *self.seed.data)

    @cached_property
    def fields(self) -> tuple[FieldMap, ...]:
        """The fields of each file."""
        documents = (self.seed.program, *self.seed.data_documents)
        return tuple(field_map(each.root) for each in documents)

    @cached_property
    def atlases(self) -> tuple[Atlas, ...]:
        """The bytes of each file."""
        return tuple(
            atlas(file, Program if number == 0 else FlatTensor)
            for number, file in enumerate(self.files)
        )


class Draw:
    """A stream of mutants over some seeds."""

    def __init__(self, seeds: Sequence[Seed], stream: int) -> None:
        """Opens a stream.

        Args:
            seeds: What mutants are made from.
            stream: Number of the stream; other numbers give other mutants.
        """
        self._sources = [Source(seed) for seed in seeds]
        self._stream = stream

    def prepare(self) -> None:
        """Makes the maps of all seeds, so that the process grows no more by them."""
        for source in self._sources:
            assert len(source.fields) == len(source.atlases) == len(source.files)

    def mutant(self, number: int) -> Mutant:
        """The mutant of that number."""
        rng = Random(f"{self._stream}/{number}")
        source = self._sources[number % len(self._sources)]
        count = rng.choices((1, 2, 3), (80, 14, 6))[0]
        edits = [self._edit(rng, source) for _ in range(count)]
        return Mutant(source.seed, tuple(edits), number)

    def _edit(self, rng: Random, source: Source) -> Edit:
        for _ in range(_TRIES):
            family = rng.choices(tuple(SHARES), tuple(SHARES.values()))[0]
            file = 0
            if source.seed.data and rng.randrange(100) < _DATA_SHARE:
                file = rng.randint(1, len(source.seed.data))
            try:
                return self._of_family(rng, source, family, file)
            except LookupError:
                continue
        return blind_edit(rng, source.files[0], [source.files[0]])

    def _of_family(self, rng: Random, source: Source, family: str, file: int) -> Edit:
        if family == "field":
            return field_edit(rng, source.fields[file], file)
        if family == "structure":
            return structure_edit(rng, source.files[file], source.atlases[file], file)
        if family == "blind":
            others = [*source.files, rng.choice(self._sources).files[0]]
            return blind_edit(rng, source.files[file], others, file)
        documents = (source.seed.program, *source.seed.data_documents)
        if family == "layout":
            return layout_edit(rng, documents[file], source.files[file], file)
        program = documents[0].root
        assert isinstance(program, Program)
        edits = PLAN_EDITS if family == "plan" else FLOW_EDITS
        edit: FieldEdit = rng.choice(edits)(Chosen(rng, program))
        return edit
