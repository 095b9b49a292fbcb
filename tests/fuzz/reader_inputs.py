"""Inputs for the reader alone: cheap to make, so that a million of them can be read."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from pte_lint.schema.bundled_program import BundledProgram
from pte_lint.schema.flat_tensor import FlatTensor
from pte_lint.schema.loaded import read_program
from pte_lint.schema.program import Program

from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.data_builder import DataTensor, build_bundle, build_data
from pte_lint.testing.program_builder import build_program
from tests.fuzz.atlas import Atlas, atlas
from tests.fuzz.byte_edits import blind_edit, structure_edit
from tests.fuzz.draw import Draw
from tests.fuzz.edits import DoesNotApply
from tests.fuzz.garbage import garbage
from tests.fuzz.sharing import sharing_program
from tests.fuzz.subject import Seed
from tests.fuzz.tiny import tiny_seeds

#: How often each family is drawn, of a hundred.
SHARES = {
    "one piece of structure": 12, "several edits of bytes": 36, "blind edit": 16,
    "edit of the model": 3, "garbage": 12, "data file": 9, "bundle": 4, "delegate's blob": 4,
    "another format's name": 4,
}  # fmt: skip

#: Of a hundred inputs made from a program, so many are made from a tiny one.
_TINY_SHARE = 85

#: One input of so many is a large one.
LARGE_EVERY = 2500

_LARGE = "large"
_IDENTIFIERS = (b"ET12", b"FT01", b"BP08")


@dataclass(frozen=True)
class ReaderInput:
    """Something to read.

    Attributes:
        family: How it was made.
        content: Its bytes.
        is_blob: Whether it stands for a delegate's blob and not for a file.
    """

    family: str
    content: bytes
    is_blob: bool = False


@dataclass(frozen=True)
class _Sound:
    """A sound file and the map of its bytes."""

    content: bytes
    map: Atlas


class ReaderInputs:
    """Makes inputs by number: the same stream and number always give the same one."""

    def __init__(self, seeds: Sequence[Seed], stream: int) -> None:
        """Prepares what inputs are made from.

        Args:
            seeds: Programs and their data files, taken beside the tiny ones.
            stream: Number of the stream; other numbers give other inputs.
        """
        ordered = sorted(seeds, key=lambda each: len(each.file))
        self._seeds = ordered
        self._stream = stream
        self._draw = Draw(ordered, stream)
        self._draw.prepare()
        self._programs = [_Sound(each.file, atlas(each.file)) for each in ordered]
        self._tiny = [_Sound(each.file, atlas(each.file)) for each in tiny_seeds()]
        data = {content for each in ordered for content in each.data}
        self._data = [_Sound(each, atlas(each, FlatTensor)) for each in sorted(data)]
        self._bundles = [(_bundle(each.content), each) for each in self._tiny]
        self._blobs = [blob for each in ordered for blob in blobs_of(each.file)]
        self._large = [_chain(300), _chain(1500), _sound_data(400)]
        self._ways: dict[str, Callable[[Random, int], bytes]] = {
            "one piece of structure": lambda rng, _: _structure(rng, self._small(rng)),
            "several edits of bytes": lambda rng, _: self._several(rng),
            "blind edit": lambda rng, _: self._blind(rng),
            "edit of the model": self._model,
            "garbage": lambda rng, _: garbage(rng, self._seeds),
            "data file": lambda rng, _: _structure(rng, rng.choice(self._data)),
            "bundle": lambda rng, _: self._bundle(rng),
            "delegate's blob": lambda rng, _: _damaged(rng, rng.choice(self._blobs)),
            "another format's name": lambda rng, _: self._renamed(rng),
        }

    def make(self, number: int) -> ReaderInput:
        """The input of that number."""
        rng = Random(f"reader/{self._stream}/{number}")
        if number % LARGE_EVERY == 0:
            return ReaderInput(_LARGE, self._big(rng))
        family = rng.choices(tuple(SHARES), tuple(SHARES.values()))[0]
        content = self._ways[family](rng, number)
        return ReaderInput(family, content, is_blob=family == "delegate's blob")

    def _small(self, rng: Random) -> _Sound:
        if rng.randrange(100) < _TINY_SHARE:
            return rng.choice(self._tiny)
        return self._programs[int(len(self._programs) * rng.random() ** 2)]

    def _several(self, rng: Random) -> bytes:
        sound = self._small(rng)
        content = sound.content
        for _ in range(rng.randint(2, 6)):
            content = structure_edit(rng, content, sound.map).applied(content)
        return content if rng.random() < 0.8 else _damaged(rng, content)

    def _blind(self, rng: Random) -> bytes:
        content = self._small(rng).content
        return blind_edit(rng, content, [content, self._small(rng).content]).applied(content)

    def _model(self, rng: Random, number: int) -> bytes:
        try:
            program, data = self._draw.mutant(number).files()
        except DoesNotApply:
            return garbage(rng, self._seeds)
        return rng.choice((program, program, *data))

    def _bundle(self, rng: Random) -> bytes:
        """A bundle with an edit of its own tables, or of the program in it."""
        bundle, program = rng.choice(self._bundles)
        if rng.random() < 0.5:
            return _structure(rng, bundle)
        inner = _structure(rng, program)
        at = bundle.content.index(program.content)
        return bundle.content[:at] + inner + bundle.content[at + len(program.content) :]

    def _renamed(self, rng: Random) -> bytes:
        bundle, _ = rng.choice(self._bundles)
        sound = rng.choice((self._small(rng), rng.choice(self._data), bundle))
        content = _structure(rng, sound)
        return content[:4] + rng.choice(_IDENTIFIERS) + content[8:]

    def _big(self, rng: Random) -> bytes:
        way = rng.randrange(5)
        if way == 0:
            return _structure(rng, rng.choice(self._large))
        if way == 4:
            return sharing_program(rng)
        if way == 1:
            return _damaged(rng, rng.choice(self._large).content)
        head = struct.pack("<I", 4 * rng.randrange(2, 64)) + rng.choice(_IDENTIFIERS)
        count = rng.choice((20_000, 60_000, 250_000))
        if way == 2:
            # Every word an offset to the next ones: as much sharing as a file can have.
            return head + struct.pack("<I", rng.choice((4, 8, 12, 16, 64))) * count
        small = rng.choice(self._programs).content
        return small + rng.choice((small, rng.randbytes(64))) * (4 * count // len(small))


def _structure(rng: Random, sound: _Sound) -> bytes:
    try:
        return structure_edit(rng, sound.content, sound.map).applied(sound.content)
    except (LookupError, ValueError):
        return _damaged(rng, sound.content)


def _damaged(rng: Random, content: bytes) -> bytes:
    if not content:
        return rng.randbytes(rng.choice((0, 1, 8, 70)))
    for _ in range(rng.randint(1, 3)):
        content = blind_edit(rng, content, [content]).applied(content) or content
    return content


def _bundle(program: bytes) -> _Sound:
    tensor = DataTensor([1, 2, 3, 4], (2, 2))
    content = build_bundle(program, {"forward": [([tensor, 3, True], [tensor])]}).bytes()
    return _Sound(content, atlas(content, BundledProgram))


def _chain(length: int) -> _Sound:
    """A program of so many instructions."""
    b = MethodBuilder()
    x = b.input((2, 2))
    for _ in range(length):
        x = b.call("aten::relu.out", x, out=(2, 2))
    b.output(x)
    content = build_program(b).bytes()
    return _Sound(content, atlas(content, Program))


def _sound_data(keys: int) -> _Sound:
    """A data file of so many keys."""
    content = build_data({f"weight{n}": DataTensor([n], (1,)) for n in range(keys)}).bytes()
    return _Sound(content, atlas(content, FlatTensor))


def blobs_of(file: bytes) -> list[bytes]:
    """The blobs of a program's delegates that lie in segments."""
    loaded = read_program(file)
    program, area = loaded.program, loaded.container.segment_base_offset
    found = []
    for plan in (program.execution_plan or ()) if program is not None else ():
        for delegate in plan.delegates or ():
            place = delegate.processed.index if delegate.processed is not None else 0
            segments = program.segments if program is not None else None
            if segments and place < len(segments):
                start = area + segments[place].offset
                found.append(file[start : start + segments[place].size])
    return found
