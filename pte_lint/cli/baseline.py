"""`pte-lint baseline`: record today's findings, and fail on new ones only."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pte_lint.claims.finding import Severity
from pte_lint.cli import exit_codes
from pte_lint.cli.colour import colour_option, wants_colour
from pte_lint.cli.errors import Trouble
from pte_lint.cli.options import baseline_option, comparing_options, judging_options, resolve
from pte_lint.config.settings import folder_of
from pte_lint.report.phrases import plural
from pte_lint.text import sanitise

if TYPE_CHECKING:
    from pte_lint.cli.job import Judged
    from pte_lint.config.confined import Below
    from pte_lint.config.settings import RunSettings

jobs_option = click.option(
    "-j",
    "--jobs",
    type=click.IntRange(min=0),
    default=1,
    metavar="N",
    help="Processes; 0 means one per CPU.  [default: 1]",
)


@click.group()
def baseline() -> None:
    """Record known findings, and fail on new ones only.

    A baseline knows findings by rule and logical names, so exporting a program again keeps them
    known. `pte-lint check --baseline FILE` uses one as well.
    """


@baseline.command(epilog="\b\nExample:\n  pte-lint baseline write exported/")
@click.argument("paths", metavar="PATH...", nargs=-1)
@comparing_options
@baseline_option
@jobs_option
def write(paths: tuple[str, ...], jobs: int, **judging: Any) -> None:
    """Record the findings of these artifacts, in place of what was recorded."""
    from pte_lint.cli.output import check_writable, write
    from pte_lint.config.baseline import dump, record

    settings = resolve(fail_on=None, **judging)
    target = _target(settings)
    check_writable(target)
    judged = _judge(replace(settings, baseline=None), paths, jobs)
    _refuse_trouble(judged)
    file = _file(settings)
    made = record(judged.report, folder_of(file))
    write(target, dump(made))
    count = plural(sum(len(known) for known in made.artifacts.values()), "finding")
    files = plural(len(made.artifacts), "file")
    click.echo(f"{sanitise.prose(str(file))}: {count} in {files} recorded")


@baseline.command(epilog="\b\nExample:\n  pte-lint baseline check exported/")
@click.argument("paths", metavar="PATH...", nargs=-1)
@judging_options
@baseline_option
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="What to print.",
)
@jobs_option
@colour_option
def check(
    *, paths: tuple[str, ...], form: str, jobs: int, colour: bool | None, **judging: Any
) -> None:
    """Fail on findings that are not recorded; list those that are gone.

    Every new finding fails, unless --fail-on or the configuration says otherwise. The exit codes
    are those of pte-lint check.
    """
    from pte_lint.cli.output import print_bytes, print_text
    from pte_lint.report.baseline_text import baseline_json, baseline_text
    from pte_lint.report.text import TextOptions, render_text

    settings = resolve(**judging)
    file = _file(settings)
    judged = _judge(replace(settings, baseline=file), paths, jobs)
    comparison = judged.comparison
    assert comparison is not None
    if form == "json":
        print_bytes(json.dumps(baseline_json(comparison, str(file)), indent=2) + "\n")
    else:
        options = TextOptions(wants_colour(colour), only_findings=True)
        print_text(render_text(judged.report, options) + baseline_text(comparison))
    _refuse_trouble(judged)
    fail_on = settings.fail_on if settings.explicit_fail_on else Severity.INFO
    failed = fail_on is not None and not judged.report.is_clean(
        fail_on, unchecked=settings.fail_on_unchecked
    )
    click.get_current_context().exit(exit_codes.FINDINGS if failed else exit_codes.CLEAN)


def _file(settings: RunSettings) -> Path:
    from pte_lint.config.baseline import DEFAULT_NAME

    return settings.baseline_path or Path(DEFAULT_NAME)


def _target(settings: RunSettings) -> Path | Below:
    """Where to write it: the default and what a configuration names only in place of a file.

    Raises:
        Trouble: the configuration names what it may not.
    """
    from pte_lint.config.baseline import DEFAULT_NAME
    from pte_lint.config.confined import BASELINE_SUFFIXES, Below, NotAllowed, writable

    file = settings.baseline or Below(Path.cwd(), (DEFAULT_NAME,))
    if not isinstance(file, Below):
        return file
    try:
        return writable(file.root, str(Path(*file.parts)), "baseline", BASELINE_SUFFIXES)
    except NotAllowed as exc:
        raise Trouble(f"{settings.file}: {exc}") from exc


def _judge(settings: RunSettings, paths: Sequence[str], jobs: int) -> Judged:
    from pte_lint.cli.job import Job, require
    from pte_lint.cli.paths import gather

    found = require(gather(paths))
    job = Job(settings, today=datetime.now(timezone.utc).date())
    return job.run(found.inputs, jobs, unread=found.unread)


def _refuse_trouble(judged: Judged) -> None:
    if judged.report.unread:
        raise Trouble(*judged.report.unread)
    if judged.report.internal_errors:
        first = judged.report.internal_errors[0]
        raise Trouble(f"a rule failed: {first.what}: {first.message}")
