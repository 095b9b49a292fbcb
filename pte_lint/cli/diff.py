"""`pte-lint diff`: what changed between two artifacts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from pte_lint.cli import exit_codes
from pte_lint.cli.options import comparing_options, resolve, settings_from_option
from pte_lint.cli.rulebook import split

if TYPE_CHECKING:
    from pte_lint.difference.failing import Condition

EPILOG = """\b
Kinds of change for --fail-on:
  verdict new-findings fixed-findings runtimes requirements
  method-added method-removed signature placement operators delegation
  delegated-operators instructions boundary-copies planned-bytes state
  delegate-blob compile-spec delegate-need constants named-data bytes
  file-size, and any

\b
A kind that has amounts takes a limit on growth: planned-bytes>5%,
file-size>64 KiB, verdict>0 (only when it gets worse), requirements>0
(only new ones). new-findings=error counts errors only.

\b
Exit codes:
  0  compared; nothing that --fail-on names
  1  a change that --fail-on names
  2  usage, configuration, an unreadable path, or files that do not compare

\b
Examples:
  pte-lint diff old.pte new.pte
  pte-lint diff old.pte new.pte --fail-on placement,new-findings=error
  pte-lint diff old.pte new.pte --format markdown --fail-on "planned-bytes>5%"
"""


@click.command(epilog=EPILOG)
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@comparing_options
@settings_from_option
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "markdown"]),
    default="text",
    show_default=True,
    help="What to print.",
)
@click.option(
    "--fail-on",
    "conditions",
    multiple=True,
    metavar="KIND,...",
    help="Kinds of change that make the exit code 1. Repeatable.  [default: none]",
)
@click.option(
    "--content",
    is_flag=True,
    help="Compare constants, blobs and named data of equal size by their bytes; reads both files"
    " whole.",
)
def diff(
    *,
    old: str,
    new: str,
    form: str,
    conditions: tuple[str, ...],
    content: bool,
    **judging: Any,
) -> None:
    """Say what changed between two artifacts.

    Methods and signatures, operators and delegates, devices of inputs and outputs, boundary copies,
    planned bytes, constants, blobs, findings, and the runtimes that run the program. Only the
    programs are read, never weights or blobs, unless --content asks for them. OLD and NEW are
    files, addresses, or - for the standard input.
    """
    from pte_lint.cli.job import require_programs
    from pte_lint.cli.opening import telling
    from pte_lint.cli.output import print_bytes, print_text
    from pte_lint.cli.paths import STDIN, single
    from pte_lint.cli.progress import showing
    from pte_lint.cli.recipe import Recipe
    from pte_lint.difference.build import diff
    from pte_lint.difference.failing import failing

    wanted = _conditions(conditions)
    if old == new == STDIN:
        raise click.UsageError("only one of OLD and NEW can be the standard input")
    settings = resolve(**judging, fail_on=None)
    was, now = single(old), single(new)
    require_programs(settings, (was, now))
    with telling(), showing(was.name):
        difference = diff(
            was.source,
            now.source,
            settings=Recipe(settings)(),
            data=settings.data_of(was.name),
            new_data=settings.data_of(now.name),
            names=(was.name, now.name),
            content=content,
            caps=settings.caps,
        )
    failed = failing(difference.changes, wanted)
    if form == "text":
        from pte_lint.report import difference_text

        print_text(difference_text.render(difference, failed))
    elif form == "markdown":
        from pte_lint.report import difference_markdown

        print_bytes(difference_markdown.render(difference, failed))
    else:
        from pte_lint.report import difference_json

        print_bytes(difference_json.render(difference, failed))
    code = exit_codes.FINDINGS if failed else exit_codes.CLEAN
    click.get_current_context().exit(code)


def _conditions(texts: tuple[str, ...]) -> list[Condition]:
    from pte_lint.difference.failing import Condition, ConditionError

    try:
        return [Condition.parse(each) for each in split(texts)]
    except ConditionError as exc:
        raise click.BadParameter(str(exc), param_hint="--fail-on") from exc
