"""Puts a changed file's code into the functions that are loaded; nothing is imported anew."""

from __future__ import annotations

import functools
import gc
from collections import defaultdict
from collections.abc import Container, Iterator
from types import CodeType, FunctionType
from typing import Any

from tests.mutation.changes import Mutant
from tests.mutation.places import ROOT

_Place = tuple[str, int]
_Codes = dict[_Place, list[tuple[CodeType, "_Place | None"]]]


class Loaded:
    """The functions and caches of this process, as they are when it is made."""

    def __init__(self) -> None:
        self._functions: dict[str, dict[_Place, list[FunctionType]]] = defaultdict(dict)
        self._caches: list[Any] = []
        for each in gc.get_objects():
            if type(each) is FunctionType:
                code = each.__code__
                at = self._functions[code.co_filename].setdefault(_place(code), [])
                at.append(each)
            elif type(each) is functools._lru_cache_wrapper and _is_ours(each):
                self._caches.append(each)

    def swap(self, mutant: Mutant, source: bytes) -> bool:
        """Changes the product in this process.

        Returns:
            False where that cannot be done: the change is of what runs when a module is imported.
        """
        path = str(ROOT / mutant.file)
        here = self._functions.get(path)
        if here is None:
            return False
        before = _codes(compile(source, path, "exec", dont_inherit=True))
        after = _codes(compile(mutant.apply(source), path, "exec", dont_inherit=True))
        if before.keys() != after.keys():
            return False
        for place, each in after.items():
            old = before[place]
            if [_itself(code) for code, _ in each] == [_itself(code) for code, _ in old]:
                continue
            if len(each) > 1 or not _is_loaded(place, after, here):
                return False
        for place, functions in here.items():
            (code, _), *others = after.get(place, [(None, None)])
            if code is None or others or code == before[place][0][0]:
                continue
            for function in functions:
                if code.co_freevars != function.__code__.co_freevars:
                    return False
                function.__code__ = code
        for cache in self._caches:
            cache.cache_clear()
        return True


def _is_ours(cache: Any) -> bool:
    return str(cache.__module__).startswith("pte_lint")


def _place(code: CodeType) -> _Place:
    return code.co_name, code.co_firstlineno


def _itself(code: CodeType) -> CodeType:
    """Without what is defined in it."""
    consts = (None if isinstance(each, CodeType) else each for each in code.co_consts)
    return code.replace(co_consts=tuple(consts))


def _is_loaded(place: _Place, codes: _Codes, functions: Container[_Place]) -> bool:
    """Whether it is the code of a function that is loaded, or of one that such a function makes."""
    at: _Place | None = place
    while at is not None and at not in functions:
        at = codes[at][0][1]
    return at is not None


def _codes(code: CodeType) -> _Codes:
    found: _Codes = defaultdict(list)
    for each, around in _all_codes(code, None):
        found[_place(each)].append((each, around))
    return found


def _all_codes(code: CodeType, around: _Place | None) -> Iterator[tuple[CodeType, _Place | None]]:
    yield code, around
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _all_codes(each, _place(code))
