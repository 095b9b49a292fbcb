"""The exit codes, by name."""

from __future__ import annotations

from typing import Final

CLEAN: Final = 0
"""Nothing at or above `--fail-on`."""

FINDINGS: Final = 1
"""At least one finding at or above `--fail-on`."""

TROUBLE: Final = 2
"""Usage, configuration, an unreadable path, or an internal error: no promise can be made."""

NOTHING: Final = 3
"""Nothing was checked."""

BROKEN_PIPE: Final = 141
"""The reader of the output has gone, as shells count it."""

INTERRUPTED: Final = 130
"""Stopped from the keyboard, as shells count it."""
