"""The recipes of docs/ci.md, as the page prints them."""

from __future__ import annotations

import re
from typing import Final

from tests.support.look import DATA

PAGE: Final = (DATA.parents[1] / "docs" / "ci.md").read_text("utf-8")
RECIPES: Final = {
    match[1]: match[3]
    for match in re.finditer(r"<!-- recipe: ([\w-]+) -->\n```(\w+)\n(.*?)\n```", PAGE, re.DOTALL)
}
