"""What the user did wrong, in one line each."""

from __future__ import annotations

from typing import IO, Any

import click

from pte_lint.cli import exit_codes
from pte_lint.text import sanitise


class Trouble(click.ClickException):
    """Something the run cannot go on with: prints `error: ...` and exits with 2.

    Every line is made safe for a terminal: paths and names in it may be hostile.
    """

    exit_code = exit_codes.TROUBLE

    def __init__(self, *lines: str) -> None:
        """Takes one line for each thing that is wrong."""
        super().__init__("\n".join(lines))
        self.lines = lines

    def show(self, file: IO[Any] | None = None) -> None:
        """Prints the message, one `error:` a line, to stderr."""
        for line in self.lines:
            click.echo(f"error: {sanitise.prose(line)}", file=file, err=file is None)


class Nothing(click.ClickException):
    """There was nothing to check: prints `error: ...` and exits with 3."""

    exit_code = exit_codes.NOTHING

    def show(self, file: IO[Any] | None = None) -> None:
        """Prints the message to stderr."""
        click.echo(f"error: {sanitise.prose(self.message)}", file=file, err=file is None)
