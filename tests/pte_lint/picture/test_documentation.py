"""The page about pictures, and the pictures on it."""

from __future__ import annotations

import re
import struct
from pathlib import Path

from pte_lint.picture import chart, folds, placement

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "pictures.md").read_text("utf-8")


def test_every_picture_is_shown_is_there_and_is_small() -> None:
    shown = set(re.findall(r"\(pictures/([\w.]+)\)", PAGE))
    assert shown == {path.name for path in (DOCS / "pictures").iterdir()}
    for name in shown:
        content = (DOCS / "pictures" / name).read_bytes()
        assert content.startswith(b"\x89PNG")
        assert len(content) < 200_000
        width, height = struct.unpack(">II", content[16:24])
        assert width in (360, 1280)
        assert height > 500


def test_the_limits_on_the_page_are_those_of_the_code() -> None:
    text = " ".join(PAGE.split())
    assert f"up to {folds.SHORT} instructions is shown whole" in text
    assert f"({folds.MOST_ROWS} rows)" in text
    assert f"up to {placement.MOST_LISTED:,} folded instructions" in text
    assert f"more than {chart.MANY} tensors" in text
    assert f"beyond {chart.MOST:,} the largest" in text
