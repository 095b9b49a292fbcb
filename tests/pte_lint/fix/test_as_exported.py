"""A repaired program is the one that the exporter writes with the right setting, but for names.

Both files were exported by ExecuTorch; `tests/exports/test_fixed.py` exports them anew.
"""

from __future__ import annotations

import pytest

from tests.support.fixed import PAIRS, arenas_on_devices, repaired, without_names
from tests.support.rewriting import DATA


@pytest.mark.parametrize(("bad", "good", "select"), PAIRS)
def test_the_repaired_program_is_the_right_export(
    bad: str, good: str, select: tuple[str, ...]
) -> None:
    broken = (DATA / "device" / f"{bad}.pte").read_bytes()
    right = (DATA / "device" / f"{good}.pte").read_bytes()
    assert without_names(broken) != without_names(right)
    fixed = repaired(broken, select)
    assert without_names(fixed) == without_names(right)
    assert arenas_on_devices(broken) == {"cuda:0": 768}
    assert arenas_on_devices(fixed) == {"cuda:0": 256}


def test_names_are_all_that_is_not_compared() -> None:
    content = (DATA / "device" / "add_skip_h2d_paired.pte").read_bytes()
    renamed = content.replace(b"forward", b"drawrof")
    assert renamed != content
    assert without_names(renamed) == without_names(content)
    others = [path.read_bytes() for path in sorted((DATA / "device").glob("*.pte"))]
    assert sum(without_names(each) == without_names(content) for each in others) == 1
