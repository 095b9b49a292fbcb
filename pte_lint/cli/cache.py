"""`pte-lint cache`: the folder where `check` keeps results."""

from __future__ import annotations

import click

from pte_lint.cli.errors import Trouble

EPILOG = """\b
Examples:
  pte-lint cache dir
  pte-lint cache count
  pte-lint cache clean
"""


@click.group(epilog=EPILOG)
def cache() -> None:
    """Show or empty the folder of kept results.

    `check` keeps what it said about a file, and says it again as long as the bytes that it
    depends on, the rules, the target, the settings and the data files are the same. It keeps 256
    MiB at most. PTE_LINT_CACHE_DIR moves the folder; PTE_LINT_NO_CACHE=1, CI, and --no-cache
    switch it off. What `--remote keep=SIZE` keeps of files that are far away is there as well.
    """


@cache.command("dir")
def show() -> None:
    """Print the folder."""
    from pte_lint.cache.place import folder
    from pte_lint.text import sanitise

    click.echo(sanitise.name(str(folder()), sanitise.EXACT_LIMIT))


@cache.command()
def count() -> None:
    """Print how much is kept, and how many entries are no good.

    An entry is no good when it is damaged, when it was not written by you, or when others may write
    to it. Such entries are never used: the file is judged anew.
    """
    from pte_lint.cache import fetched
    from pte_lint.cache.packing import unpack
    from pte_lint.cache.place import folder
    from pte_lint.cache.store import Store
    from pte_lint.report.phrases import human_bytes, plural

    told = Store(folder()).survey(lambda content: unpack(content) is not None)
    files = Store(folder(), fetched.VERSION, entry_bytes=fetched.MOST).survey(fetched.is_entry)
    kept = [f"{plural(told.entries, 'result')}, {human_bytes(told.bytes)}"]
    if files.entries:
        kept.append(f"{plural(files.entries, 'fetched file')}, {human_bytes(files.bytes)}")
    bad = told.bad + files.bad
    click.echo(f"{'; '.join(kept)}; {bad} {'entry' if bad == 1 else 'entries'} no good")


@cache.command()
def clean() -> None:
    """Remove everything that is kept, and nothing else."""
    from pte_lint.cache.place import folder
    from pte_lint.cache.store import Store
    from pte_lint.report.phrases import human_bytes, plural

    try:
        count, size = Store(folder()).clean()
    except OSError as exc:
        raise Trouble(f"cannot clean {exc.filename}: {exc.strerror or exc}") from exc
    click.echo(f"removed {plural(count, 'file')}, {human_bytes(size)}")
