"""What the user did wrong, in one line each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import IO, Any

import click

from pte_lint.cli import exit_codes
from pte_lint.text import sanitise


class Trouble(click.ClickException):
    """Something the run cannot go on with: prints `error: ...` and exits with 2.

    Every line is made safe for a terminal: paths and names in it may be hostile.
    """

    exit_code = exit_codes.TROUBLE

    def __init__(self, *lines: str, traces: Sequence[str] = ()) -> None:
        """Takes one line for each thing that is wrong.

        Args:
            lines: what is wrong.
            traces: tracebacks of code that is not pte-lint's, to be shown before.
        """
        super().__init__("\n".join(lines))
        self.lines = lines
        self._traces = traces

    def show(self, file: IO[Any] | None = None) -> None:
        """Prints the message, one `error:` a line, to stderr."""
        for trace in self._traces:
            click.echo(sanitise.block(trace), file=file, err=file is None)
        for line in self.lines:
            click.echo(f"error: {sanitise.prose(line)}", file=file, err=file is None)


def plugin_trouble(lines: Sequence[str], traces: Sequence[str]) -> Trouble:
    """What is wrong with plugins; where they fell is shown if the command was given `-v`."""
    context = click.get_current_context(silent=True)
    if context is not None and context.params.get("verbose"):
        return Trouble(*lines, traces=traces)
    hint = ("-v shows where it fell (`pte-lint rules -v`, `pte-lint check -v`)",) if traces else ()
    return Trouble(*lines, *hint)


class Nothing(click.ClickException):
    """There was nothing to check: prints `error: ...` and exits with 3."""

    exit_code = exit_codes.NOTHING

    def show(self, file: IO[Any] | None = None) -> None:
        """Prints the message to stderr."""
        click.echo(f"error: {sanitise.prose(self.message)}", file=file, err=file is None)
