"""`pte-lint summary`: what the tables of a large run say, and what changed between two."""

from __future__ import annotations

from pathlib import Path

import click

from pte_lint.cli.errors import Trouble

EPILOG = """\b
Exit codes:
  0  told, whatever was found (pte-lint check fails on findings)
  2  usage, or results that cannot be read

\b
Examples:
  pte-lint check s3://models/ --output parquet=results/
  pte-lint summary results/
  pte-lint summary --compare last-week/ results/ --format markdown
"""


@click.command(epilog=EPILOG)
@click.argument("folders", metavar="FOLDER...", nargs=-1, required=True)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "markdown", "html"]),
    default="text",
    help="What to print.  [default: text]",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Where to write it.  [default: the standard output]",
)
@click.option(
    "--compare", is_flag=True, help="Give two folders: what appeared, went, or has another verdict."
)
def summary(*, folders: tuple[str, ...], form: str, output: Path | None, compare: bool) -> None:
    """Sum up the tables of a run: by runtime, rule, backend, and the worst artifacts.

    FOLDER is what `pte-lint check --output parquet=FOLDER` wrote.
    """
    from pte_lint.cli.output import check_writable, print_bytes, print_text, write
    from pte_lint.store import comparison
    from pte_lint.store.arrow import NoArrowError
    from pte_lint.store.layouts import LAYOUTS
    from pte_lint.store.reading import Results, ResultsError
    from pte_lint.store.sections import comparison_page, summary_page
    from pte_lint.store.summary import summarise

    if len(folders) != 1 + compare:
        raise click.UsageError(f"give {'two folders' if compare else 'one folder'}")
    if output is not None:
        check_writable(output)
    try:
        runs = [Results.open(Path(folder)) for folder in folders]
        if compare:
            page = comparison_page(comparison.compare(*runs))
        else:
            page = summary_page(summarise(runs[0]))
    except (ResultsError, NoArrowError) as exc:
        raise Trouble(str(exc)) from exc
    told = LAYOUTS[form](page)
    if output is not None:
        write(output, told)
    elif form == "text":
        print_text(told)
    else:
        print_bytes(told)
