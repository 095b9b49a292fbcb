"""Settings as bytes: the same for the same settings, in every process."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum


class Unknown(TypeError):  # noqa: N818 - what it is, not what went wrong
    """Something whose content cannot be told, such as an object that reads other files."""


def canonical(value: object) -> str:
    """Writes plain values and dataclasses of them, types included.

    Raises:
        Unknown: the value is, or holds, anything else.
    """
    kind = type(value)
    if value is None or kind in (bool, int, float, str, bytes):
        return repr(value)
    if isinstance(value, Enum):
        return f"{kind.__module__}.{kind.__qualname__}({value.value!r})"
    if kind in (tuple, list):
        assert isinstance(value, tuple | list)
        return f"{kind.__name__}({','.join(map(canonical, value))})"
    if kind in (set, frozenset):
        assert isinstance(value, set | frozenset)
        return f"set({','.join(sorted(map(canonical, value)))})"
    if isinstance(value, Mapping):
        pairs = sorted((canonical(k), canonical(v)) for k, v in value.items())
        return f"map({','.join(f'{k}:{v}' for k, v in pairs)})"
    if "__dataclass_fields__" in vars(kind):
        names = kind.__slots__ if hasattr(kind, "__slots__") else vars(value)
        inner = (f"{name}={canonical(getattr(value, name))}" for name in names)
        return f"{kind.__module__}.{kind.__qualname__}({','.join(inner)})"
    raise Unknown(f"{kind.__module__}.{kind.__qualname__}")
