"""`pte-lint rules`: the table of rules."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NoReturn

import click

from pte_lint.cli import exit_codes, rulebook
from pte_lint.cli.colour import colour_option, wants_colour
from pte_lint.rulebook.families import FAMILIES
from pte_lint.rulebook.selection import ALL
from pte_lint.text import sanitise


@click.command(epilog="\b\nExample:\n  pte-lint rules --select PTE3 --ignore redundant-round-trip")
@click.option(
    "--select",
    multiple=True,
    metavar="RULE,...",
    help="Only these: ids, id prefixes (PTE3), names.",
)
@click.option("--ignore", multiple=True, metavar="RULE,...", help="Not these.")
@click.option(
    "--family",
    "families",
    multiple=True,
    type=click.Choice(list(FAMILIES)),
    help="Only these families: 3xx is device placement. Repeatable.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "markdown"]),
    default="text",
    show_default=True,
    help="How to print them.",
)
@click.option("--isolated", is_flag=True, help="Know the built-in rules only.")
@click.option(
    "--check",
    "check_them",
    is_flag=True,
    help="Check the rules of the plugin in the working folder as its CI would; elsewhere"
    " those of all plugins that are installed.",
)
@click.option(
    "-v", "--verbose", is_flag=True, help="Show where a plugin fell that cannot be loaded."
)
@colour_option
def rules(
    *,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    families: tuple[str, ...],
    form: str,
    isolated: bool,
    check_them: bool,
    verbose: bool,  # `every_rule` asks for it
    colour: bool | None,
) -> None:
    """List the rules by family."""
    if check_them:
        _check()
    every = rulebook.every_rule(isolated)
    select += tuple(f"PTE{family[0]}" for family in families)
    some = rulebook.chosen(every, rulebook.split(select) or (ALL,), rulebook.split(ignore))
    if form == "json":
        from pte_lint.report.rule_json import rules_json

        click.echo(rules_json(some, documents=False), nl=False)
        return
    from pte_lint.report.rule_table import table_markdown, table_text

    if form == "markdown":
        click.echo(table_markdown(some), nl=False)
        return
    coloured = wants_colour(colour)
    click.echo(table_text(some, coloured), nl=False, color=coloured)


def _check() -> NoReturn:
    """Prints a line for each thing that was checked, and exits."""
    from pte_lint.cli.rules_check import steps

    rulebook.every_rule(False)
    failed = False
    for step in steps(Path.cwd()):
        failed = failed or bool(step.wrong)
        click.echo(f"{'FAILED' if step.wrong else 'ok':6}  {step.what}")
        for line in step.wrong:
            click.echo(f"        {sanitise.prose(line)}")
    sys.exit(exit_codes.FINDINGS if failed else exit_codes.CLEAN)
