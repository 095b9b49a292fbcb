"""The command line: one file a command.

Importing this package costs nothing; `commands.py` is the table of commands, each loaded when it
is asked for.
"""

from __future__ import annotations

from typing import Final, NoReturn

_RARELY: Final = 200_000
"""New objects after which the garbage collector looks for unreachable ones; 700 by default."""


def main() -> NoReturn:
    """The console script: runs the command line and exits with its code."""
    import gc

    # A short-lived process makes little garbage, but a hundred thousand objects as it starts.
    gc.set_threshold(_RARELY)
    from pte_lint.cli.app import app
    from pte_lint.cli.streams import hold_closed_ones

    hold_closed_ones()
    try:
        app.main(prog_name="pte-lint")
    finally:
        # The operating system frees everything at once: nothing is to be looked for before.
        gc.freeze()
    raise SystemExit(0)
