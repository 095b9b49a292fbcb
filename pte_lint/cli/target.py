"""`pte-lint target`: profiles of runtimes."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from pte_lint.cli.errors import Trouble

EPILOG = """\b
Examples:
  pte-lint target capture -o my_runtime.json
  pte-lint check model.pte --target my_runtime.json
"""


@click.group()
def target() -> None:
    """Describe the runtime that programs are judged for.

    A profile lists the kernels and backends of one build. With one, an operator or a backend
    that is missing is an error and not a guess.
    """


@target.command(epilog=EPILOG)
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Write here.")
@click.option("--name", metavar="TEXT", help="What to call it.  [default: executorch VERSION]")
@click.option(
    "--without",
    multiple=True,
    metavar="NAMESPACE",
    help="Leave out operators of a namespace whose library you do not link. Repeatable.",
)
@click.option(
    "--library",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="FILE.so",
    multiple=True,
    help="A shared library with kernels and backends that you link too. Repeatable.",
)
def capture(
    output: Path | None, name: str | None, without: tuple[str, ...], library: tuple[Path, ...]
) -> None:
    """Write a profile of the installed runtime.

    Needs Linux, a C++ compiler and the executorch wheel (no torch).
    """
    from pte_lint.cli.output import check_writable, print_bytes, write
    from pte_lint.harness.capture import capture_profile
    from pte_lint.harness.errors import HarnessUnavailable

    if output is not None:
        check_writable(output)
    words = ["pte-lint", "target", "capture"]
    words += [word for each in without for word in ("--without", each)]
    words += ["--name", name] if name is not None else []
    words += [word for each in library for word in ("--library", str(each))]
    try:
        profile = capture_profile(name, without, shlex.join(words), library)
    except HarnessUnavailable as exc:
        raise Trouble(f"{exc.reason} {exc.hint}") from exc
    if output is not None:
        write(output, profile.to_json())
    else:
        print_bytes(profile.to_json())
