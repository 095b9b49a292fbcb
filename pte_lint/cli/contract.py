"""`pte-lint contract`: what a program promises, written from a good one."""

from __future__ import annotations

from pathlib import Path

import click

from pte_lint.cli.errors import Trouble
from pte_lint.cli.options import REMOTE, place, read_caps
from pte_lint.cli.rulebook import every_rule

EPILOG = """\b
Exit codes:
  0  written
  2  usage, an unreadable path, no readable program, or one with errors

\b
Examples:
  pte-lint contract model.pte -o contract.toml
  pte-lint contract model.pte --headroom 5 > contract.toml
  pte-lint check model.pte --contract contract.toml
"""


@click.command(epilog=EPILOG)
@click.argument("path", metavar="FILE")
@click.option(
    "--headroom",
    type=click.IntRange(min=0, max=1000),
    default=0,
    metavar="PERCENT",
    help="Let sizes grow by so much.  [default: 0]",
)
@click.option(
    "--artifact",
    metavar="GLOB",
    help="The programs it is about.  [default: all that are checked with it]",
)
@click.option(
    "--data",
    multiple=True,
    type=place,
    metavar="FILE.ptd",
    help="External data that the program is loaded with. Repeatable.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Where to write it.  [default: the standard output]",
)
@REMOTE
def contract(
    *,
    path: str,
    headroom: int,
    artifact: str | None,
    data: tuple[Path | str, ...],
    output: Path | None,
    remote: tuple[str, ...],
) -> None:
    """Write what a program promises, from a good one.

    Inputs and outputs, metadata, state, what is delegated, and sizes, as a file that `pte-lint
    check --contract` holds other versions of the program against. FILE is a .pte or .bpte, its
    address, or - for the standard input.
    """
    from pte_lint.claims.finding import Severity
    from pte_lint.cli.opening import opening
    from pte_lint.cli.output import check_writable, print_bytes, write
    from pte_lint.cli.paths import single
    from pte_lint.cli.progress import showing
    from pte_lint.inspection.build import readable
    from pte_lint.inspection.contract import contract_of, with_headroom
    from pte_lint.judging.engine import Settings
    from pte_lint.report import contract_toml
    from pte_lint.text.sanitise import prose

    given, settings = single(path), Settings(rules=every_rule(isolated=True))
    if output is not None:
        check_writable(output)
    with opening(settings, read_caps(remote)) as session, showing(given.name):
        context = readable(session.context(given.source, given.name, session.data(data)))
        if context.program is None:
            raise Trouble(f"{given.name} holds no program: only programs promise anything")
        wrong = [f for f in session.judge(context).findings if f.severity is Severity.ERROR]
        if wrong:
            first = f"{wrong[0].rule}: {prose(wrong[0].message)}"
            raise Trouble(
                f"{given.name} has errors ({first}): what it promises is worth nothing; "
                "`pte-lint check` tells all of them"
            )
        found = with_headroom(contract_of(context), headroom)
    text = contract_toml.render(found.model_copy(update={"artifact": artifact}), given.name)
    if output is None:
        print_bytes(text)
    else:
        write(output, text)
