"""Options of runs over many artifacts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from pte_lint.cli.options import Option, add_options

_F = TypeVar("_F", bound=Callable[..., Any])

_STORE: tuple[Option, ...] = (
    click.option(
        "--include",
        multiple=True,
        metavar="GLOB",
        help="Look only at these files in folders and listings; without a slash, by their names."
        " Repeatable.  [default: *.pte, *.ptd, *.bpte]",
    ),
    click.option(
        "--exclude",
        multiple=True,
        metavar="GLOB",
        help="Do not look at these files in folders and listings. Repeatable.",
    ),
    click.option(
        "--archives",
        is_flag=True,
        help="Look into archives: .zip, .aar, .apk, .ipa, .whl, .jar, .tar, .tar.gz, .tar.bz2.",
    ),
    click.option(
        "--limit",
        multiple=True,
        metavar="NAME=VALUE",
        help="What a run with --output parquet=FOLDER may take: memory (2GiB) and seconds (600) for"
        " each artifact, artifacts and names in all. Repeatable.",
    ),
    click.option(
        "--scheduler",
        metavar="ADDRESS",
        help="Judge on the workers of this Dask scheduler, such as tcp://host:8786.",
    ),
)


def store_options(function: _F) -> _F:
    """Adds what runs over many artifacts are given: what to look at, limits, who judges."""
    return add_options(function, _STORE)
