"""Whether to use colour."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any, TypeVar

import click

_F = TypeVar("_F", bound=Callable[..., Any])


def colour_option(function: _F) -> _F:
    """Adds `--color/--no-color`; the parameter is `colour`, None when neither is given."""
    return click.option(
        "--color/--no-color",
        "colour",
        default=None,
        help="Colour the text, or do not; by default only on a terminal.",
    )(function)


def wants_colour(asked: bool | None) -> bool:
    """Decides: what was asked, else NO_COLOR, else FORCE_COLOR, else whether stdout is a terminal.

    See no-color.org and force-color.org; an empty variable counts as unset.
    """
    if asked is not None:
        return asked
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
