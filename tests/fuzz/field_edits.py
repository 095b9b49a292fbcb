"""Edits of single fields: every field of every table, with values that are often wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from typing import Any

from pte_lint.schema.program import EValue, Instruction

from tests.fuzz.edits import FieldEdit
from tests.fuzz.fieldmap import FieldKind, FieldMap, Place

_RANGES = {
    "u8": (0, 2**8 - 1),
    "i8": (-(2**7), 2**7 - 1),
    "i32": (-(2**31), 2**31 - 1),
    "u32": (0, 2**32 - 1),
    "i64": (-(2**63), 2**63 - 1),
    "u64": (0, 2**64 - 1),
}
_DOUBLES = (0.0, -0.0, 1.0, -1.0, 0.5, 1e300, float("inf"), float("-inf"), float("nan"))
_TEXTS = ("", "x", "forward", "aten::add", "out", "a" * 99, "a" * 100, "\udcff\udcfe", "\x1b[31m")

New = Callable[[Random, Place, Sequence[Place]], tuple[str, Any]]


def field_edit(rng: Random, fields: FieldMap, file: int = 0) -> FieldEdit:
    """An edit of one field, each kind of field being as likely as any other.

    Raises:
        LookupError: The kind that was drawn cannot be changed here; draw again.
    """
    kind = rng.choice(list(fields))
    places = fields[kind]
    place = rng.choice(places)
    why, value = _new_value(kind, rng, place, places)
    if value == place.value and type(value) is type(place.value):
        raise LookupError("the same value")
    name = f"{kind.table.__name__}.{kind.name}"
    return FieldEdit("field", ((place.path, value),), f"{name}: {why}", file)


def _new_value(
    kind: FieldKind, rng: Random, place: Place, places: Sequence[Place]
) -> tuple[str, Any]:
    word = kind.word
    if kind.table in (EValue, Instruction) and word == "u8":
        return "another code", rng.choice([*range(13), 255])
    if word in _RANGES:
        return _integer(word, rng, place, places)
    if word == "bool":
        return "flipped", not place.value
    if word == "f64":
        return "another number", rng.choice(_DOUBLES)
    if word == "str":
        return _text(rng, place, places)
    if word == "bytes":
        return _bytes(rng, place, places)
    if word in ("table", "union") or word.startswith("span"):
        return _whole(rng, place, places)
    return _vector(word, rng, place, places)


def _integer(word: str, rng: Random, place: Place, places: Sequence[Place]) -> tuple[str, int]:
    least, most = _RANGES[word]
    old = place.value
    choices: list[tuple[str, int]] = [
        ("one more", old + 1),
        ("one less", old - 1),
        ("zero", 0),
        ("one", 1),
        ("minus one", -1),
        ("the least", least),
        ("the most", most),
        ("half", old // 2),
        ("double", old * 2),
        ("a small one", rng.randrange(12)),
        ("any", rng.randint(least, most)),
        ("that of another", rng.choice(places).value),
        ("that of another", rng.choice(places).value),
    ]
    why, value = rng.choice(choices)
    return why, min(max(value, least), most)


def _text(rng: Random, place: Place, places: Sequence[Place]) -> tuple[str, str | None]:
    old = place.value or ""
    choices: list[tuple[str, str | None]] = [
        ("gone", None),
        ("another text", rng.choice(_TEXTS)),
        ("longer", old + "x"),
        ("shorter", old[:-1]),
        ("other case", old.swapcase()),
        ("that of another", rng.choice(places).value),
        ("that of another", rng.choice(places).value),
    ]
    return rng.choice(choices)


def _bytes(rng: Random, place: Place, places: Sequence[Place]) -> tuple[str, bytes | None]:
    old = place.value or b""
    choices: list[tuple[str, bytes | None]] = [
        ("gone", None),
        ("empty", b""),
        ("shorter", old[:-1]),
        ("longer", old + b"1"),
        ("another device", rng.choice([b"cpu", b"cuda", b"cuda:1", b"cuda:x", b"CUDA:0", b" "])),
        ("that of another", rng.choice(places).value),
    ]
    return rng.choice(choices)


def _whole(rng: Random, place: Place, places: Sequence[Place]) -> tuple[str, Any]:
    """A table, a union's content, or a range of bytes."""
    if rng.random() < 0.35:
        return "gone", None
    return "that of another", rng.choice(places).value


def _vector(word: str, rng: Random, place: Place, places: Sequence[Place]) -> tuple[str, Any]:
    old = list(place.value or ())
    change = rng.choice(_CHANGES if old else _CHANGES_OF_NOTHING)
    element = partial(_element, word, rng, places)
    return change(rng, old, place, places, element)


def _element(word: str, rng: Random, places: Sequence[Place], old: Any) -> Any:
    inner = word[1:-1]
    if inner == "table":
        some = [each for place in places for each in place.value or ()]
        return rng.choice(some) if some else None
    if inner == "f64":
        return rng.choice(_DOUBLES)
    elements = [Place("", "", each) for place in places[:50] for each in place.value or ()]
    nothing = Place("", "", 0)
    here = nothing if old is None else Place("", "", old)
    return _integer(inner, rng, here, elements or [nothing])[1]


_Change = Callable[
    [Random, list[Any], Place, Sequence[Place], Callable[[Any], Any]], tuple[str, Any]
]


def _gone(*_: Any) -> tuple[str, Any]:
    return "gone", None


def _empty(*_: Any) -> tuple[str, Any]:
    return "empty", ()


def _other(
    rng: Random, old: list[Any], place: Place, places: Sequence[Place], element: Any
) -> tuple[str, Any]:
    return "that of another", rng.choice(places).value


def _dropped(rng: Random, old: list[Any], *_: Any) -> tuple[str, Any]:
    del old[rng.randrange(len(old))]
    return "one dropped", tuple(old)


def _doubled(rng: Random, old: list[Any], *_: Any) -> tuple[str, Any]:
    at = rng.randrange(len(old))
    old.insert(rng.choice([at, len(old)]), old[at])
    return "one twice", tuple(old)


def _swapped(rng: Random, old: list[Any], *_: Any) -> tuple[str, Any]:
    a, b = rng.randrange(len(old)), rng.randrange(len(old))
    old[a], old[b] = old[b], old[a]
    return "two swapped", tuple(old)


def _moved(rng: Random, old: list[Any], *_: Any) -> tuple[str, Any]:
    one = old.pop(rng.randrange(len(old)))
    old.insert(rng.randint(0, len(old)), one)
    return "one moved", tuple(old)


def _cut(rng: Random, old: list[Any], *_: Any) -> tuple[str, Any]:
    return "cut short", tuple(old[: rng.randrange(len(old))])


def _set_one(
    rng: Random, old: list[Any], place: Place, places: Sequence[Place], element: Any
) -> tuple[str, Any]:
    at = rng.randrange(len(old))
    old[at] = element(old[at])
    return "one replaced", tuple(old)


def _appended(
    rng: Random, old: list[Any], place: Place, places: Sequence[Place], element: Any
) -> tuple[str, Any]:
    old.append(element(old[-1] if old else None))
    return "one appended", tuple(old)


_CHANGES: tuple[_Change, ...] = (
    _gone, _empty, _other, _dropped, _doubled, _swapped, _moved, _cut, _set_one, _set_one,
    _appended,
)  # fmt: skip
_CHANGES_OF_NOTHING: tuple[_Change, ...] = (_gone, _empty, _other, _appended)
