"""Places in the tables of a program or bundle, in the words of readers."""

from __future__ import annotations

import re
from typing import Final

_SINGULAR: Final = {
    "chains": "chain",
    "compile_specs": "compile spec",
    "delegates": "delegate",
    "instructions": "instruction",
    "method_test_suites": "test suite",
    "named_data": "named data entry",
    "operators": "operator",
    "segments": "segment",
    "test_cases": "test case",
    "values": "value",
}
_IN_METHOD: Final = re.compile(r"^(execution_plan\[\d+\](\.|$)|\.)")
_IN_TABLE: Final = re.compile(rf"(?<![\w-])({'|'.join(_SINGULAR)})\[(\d+)\](\.(?:val\.)?)?")


def place_words(path: str) -> str:
    """A path in the tables of a program, as readers count: `chain 0, instructions`.

    `.chains[0].instructions` and `execution_plan[1].chains[0].instructions` (the method is told
    beside it) are both that; what is no such path stays as it is.
    """
    told = _IN_TABLE.sub(
        lambda found: f"{_SINGULAR[found[1]]} {found[2]}{', ' if found[3] else ''}",
        _IN_METHOD.sub("", path),
    )
    return told or ("the method" if path else "")
