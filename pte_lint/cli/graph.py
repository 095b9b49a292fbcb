"""`pte-lint graph`: what a method does and where, as a picture or as data."""

from __future__ import annotations

from collections.abc import Iterable
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
  pte-lint graph model.pte --svg -o placement.svg
  pte-lint graph model.pte --dot | dot -Tsvg > flow.svg
  pte-lint graph model.pte --json --method forward
"""


@click.command(epilog=EPILOG)
@click.argument("path", metavar="FILE")
@click.option(
    "--svg",
    "form",
    flag_value="svg",
    default="svg",
    help="Draw the placement: lanes of the host and of devices, copies between.  [default]",
)
@click.option("--dot", "form", flag_value="dot", help="Write the data flow for Graphviz.")
@click.option("--json", "form", flag_value="json", help="Write the whole graph as JSON.")
@click.option(
    "--method", "methods", multiple=True, metavar="NAME", help="Only this method. Repeatable."
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Where to write it.  [default: the standard output]",
)
@comparing_options
@baseline_option
def graph(
    *, path: str, form: str, methods: tuple[str, ...], output: Path | None, **judging: Any
) -> None:
    """Draw what a method does, in order, and on which device.

    FILE is a .pte or .bpte, or - for the standard input.
    """
    from pte_lint.cli.looking import drawn_methods, judged
    from pte_lint.cli.output import check_writable, print_bytes, write
    from pte_lint.picture import graph_dot, graph_json, placement_svg

    settings = resolve(**judging, fail_on=None)
    if output is not None:
        check_writable(output)
    with judged(path, settings) as (said, context):
        title, drawn = drawn_methods(said, context, methods)
        text: Iterable[str]
        if form == "json":
            text = graph_json.render(said.artifacts[0], drawn)
        elif form == "dot":
            text = graph_dot.render(title, drawn)
        else:
            text = placement_svg.render(title, drawn)
        if output is None:
            print_bytes(text)
        else:
            write(output, text)
