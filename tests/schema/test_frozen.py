"""Our dataclasses behave as those of the standard library do, for every shape that is in use."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from collections.abc import Callable
from typing import Any, ClassVar

import pytest
from pte_lint.schema import frozen


def _pair(**options: bool) -> tuple[type[Any], type[Any]]:
    """One class made by us, one by the standard library."""
    made = []
    for make in (frozen.dataclass, dataclasses.dataclass):
        one: Callable[..., Any] = make(frozen=True, slots=True, **options)

        @one
        class Sample:
            a: int
            b: str = "x"
            c: list[int] = frozen.field(default_factory=list)

            @property
            def both(self) -> str:
                return f"{self.a}{self.b}"

        made.append(Sample)
    return made[0], made[1]


PAIRS = [_pair(), _pair(kw_only=True), _pair(order=True)]


@frozen.dataclass(frozen=True, slots=True)
class Kept:
    """At the top of the module, so that it can be pickled."""

    a: int
    b: tuple[int, ...] = ()


@pytest.mark.parametrize("pair", PAIRS)
def test_they_are_made_alike(pair: tuple[type[Any], type[Any]]) -> None:
    for cls in pair:
        one = cls(a=1)
        assert (one.a, one.b, one.c, one.both) == (1, "x", [], "1x")
        assert one.c is not cls(a=1).c
        assert cls(a=1, b="y", c=[2]).c == [2]
        for wrong in ({}, {"a": 1, "d": 2}):
            with pytest.raises(TypeError):
                cls(**wrong)
    assert repr(pair[0](a=1)) == repr(pair[1](a=1))
    assert pair[0].__match_args__ == pair[1].__match_args__
    names = [list(inspect.signature(cls).parameters.values()) for cls in pair]
    assert [(p.name, p.kind) for p in names[0]] == [(p.name, p.kind) for p in names[1]]


def test_arguments_by_keyword_only() -> None:
    for cls in PAIRS[1]:
        with pytest.raises(TypeError):
            cls(1)


def test_they_are_equal_and_hash_alike() -> None:
    for cls in PAIRS[0]:
        assert cls(1, "x") == cls(1)
        assert cls(1) != cls(2)
        assert cls(1) != (1, "x", [])
    assert PAIRS[0][0](1) != PAIRS[0][1](1)
    assert Kept(1, (2,)) in {Kept(1, (2,))}
    assert hash(Kept(1)) == hash((1, ()))


def test_order() -> None:
    for cls in PAIRS[2]:
        assert cls(1) < cls(2)
        assert cls(2, "a") <= cls(2, "b")
        assert sorted([cls(3), cls(1)], reverse=True) == [cls(3), cls(1)]
        with pytest.raises(TypeError):
            assert cls(1) < 2
    with pytest.raises(TypeError):
        assert PAIRS[0][0](1) < PAIRS[0][0](2)


def test_they_do_not_change() -> None:
    for cls in PAIRS[0]:
        one = cls(1)
        with pytest.raises(dataclasses.FrozenInstanceError):
            one.a = 2
        with pytest.raises(dataclasses.FrozenInstanceError):
            del one.a
        with pytest.raises((AttributeError, TypeError)):
            one.new = 2
        assert not hasattr(one, "__dict__")


@pytest.mark.parametrize("pair", PAIRS)
def test_dataclasses_know_them(pair: tuple[type[Any], type[Any]]) -> None:
    ours, theirs = ([(f.name, f.type, f.kw_only) for f in dataclasses.fields(c)] for c in pair)
    assert ours == theirs
    assert dataclasses.is_dataclass(pair[0])
    assert dataclasses.replace(pair[0](a=1), b="y") == pair[0](a=1, b="y")
    assert dataclasses.asdict(pair[0](a=1)) == {"a": 1, "b": "x", "c": []}


def test_they_are_copied_whole() -> None:
    one = Kept(1, (2, 3))
    for twin in (pickle.loads(pickle.dumps(one)), copy.copy(one), copy.deepcopy(one)):
        assert twin == one
        assert type(twin) is Kept


def test_what_is_out_of_the_ordinary_is_left_to_the_standard_library() -> None:
    made: list[int] = []
    with pytest.raises(ValueError, match="mutable default"):

        @frozen.dataclass(frozen=True, slots=True)
        class _Shared:
            a: list[int] = made

    @frozen.dataclass(frozen=True, slots=True)
    class Base:
        a: int = 1
        kind: ClassVar[str] = "base"

        def __post_init__(self) -> None:
            object.__setattr__(self, "a", self.a + 1)

    @frozen.dataclass(frozen=True, slots=True)
    class Derived(Base):
        b: int = frozen.field(default=2, compare=False)

    assert Derived(3, 4) == Derived(3, 5)
    assert (Derived(3).a, Derived.kind) == (4, "base")
    assert [f.name for f in dataclasses.fields(Derived)] == ["a", "b"]

    @frozen.dataclass(slots=True)
    class Open:
        a: int = 1

    changed = Open()
    changed.a = 2
    assert changed == Open(2)


def test_a_class_made_by_us_can_be_built_upon() -> None:
    @frozen.dataclass(frozen=True, slots=True)
    class More(Kept):
        c: int = 0

    assert More(1, (), 2) == More(1, c=2)
    assert [f.name for f in dataclasses.fields(More)] == ["a", "b", "c"]
