"""The command line: one file a command.

Importing this package costs nothing; `commands.py` is the table of commands, each loaded when it
is asked for.
"""

from __future__ import annotations

from typing import NoReturn


def main() -> NoReturn:
    """The console script: runs the command line and exits with its code."""
    from pte_lint.cli.app import app

    app.main(prog_name="pte-lint")
    raise SystemExit(0)
