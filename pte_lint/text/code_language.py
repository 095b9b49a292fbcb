"""Which language a snippet is in, for the fences of Markdown."""

from __future__ import annotations

import ast
import re
from typing import Final

_SHELL: Final = re.compile(
    r"^(?:pte-lint|git|cmake|pip|python3?|cp|export|base64|tail|truncate|sha256sum|docker|nm|"
    r"nvidia-smi) ",
    re.MULTILINE,
)
_CPP: Final = re.compile(r"::\w|;\s*(?://.*)?$|^#include|\w->\w", re.MULTILINE)
_CMAKE: Final = re.compile(
    r"^(?:target_link_libraries|gen_\w+|find_package|add_\w+)\(", re.MULTILINE
)
_TOML: Final = re.compile(r"^\[+[\w.-]+\]+$|^[\w.-]+ = [\[{\"]", re.MULTILINE)


def language(code: str) -> str:
    """`python`, `cpp`, `sh`, `cmake` or `toml`; `text` for anything else.

    Lines of a shell that parse as Python are rare, and of C++ rarer: what parses is Python.
    """
    if _SHELL.search(code):
        return "sh"
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        pass
    else:
        if any(isinstance(each, ast.Import | ast.ImportFrom) for each in tree.body):
            return "python"
        return "cmake" if _CMAKE.search(code) else "toml" if _TOML.search(code) else "python"
    for name, pattern in (("toml", _TOML), ("cpp", _CPP), ("cmake", _CMAKE)):
        if pattern.search(code):
            return name
    return "text"
