"""`pte-lint explain`: a rule's documentation."""

from __future__ import annotations

import click

from pte_lint.cli import rulebook
from pte_lint.cli.colour import colour_option, wants_colour


@click.command(epilog="\b\nExample:\n  pte-lint explain PTE301 missing-d2h-copy")
@click.argument("words", metavar="RULE...", nargs=-1, required=True)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "markdown"]),
    default="text",
    show_default=True,
    help="How to print it.",
)
@click.option("--isolated", is_flag=True, help="Know the built-in rules only.")
@colour_option
def explain(words: tuple[str, ...], form: str, isolated: bool, colour: bool | None) -> None:
    """Explain rules: what, why, and how to fix it.

    RULE is an id (PTE301) or a name (device-input-planned).
    """
    rules = rulebook.named(rulebook.every_rule(isolated), words)
    if form == "json":
        from pte_lint.report.rule_json import rules_json

        click.echo(rules_json(rules, documents=True), nl=False)
    elif form == "markdown":
        from pte_lint.report.rule_markdown import rule_markdown

        click.echo("\n".join(rule_markdown(rule) for rule in rules), nl=False)
    else:
        from pte_lint.report.rule_text import rule_text

        coloured = wants_colour(colour)
        text = "\n\n".join(rule_text(rule, coloured) for rule in rules)
        click.echo(text, nl=False, color=coloured)
