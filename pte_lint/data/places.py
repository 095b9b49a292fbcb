"""Places in the tables of a program by the names of what is there."""

from __future__ import annotations

import re
from typing import Final

from pte_lint.schema.program import Program
from pte_lint.text.places import place_words

_METHOD: Final = re.compile(r"execution_plan\[(\d+)\](?:\.|$)")
_NAMED_DATA: Final = re.compile(r"named_data\[(\d+)\]$")


def named_place(program: Program | None, path: str) -> str:
    """A path in the tables in words: `forward, value 3`, `named data w`.

    What has no name that can be read is counted: `method 0, name`.
    """
    if inside := _METHOD.match(path):
        number = int(inside[1])
        plans = (program.execution_plan if program is not None else None) or ()
        name = plans[number].name if number < len(plans) else None
        rest = path[inside.end() :]
        return (name or f"method {number}") + (f", {place_words(rest)}" if rest else "")
    if entry := _NAMED_DATA.match(path):
        number = int(entry[1])
        table = (program.named_data if program is not None else None) or ()
        key = table[number].key if number < len(table) else None
        return f"named data {key}" if key else place_words(path)
    return place_words(path)
