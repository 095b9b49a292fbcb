"""Documents are the same JSON whether they are written at once or in pieces."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import cast

import pytest

from pte_lint.report.jsonable import Room, dumps, line, pieces


@dataclass(frozen=True)
class Leaf:
    zeta: int
    alpha: tuple[str, ...]


@dataclass(frozen=True)
class Tree:
    name: str
    leaves: tuple[Leaf, ...]
    trees: tuple[Tree, ...] = ()
    by_name: dict[str, int] | None = None


def _deep(levels: int) -> Tree:
    below = (_deep(levels - 1), Tree("bare", ())) if levels else ()
    leaves = (Leaf(1, ("a", "\u202eb")), Leaf(2, ()))
    return Tree(f"at {levels}", leaves, below, {"y": 1, "x": 2})


@pytest.mark.parametrize("levels", range(6))
def test_pieces_are_what_the_encoder_of_python_writes(levels: int) -> None:
    document = _deep(levels)
    plain = json.loads(dumps(document))
    assert dumps(document) == json.dumps(plain, indent=2, sort_keys=True) + "\n"
    assert set(plain) == set(asdict(document))
    assert plain["leaves"] == [{"zeta": 1, "alpha": ["a", "\u202eb"]}, {"zeta": 2, "alpha": []}]


def test_what_is_made_late_is_written_where_it_belongs() -> None:
    seen: list[str] = []

    def leaves() -> object:
        for each in "ab":
            seen.append(each)
            yield line(Leaf(len(seen), (each,)))

    document = Tree(
        cast("str", cast("Callable[[], str]", lambda: "".join(seen))),
        cast("tuple[Leaf, ...]", leaves()),
    )
    written = pieces(document)
    first = next(written)
    assert (first, seen) == ("{", [])
    text = first + "".join(written)
    assert '\n    {"alpha": ["b"], "zeta": 2}\n' in text
    made = json.loads(text)
    assert made["name"] == "ab"
    assert [leaf["zeta"] for leaf in made["leaves"]] == [1, 2]


def test_items_for_which_there_is_no_room_are_counted_by_their_list() -> None:
    room = Room(3000)
    leaves = tuple(Leaf(number, ()) for number in range(90))
    text = "".join(pieces(Tree("all", leaves, (Tree("below", leaves),)), room))
    made = json.loads(text)
    listed = len(made["leaves"])
    assert 16 < listed < 90
    assert made["leaves"] == [{"zeta": number, "alpha": []} for number in range(listed)]
    assert len(made["trees"][0]["leaves"]) == 16, "a few are always listed"
    assert room.unlisted == {"leaves": 90 - listed, "trees[0].leaves": 74}
