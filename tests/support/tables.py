"""Hypothesis strategies for tables of the three formats, absurd values included."""

from __future__ import annotations

from functools import cache
from typing import Any, get_args, get_type_hints

from hypothesis import strategies as st
from pte_lint.schema.bundled_program import BundledTensor, BundledValue
from pte_lint.schema.enums import InstructionKind
from pte_lint.schema.program import (
    Bool,
    DelegateCall,
    Double,
    EValue,
    FreeCall,
    Instruction,
    Int,
    JumpFalseCall,
    KernelCall,
    MoveCall,
    Span,
)

from pte_lint.testing.layout import SLOTS
from pte_lint.testing.values import CODES

# What spans of generated tables point into.
SOURCE = bytes(range(256))

_INTEGERS = {
    "u8": (0, 2**8 - 1),
    "i8": (-(2**7), 2**7 - 1),
    "i32": (-(2**31), 2**31 - 1),
    "u32": (0, 2**32 - 1),
    "i64": (-(2**63), 2**63 - 1),
    "u64": (0, 2**64 - 1),
}
_CONTENTS: dict[type, dict[int, type]] = {
    EValue: {int(code): kind for kind, code in CODES.items()},
    Instruction: {
        int(InstructionKind.KERNEL_CALL): KernelCall,
        int(InstructionKind.DELEGATE_CALL): DelegateCall,
        int(InstructionKind.MOVE_CALL): MoveCall,
        int(InstructionKind.JUMP_FALSE_CALL): JumpFalseCall,
        int(InstructionKind.FREE_CALL): FreeCall,
    },
    BundledValue: {1: BundledTensor, 2: Int, 3: Bool, 4: Double},
}
_TEXT = st.binary(max_size=6).map(lambda raw: raw.decode("utf-8", "surrogateescape"))


@st.composite
def _spans(draw: st.DrawFn) -> Span:
    start = draw(st.integers(0, len(SOURCE)))
    return Span(start, draw(st.integers(0, len(SOURCE) - start)))


@cache
def tables(kind: Any) -> st.SearchStrategy[Any]:
    """Any content of a table, given by its dataclass; spans point into `SOURCE`.

    No table of the formats lies inside itself, so this ends.
    """
    if kind in _CONTENTS:
        return _unions(kind)
    hints = get_type_hints(kind)
    return st.builds(kind, **{name: _field(word, hints[name]) for name, word in SLOTS[kind]})


def _unions(kind: Any) -> st.SearchStrategy[Any]:
    """A table that is one union: a known code with its content or none, or an unknown code."""
    contents = _CONTENTS[kind]
    known = [
        st.builds(kind, st.just(code), st.none() | tables(content))
        for code, content in contents.items()
    ]
    unknown = st.builds(kind, st.sampled_from([0, *range(len(contents) + 1, 256)]), st.none())
    return st.one_of(unknown, *known)


def _field(word: str, hint: Any) -> st.SearchStrategy[Any]:
    if word == "[table]":
        entries = next(arg for arg in get_args(hint) if arg is not type(None))
        return st.none() | st.lists(tables(get_args(entries)[0]), max_size=3).map(tuple)
    if word == "table":
        table = next(arg for arg in get_args(hint) if arg is not type(None))
        return st.none() | tables(table)
    if word == "str":
        return st.none() | _TEXT
    if word == "bytes":
        return st.none() | st.binary(max_size=6)
    if word.startswith("span"):
        return st.none() | _spans()
    if word.startswith("["):
        return st.none() | st.lists(_scalar(word[1:-1]), max_size=4).map(tuple)
    return _scalar(word)


def _scalar(word: str) -> st.SearchStrategy[Any]:
    if word == "bool":
        return st.booleans()
    if word == "f64":
        return st.floats(allow_nan=True, allow_infinity=True)
    least, most = _INTEGERS[word]
    return st.sampled_from([0, 1, least, most]) | st.integers(least, most)
