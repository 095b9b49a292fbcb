"""`pte-lint inspect`: what is in an artifact."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pte_lint.cli.errors import Trouble
from pte_lint.cli.options import REMOTE, place, read_caps
from pte_lint.cli.rulebook import every_rule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pte_lint.data.context import Context
    from pte_lint.inspection import Inspection

EPILOG = """\b
Exit codes:
  0  shown
  2  usage, an unreadable path, or a file that is no artifact

\b
Examples:
  pte-lint inspect model.pte
  pte-lint inspect model.pte --instructions --method forward
  pte-lint inspect model.pte --delegates
  pte-lint inspect llm.pte --data llm.ptd --hashes
  pte-lint inspect weights.ptd --json
"""


@click.command(epilog=EPILOG)
@click.argument("path", metavar="FILE")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option(
    "--instructions",
    is_flag=True,
    help="Print the instructions too, with types, devices and arenas.",
)
@click.option(
    "--method", "methods", multiple=True, metavar="NAME", help="Only this method. Repeatable."
)
@click.option(
    "--delegates", is_flag=True, help="Print all that is known of the inside of delegates."
)
@click.option(
    "--data",
    multiple=True,
    type=place,
    metavar="FILE.ptd",
    help="External data that the program is loaded with. Repeatable.",
)
@click.option(
    "--hashes", is_flag=True, help="Hash the data of each key too: this reads the weights."
)
@click.option("--all", "every", is_flag=True, help="Cut no table short.")
@REMOTE
def inspect(
    *,
    path: str,
    as_json: bool,
    instructions: bool,
    methods: tuple[str, ...],
    delegates: bool,
    data: tuple[Path | str, ...],
    hashes: bool,
    every: bool,
    remote: tuple[str, ...],
) -> None:
    """Show what is in an artifact.

    Methods with their inputs and outputs, what the runner must provide, planned memory by device,
    delegates, operators, and where the bytes of the file go. FILE is a .pte, .ptd or .bpte, its
    address, or - for the standard input. An unknown delegate or operator is shown like any other.
    """
    from pte_lint.cli.opening import opening
    from pte_lint.cli.output import print_bytes, print_text
    from pte_lint.cli.paths import single
    from pte_lint.cli.progress import showing
    from pte_lint.inspection.build import inspect_context, readable
    from pte_lint.judging.engine import Settings

    given, settings = single(path), Settings(rules=every_rule(isolated=True))
    with opening(settings, read_caps(remote)) as session, showing(given.name):
        files = [session.artifact(each) for each in data]
        context = readable(session.context(given.source, given.name, session.data(files)))
        report = session.judge(context)
        inspection = inspect_context(context, report, files=files, hashes=hashes)
        inspection, positions = _chosen(inspection, methods)
        listings = _listings(context, positions) if instructions else None
    if as_json:
        from pte_lint.report import inspection_json

        print_bytes(inspection_json.rendered(inspection, listings))
        return
    from pte_lint.report import inspection_text

    print_text(inspection_text.rendered(inspection, listings, every=every, delegates=delegates))


def _chosen(inspection: Inspection, names: Sequence[str]) -> tuple[Inspection, list[int]]:
    """Keeps the methods asked for; returns their positions too.

    Raises:
        Trouble: there is no such method.
    """
    from dataclasses import replace

    known = [method.name for method in inspection.methods]
    for wanted in names:
        if wanted not in known:
            near = difflib.get_close_matches(wanted, known, n=1)
            shown = ", ".join(repr(name) for name in known[:20]) or "none"
            hint = f"; did you mean {near[0]!r}?" if near else f"; there are {shown}"
            raise Trouble(f"{inspection.path} has no method {wanted!r}{hint}")
    positions = [n for n, name in enumerate(known) if not names or name in names]
    methods = tuple(inspection.methods[n] for n in positions)
    return replace(inspection, methods=methods), positions


def _listings(context: Context, positions: Sequence[int]) -> list[list[str]]:
    from pte_lint.inspection.listing import listing

    return [list(listing(context.methods[n])) for n in positions]
