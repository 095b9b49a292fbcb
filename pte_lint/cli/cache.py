"""`pte-lint cache`: the folder where `check` keeps results."""

from __future__ import annotations

import click

from pte_lint.cli.errors import Trouble

EPILOG = """\b
Examples:
  pte-lint cache dir
  pte-lint cache clean
"""


@click.group(epilog=EPILOG)
def cache() -> None:
    """Show or empty the folder of kept results.

    `check` keeps what it said about a file, and says it again as long as the bytes that it
    depends on, the rules, the target, the settings and the data files are the same. It keeps 256
    MiB at most. PTE_LINT_CACHE_DIR moves the folder; PTE_LINT_NO_CACHE=1, CI, and --no-cache
    switch it off.
    """


@cache.command("dir")
def show() -> None:
    """Print the folder."""
    from pte_lint.cache.place import folder
    from pte_lint.report import sanitise

    click.echo(sanitise.name(str(folder()), sanitise.EXACT_LIMIT))


@cache.command()
def clean() -> None:
    """Remove all kept results, and nothing else."""
    from pte_lint.cache.place import folder
    from pte_lint.cache.store import Store
    from pte_lint.report.phrases import human_bytes, plural

    try:
        count, size = Store(folder()).clean()
    except OSError as exc:
        raise Trouble(f"cannot clean {exc.filename}: {exc.strerror or exc}") from exc
    click.echo(f"removed {plural(count, 'result')}, {human_bytes(size)}")
