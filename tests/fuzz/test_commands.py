"""Every command takes inputs that are no programs, programs that are wrong, and good ones."""

from __future__ import annotations

import pytest

from tests.fuzz.commands import every_command
from tests.fuzz.crash_hunt import inputs


@pytest.mark.parametrize("number", range(0, 12, 3))
def test_every_command_takes_anything(number: int) -> None:
    for program, data in inputs(3, range(number, number + 3)):
        every_command(program, data, confirm=False)


@pytest.mark.runtime
def test_confirm_takes_anything() -> None:
    for program, data in inputs(4, range(3)):
        every_command(program, data, confirm=True)
