"""A repaired export is the export with the right setting, both written by this exporter."""

from __future__ import annotations

import pytest

from tests.support.exporter import need_exporter
from tests.support.fixed import PAIRS, arenas_on_devices, repaired, without_names

need_exporter()

from tests.data.recipes import device_add  # noqa: E402


def exported(name: str) -> bytes:
    content: bytes = getattr(device_add, name)().files[".pte"]
    return content


@pytest.mark.parametrize(("bad", "good", "select"), PAIRS)
def test_the_repaired_export_is_the_right_export(
    bad: str, good: str, select: tuple[str, ...]
) -> None:
    broken, right = exported(bad), exported(good)
    assert without_names(broken) != without_names(right)
    fixed = repaired(broken, select)
    assert without_names(fixed) == without_names(right)
    assert arenas_on_devices(fixed) == arenas_on_devices(right) == {"cuda:0": 256}
