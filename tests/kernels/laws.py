"""What the table says of each operator, summed up: tells which operators a change is about.

The check of an operator is followed to all functions, classes and constants of `pte_lint.ops` that
it names, and to those that they name. An operator has been swept as it is now if its sum is the one
in `swept.json`.
"""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Final

from pte_lint.ops.checks.table import KNOWN, check_of

SWEPT: Final = Path(__file__).with_name("swept.json")
"""By operator, the sum of what was swept whole, without a difference."""

_PACKAGE: Final = "pte_lint.ops"


def sums() -> dict[str, str]:
    """By operator, a sum of all that its check is made of."""
    return {operator: sum_of(check_of(operator), operator) for operator in sorted(KNOWN)}


def unswept() -> list[str]:
    """Operators that are not what was swept last."""
    swept = json.loads(SWEPT.read_text(encoding="utf-8"))
    return [operator for operator, now in sums().items() if swept.get(operator) != now]


def keep(operators: Iterable[str]) -> None:
    """Takes down that these were swept as they are now; forgets operators that are gone."""
    now, done = sums(), set(operators)
    swept = json.loads(SWEPT.read_text(encoding="utf-8")) if SWEPT.exists() else {}
    known = {each: now[each] if each in done else swept.get(each) for each in now}
    kept = {each: value for each, value in known.items() if value is not None}
    SWEPT.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def sum_of(check: object, operator: str) -> str:
    """The sum of one check."""
    parts: dict[int, str] = {}
    work: list[object] = [check]
    while work:
        thing = work.pop()
        if id(thing) in parts:
            continue
        parts[id(thing)], named = _text(thing, operator)
        work += named
    # Which module has a function does not matter, nor how often it is named.
    text = "\n".join(sorted(set(parts.values())))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _text(thing: object, operator: str) -> tuple[str, list[object]]:
    """What a thing adds to the sum, and what else it stands for."""
    if isinstance(thing, MethodType):
        return "", [thing.__func__, thing.__self__]
    if hasattr(thing, "__wrapped__"):
        return "", [thing.__wrapped__]
    if isinstance(thing, FunctionType):
        return (_source(thing), [*_named(thing)]) if _is_ours(thing) else ("", [])
    if isinstance(thing, type):
        return (_source(thing) if _is_ours(thing) else "", [])
    if isinstance(thing, Mapping):
        # Of a table with an entry for each operator only the own one counts.
        return ("", [thing[operator]]) if operator in thing else (_constant(thing), [])
    return _constant(thing), []


def _is_ours(thing: FunctionType | type) -> bool:
    return (thing.__module__ or "").startswith(_PACKAGE)


@cache
def _source(thing: FunctionType | type) -> str:
    return inspect.cleandoc(inspect.getsource(thing))


def _constant(thing: object) -> str:
    """A value as text, the same in every process: sets have no order."""
    if isinstance(thing, set | frozenset):
        return f"{{{', '.join(sorted(map(_constant, thing)))}}}"
    if isinstance(thing, Mapping):
        return str(sorted((_constant(key), _constant(value)) for key, value in thing.items()))
    if isinstance(thing, list | tuple):
        return f"[{', '.join(map(_constant, thing))}]"
    if hasattr(thing, "__dataclass_fields__"):
        fields = {name: getattr(thing, name) for name in thing.__dataclass_fields__}
        return f"{type(thing).__name__} {_constant(fields)}"
    if isinstance(thing, FunctionType | type):
        return thing.__qualname__
    return "" if isinstance(thing, ModuleType) else repr(thing)


def _named(function: FunctionType) -> Iterator[object]:
    """What a function refers to: globals, what it takes from modules, and what it closes over."""
    names = set(_names(function.__code__))
    for name in sorted(names & function.__globals__.keys()):
        found = function.__globals__[name]
        if isinstance(found, ModuleType):
            if found.__name__.startswith(_PACKAGE):
                yield from (vars(found)[each] for each in sorted(names & vars(found).keys()))
        else:
            yield found
    for cell in function.__closure__ or ():
        yield cell.cell_contents


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
