"""A contract as the file that says it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pte_lint.rulebook.contract_model import Contract
from pte_lint.text.sanitise import exact

_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")


def render(contract: Contract, source: str) -> str:
    """Renders the file.

    Args:
        contract: what it says.
        source: the file that keeps it, for the comment at the top.
    """
    content = contract.model_dump(by_alias=True, exclude_none=True, exclude_defaults=True)
    methods, states = content.pop("methods", {}), content.pop("state", ())
    lines = [
        f"# What {_comment(source)} promises. Delete what is no promise; change what is.",
        *_pairs(content),
    ]
    for name, method in methods.items():
        lines += ["", f"[methods.{_key(name)}]", *_pairs(method)]
    for state in states:
        lines += ["", "[[state]]", *_pairs(state)]
    return "\n".join(lines) + "\n"


def _comment(text: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in exact(text))


def _pairs(table: Mapping[str, Any]) -> Iterator[str]:
    for key, value in table.items():
        if isinstance(value, tuple | list) and value and isinstance(value[0], dict):
            yield f"{_key(key)} = ["
            yield from (f"    {_value(item)}," for item in value)
            yield "]"
        else:
            yield f"{_key(key)} = {_value(value)}"


def _value(value: Any) -> str:
    match value:
        case bool():
            return str(value).lower()
        case str():
            # A JSON text is one of TOML but for the delete character.
            return json.dumps(exact(value), ensure_ascii=False).replace("\x7f", "\\u007f")
        case Mapping():
            inner = ", ".join(f"{_key(k)} = {_value(v)}" for k, v in value.items())
            return f"{{ {inner} }}"
        case Sequence():
            return f"[{', '.join(map(_value, value))}]"
        case _:
            return str(value)


def _key(text: str) -> str:
    return text if _BARE.fullmatch(text) else _value(text)
