"""Writes the straight-line code that reads one shape of a table.

A shape is a table type together with the inline layout that a vtable gives it. Reading it means:
unpack all inline values in one call, follow the offsets among them, call the constructor. Written
out as code this takes a third of the time of a loop over fields. The text holds numbers from the
file and names of our own; nothing else enters it.
"""

from __future__ import annotations

from functools import lru_cache
from types import CodeType

from pte_lint.schema.fbs import FieldLayout, Form

Present = tuple[tuple[int, FieldLayout], ...]


def unpack_format(present: Present) -> str | None:
    """Returns the struct format that reads the inline values in memory order.

    Args:
        present: Byte offset in the table and field, by ascending offset.

    Returns:
        The format, or None when two values overlap. Offsets are read signed, since none above
        2^31 - 1 is allowed.
    """
    text, end = "<", 0
    for place, field in present:
        code, width = inline(field)
        if place < end:
            return None
        text += f"{place - end}x{code}"
        end = place + width
    return text


def inline(field: FieldLayout) -> tuple[str, int]:
    """Returns the struct format character and the width in bytes of a slot's inline value."""
    return (field.code, field.size) if field.form.is_inline else ("i", 4)


@lru_cache(maxsize=512)
def compiled(fields: tuple[FieldLayout, ...], present: Present) -> CodeType:
    """Returns code that defines `read(at)` for a shape.

    Args:
        fields: All slots of the table.
        present: As for `unpack_format`.

    The code expects in its globals: `window`, `unpack` (of the format above), `tick`, `make`,
    `size`, `Irregular`, `child<slot>` for each present slot that holds an offset (for a union: the
    readers by code).
    """
    lines = ["def read(at):", "    tick()"]
    if present:
        names = "".join(f"v{field.slot}, " for _, field in present)
        lines.append(f"    {names}= unpack(window, at)")
    offsets = [field.slot for _, field in present if not field.form.is_inline]
    if offsets:
        wrong = " or ".join(f"v{slot} <= 0" for slot in offsets)
        lines.append(f"    if {wrong}: raise Irregular")
    arguments = [repr(field.default) for field in fields]
    for place, field in present:
        slot = field.slot
        if field.form is Form.UNION:
            lines.append(f"    target = at + {place} + v{slot}")
            lines.append("    if target >= size: raise Irregular")
            lines.append(f"    member = child{slot}.get({_union_code(slot, present)})")
            arguments[slot] = "member(target) if member else None"
        elif field.form.is_inline:
            arguments[slot] = f"v{slot}"
        else:
            arguments[slot] = f"child{slot}(at + {place} + v{slot})"
    lines.append(f"    return make({', '.join([*arguments, 'at'])})")
    return compile("\n".join(lines), f"<{__name__}>", "exec")


def _union_code(slot: int, present: Present) -> str:
    """Returns the expression for a union's type: the slot before it, 0 when that is absent."""
    has_type = any(field.slot == slot - 1 for _, field in present)
    return f"v{slot - 1}" if has_type else "0"
