"""`check --output parquet=FOLDER`: the run, what is printed of it, and its exit code."""

from __future__ import annotations

from pte_lint._version import __version__
from pte_lint.claims.result import Report
from pte_lint.cli import exit_codes, rulebook
from pte_lint.cli.errors import Nothing, Trouble
from pte_lint.cli.output import print_bytes, print_text, rendered, write
from pte_lint.cli.recipe import Recipe
from pte_lint.cli.store_run import Outcome, StoreRun, run
from pte_lint.report.options import RenderOptions
from pte_lint.report.text import TextOptions, render_text
from pte_lint.store.layouts import text
from pte_lint.store.reading import Results
from pte_lint.store.sections import summary_page
from pte_lint.store.summary import summarise


def store(what: StoreRun, *, is_printed: bool) -> int:
    """Runs, writes, and prints the summary; returns the exit code.

    Args:
        what: the run.
        is_printed: whether its report is printed in the format of the settings instead.

    Raises:
        Nothing: there was nothing to judge.
        Trouble: something could not be judged, or the run could not be finished.
    """
    outcome = run(what, keep=is_printed or bool(what.settings.outputs))
    if not outcome.artifacts and not outcome.troubles:
        raise Nothing("; ".join(outcome.remarks) or "nothing to check: give a file or a folder")
    if is_printed or what.settings.outputs:
        _others(what, outcome, is_printed)
    if not is_printed and not what.quiet:
        notes = list(outcome.remarks)
        if outcome.resumed:
            notes.append(f"{outcome.resumed} of these from a run that was stopped")
        print_text(text(summary_page(summarise(Results.open(what.into)), notes)))
    if outcome.troubles:
        raise Trouble(*outcome.troubles)
    return exit_codes.FINDINGS if outcome.has_findings else exit_codes.CLEAN


def _others(what: StoreRun, outcome: Outcome, is_printed: bool) -> None:
    """The report as other formats have it."""
    settings = what.settings
    judged_by = Recipe(settings).cook(rulebook.every_rule(settings.isolated))
    report = Report(judged_by.target, tuple(outcome.reports), __version__, tuple(outcome.remarks))
    known = RenderOptions(judged_by.rules, settings.fail_on)
    if is_printed and settings.format == "text":
        print_text(render_text(report, TextOptions(quiet=what.quiet, judging=known)))
    elif is_printed:
        print_bytes(rendered(report, settings.format, known))
    for name, path in settings.outputs.items():
        write(path, rendered(report, name, known))
