"""Style sheets: one set of colours for the page and for pictures of their own."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.resources import files

_VARIABLE = re.compile(r"var\((--[a-z0-9-]+)\)")
_DEFINITION = re.compile(r"(--[a-z0-9-]+):\s*([^;]+);")
_DARK = "@media (prefers-color-scheme: dark)"


@lru_cache(maxsize=1)
def page_style() -> str:
    """The style sheet of the HTML report."""
    return "\n" + "".join(_read(name) for name in ("colours", "page", "charts"))


@lru_cache(maxsize=1)
def picture_style() -> str:
    """The style sheet of a picture of its own, light and dark.

    Variables are replaced by their values, because many programs that show SVG know no variables.
    """
    light, _, dark = _read("colours").partition(_DARK)
    rules = _read("charts") + _read("pictures")
    return f"{_resolved(rules, light)}{_DARK} {{\n{_resolved(rules, light + dark)}}}\n"


def _resolved(rules: str, definitions: str) -> str:
    values = dict(_DEFINITION.findall(definitions))
    return _VARIABLE.sub(lambda match: values[match[1]], rules)


def _read(name: str) -> str:
    return files("pte_lint.picture").joinpath(f"templates/{name}.css").read_text("utf-8")
