"""`pte-lint report`: one HTML file that shows what was found, and where."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from pte_lint.cli.errors import Trouble
from pte_lint.cli.options import baseline_option, comparing_options, resolve

EPILOG = """\b
Exit codes:
  0  written, whatever was found (pte-lint check fails on findings)
  2  usage, configuration, an unreadable path, or an internal error

\b
Examples:
  pte-lint report model.pte -o report.html
  pte-lint report model.pte --confirm -o report.html
  pte-lint report llm.pte --data llm.ptd -o report.html
"""


@click.command(epilog=EPILOG)
@click.argument("path", metavar="FILE")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Where to write the page.  [default: the standard output]",
)
@click.option(
    "--confirm",
    "run_it",
    is_flag=True,
    help="Run the program on the real runtime too (see `pte-lint confirm`).",
)
@comparing_options
@baseline_option
def report(*, path: str, output: Path | None, run_it: bool, **judging: Any) -> None:
    """Write one HTML page: findings, placement, memory plan, bytes.

    The page needs nothing else: no network, no script. FILE is a .pte, .ptd or .bpte, or - for the
    standard input.
    """
    from pte_lint.cli.looking import judged
    from pte_lint.cli.output import check_writable, print_bytes, write
    from pte_lint.picture import html

    settings = resolve(**judging, fail_on=None)
    if output is not None:
        check_writable(output)
    with judged(path, settings) as (said, context):
        shown = said
        if run_it:
            from pte_lint.cli.running import confirm_opened

            shown = confirm_opened(said, context, settings)
        text = html.render(shown, context)
    if output is None:
        print_bytes(text)
    else:
        write(output, text)
    if said.internal_errors:
        raise Trouble("a rule failed: see the internal errors in the report")
