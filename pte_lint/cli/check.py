"""`pte-lint check`: the main job."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timezone
from typing import Any

import click

from pte_lint.claims.finding import Severity
from pte_lint.cli import exit_codes
from pte_lint.cli.colour import colour_option, wants_colour
from pte_lint.cli.errors import Trouble
from pte_lint.cli.limits import read_limits
from pte_lint.cli.options import (
    PARQUET,
    baseline_option,
    judging_options,
    known_formats,
    outputs,
    reporting_options,
    resolve,
    settings_from_option,
)
from pte_lint.cli.store_options import store_options

EPILOG = """\b
Exit codes:
  0  nothing at or above --fail-on
  1  findings
  2  usage, configuration, an unreadable path, or an internal error
  3  nothing was checked

\b
Examples:
  pte-lint check model.pte
  pte-lint check exported/ --select PTE3 --fail-on warning
  pte-lint check llm.pte --data llm.ptd --output sarif=lint.sarif
  cat model.pte | pte-lint check - --format json
  pte-lint check zoo/ --output parquet=results/
"""

_NOT_WITH_TABLES = "--confirm, --concerned, --min-severity and --timings"


@click.command(epilog=EPILOG)
@click.argument("paths", metavar="PATH...", nargs=-1)
@judging_options
@baseline_option
@settings_from_option
@reporting_options
@click.option(
    "--confirm",
    "run_it",
    is_flag=True,
    help="Run the programs on the real runtime too (see `pte-lint confirm`).",
)
@click.option(
    "--concerned",
    is_flag=True,
    help="PATHs are changed files: judge also the programs that a .ptd among them is beside or is"
    " named for by the settings, and everything here if they are settings themselves.",
)
@click.option(
    "--min-severity",
    type=click.Choice([str(s) for s in Severity]),
    help="Show findings that are at least so severe; milder ones are counted.  [default: info]",
)
@click.option("--show-unchecked", is_flag=True, help="Tell what was not checked, and why.")
@click.option(
    "-v", "--verbose", is_flag=True, help="Print every finding in full, with its evidence."
)
@click.option("-q", "--quiet", is_flag=True, help="Print findings only.")
@click.option(
    "--timings",
    is_flag=True,
    help="Tell on stderr where the time went, by stage and rule; JSON has it too.",
)
@click.option(
    "-j",
    "--jobs",
    type=click.IntRange(min=0),
    default=1,
    metavar="N",
    help="Processes; 0 means one per CPU.  [default: 1]",
)
@click.option(
    "--cache/--no-cache",
    "cache",
    default=None,
    help="Keep results, and use kept ones (see `pte-lint cache`).  [default: yes; in CI no]",
)
@store_options
@colour_option
def check(
    *,
    paths: tuple[str, ...],
    form: str | None,
    output: tuple[str, ...],
    run_it: bool,
    concerned: bool,
    min_severity: str | None,
    show_unchecked: bool,
    verbose: bool,
    quiet: bool,
    timings: bool,
    jobs: int,
    cache: bool | None,
    colour: bool | None,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    archives: bool,
    limit: tuple[str, ...],
    scheduler: str | None,
    **judging: Any,
) -> None:
    """Say what the runtime will do with each artifact, and why.

    PATH is a file, a folder (searched for .pte, .ptd and .bpte files), a glob, an address
    (https://, s3://, hf://: only the program is fetched; all below one that ends with /), or - for
    the standard input.
    """
    from pte_lint.cache import place
    from pte_lint.claims.result import is_refuted
    from pte_lint.cli.job import Job, require
    from pte_lint.cli.output import check_writable, print_bytes, print_text, rendered, write
    from pte_lint.cli.paths import gather
    from pte_lint.cli.progress import is_shown
    from pte_lint.cli.runner import processes
    from pte_lint.clock import STAGE, Clock, run_clock, timed
    from pte_lint.files.sieve import Sieve
    from pte_lint.files.walking import Names
    from pte_lint.report.options import RenderOptions
    from pte_lint.report.phrases import plural
    from pte_lint.report.ranking import at_least
    from pte_lint.report.text import TextOptions, render_text

    given = outputs(output)
    tables = given.pop(PARQUET, None)
    settings = resolve(**judging).overridden(format=form, outputs=given)
    known_formats(settings)
    limits, sieve = read_limits(limit), Sieve(include, exclude, archives)
    mildest = None if min_severity is None else Severity(min_severity)
    if mildest is not None and settings.fail_on and settings.fail_on.rank > mildest.rank:
        raise click.BadParameter(
            f"{mildest} would hide what fails the run (--fail-on {settings.fail_on})",
            param_hint="--min-severity",
        )
    for path in settings.outputs.values():
        check_writable(path)
    if tables is not None:
        if run_it or concerned or mildest is not None or timings:
            raise click.UsageError(f"--output {PARQUET} goes with none of {_NOT_WITH_TABLES}")
        from pte_lint.cli.store_run import StoreRun
        from pte_lint.cli.storing import store

        keep_from = place.least_bytes(cache, 1_000)
        what = StoreRun(settings, tables, paths, sieve, limits, jobs, scheduler, keep_from, quiet)
        click.get_current_context().exit(store(what, is_printed=form is not None))
    if archives and (run_it or concerned):
        raise click.UsageError("--archives goes with neither --confirm nor --concerned")
    if scheduler is not None:
        raise click.UsageError(f"--scheduler needs --output {PARQUET}=FOLDER")
    if concerned:
        from pte_lint.cli import concerned as changes

        paths = changes.concerned(paths, settings)
        if not paths:
            click.echo("pte-lint: these changes concern no program", err=True)
            return
    found = require(gather(paths, sieve, Names(limits.names), settings.caps.timeout))
    inputs = found.inputs
    job = Job(settings, today=datetime.now(timezone.utc).date())
    clock = Clock() if timings or is_shown(quiet) else None
    with run_clock(clock):
        judged = job.run(inputs, jobs, quiet, place.least_bytes(cache, len(inputs)), found.unread)
    report = replace(judged.report, notes=(*found.remarks, *judged.report.notes))
    if judged.comparison is not None and judged.comparison.fixed:
        fixed = f"{plural(len(judged.comparison.fixed), 'finding')} of the baseline fixed"
        report = replace(report, notes=(*report.notes, f"{fixed}; write it anew"))
    if run_it:
        from pte_lint.cli.running import confirm_report

        report = confirm_report(report, inputs, settings)
    if timings and clock is not None:
        report = replace(report, timings=dict(clock.seconds))
    listings = {}
    if "sarif" in (settings.format, *settings.outputs):
        from pte_lint.cli.listings import listings_of

        listings = listings_of(report, inputs)
    known = RenderOptions(judged.rules, settings.fail_on, listings)
    shown = report if mildest is None else at_least(report, mildest)
    with run_clock(clock), timed(STAGE, "report"):
        texts = {name: rendered(shown, name, known) for name in settings.outputs}
        if settings.format == "text":
            options = TextOptions(
                wants_colour(colour), quiet, verbose, show_unchecked, judging=known
            )
            print_text(render_text(shown, options))
        else:
            print_bytes(rendered(shown, settings.format, known))
        for name, path in settings.outputs.items():
            write(path, texts[name])
    if timings and clock is not None:
        from pte_lint.report import timings_text

        of = processes(jobs, len(inputs))
        click.echo(timings_text.render(clock.seconds, of), err=True, nl=False)
    if report.unread:
        raise Trouble(*report.unread)
    if report.internal_errors:
        raise Trouble("a rule failed: see the internal errors in the report")
    failed = settings.fail_on is not None and not report.is_clean(
        settings.fail_on, unchecked=settings.fail_on_unchecked
    )
    failed = failed or any(is_refuted(artifact) for artifact in report.artifacts)
    click.get_current_context().exit(exit_codes.FINDINGS if failed else exit_codes.CLEAN)
