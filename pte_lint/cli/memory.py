"""`pte-lint memory`: the memory plan as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from pte_lint.cli.options import baseline_option, comparing_options, resolve

EPILOG = """\b
Exit codes:
  0  drawn, whatever was found
  2  usage, configuration, or a file without a readable method

\b
Examples:
  pte-lint memory model.pte --svg -o memory.svg
  pte-lint memory model.pte --svg --method forward > memory.svg
"""


@click.command(epilog=EPILOG)
@click.argument("path", metavar="FILE")
@click.option("--svg", is_flag=True, help="Draw SVG; the only form so far, and the default.")
@click.option(
    "--method", "methods", multiple=True, metavar="NAME", help="Only this method. Repeatable."
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Where to write the picture.  [default: the standard output]",
)
@comparing_options
@baseline_option
def memory(
    *, path: str, svg: bool, methods: tuple[str, ...], output: Path | None, **judging: Any
) -> None:
    """Draw the memory plan: arenas, tensors, live ranges.

    Instructions run from left to right, bytes from bottom to top. Tensors with findings are
    marked; where a finding tells what its fix saves, the plan after it stands beside. FILE is a
    .pte or .bpte, or - for the standard input.
    """
    from pte_lint.cli.looking import drawn_methods, judged
    from pte_lint.cli.output import check_writable, print_bytes, write
    from pte_lint.picture import memory_svg

    settings = resolve(**judging, fail_on=None)
    if output is not None:
        check_writable(output)
    with judged(path, settings) as (said, context):
        text = memory_svg.render(*drawn_methods(said, context, methods))
    if output is None:
        print_bytes(text)
    else:
        write(output, text)
