"""The command group: loads commands on demand and turns every ending into an exit code."""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any, NoReturn

import click

from pte_lint._version import __version__
from pte_lint.cli import exit_codes, streams
from pte_lint.cli.commands import COMMANDS
from pte_lint.text import sanitise
from pte_lint.text.notice import listening


class LazyGroup(click.Group):
    """A group whose commands are imported when they are run or asked for their help."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Imports a command."""
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        command: click.Command = getattr(import_module(entry.module), entry.attribute)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Finds the command; an unknown one is answered with the nearest name."""
        word = args[0]
        if word not in COMMANDS and not word.startswith("-"):
            import difflib

            near = difflib.get_close_matches(word, COMMANDS, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            if not near and (os.path.exists(word) or word.endswith((".pte", ".ptd", ".bpte"))):  # noqa: PTH110 - any text
                hint = f" Did you mean 'pte-lint check {word}'?"
            ctx.fail(f"No such command {word!r}.{hint}")
        _refuse_lookalikes(ctx, args[1:])
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the overview from the table, without importing anything."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in COMMANDS.items()])

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """Reads the command line; what the system refuses is ours to tell, and not click's."""
        with _ours():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Runs a command; what the system refuses is ours to tell, and not click's."""
        with _ours():
            return super().invoke(ctx)

    def main(  # type: ignore[override]
        self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any
    ) -> NoReturn:
        """Runs and exits. Anything unforeseen is an internal error and exits with 2, not 1."""
        extra["standalone_mode"] = False
        try:
            with listening(streams.say):
                code = super().main(args, prog_name, **extra)
            code = code if isinstance(code, int) else exit_codes.CLEAN
        except click.ClickException as exc:
            code = _show(exc)
        except (click.Abort, KeyboardInterrupt):
            streams.complain("interrupted")
            code = exit_codes.INTERRUPTED
        except _Refused as exc:
            code = streams.explain(exc.error)
        except MemoryError:
            streams.complain("there is not enough memory")
            code = exit_codes.TROUBLE
        except Exception:
            code = _internal_error()
        sys.exit(streams.finish(code))


def _refuse_lookalikes(ctx: click.Context, args: list[str]) -> None:
    """Refuses an option that is the name of a file as well.

    Shells and hooks put names of files on the command line; `--config=x.pte` among them is meant as
    a file by them and as an option by us.
    """
    for each in itertools.takewhile(lambda word: word != "--", args):
        if each.startswith("-") and len(each) > 1 and os.path.lexists(each):
            ctx.fail(f"{each!a} is an option and the name of a file; write {'./' + each!a} for it")


class _Refused(Exception):  # noqa: N818 - what happened, in a word
    """The system refused something; not an OSError, of which click makes exit codes of its own."""

    def __init__(self, error: OSError) -> None:
        super().__init__(str(error))
        self.error = error


@contextmanager
def _ours() -> Iterator[None]:
    try:
        yield
    except OSError as exc:
        raise _Refused(exc) from exc


def _show(error: click.ClickException) -> int:
    """Prints what the user did wrong; words of the command line in it may be names of strangers."""
    if not hasattr(error, "lines"):
        vars(error)["message"] = sanitise.prose(error.message)
    try:
        error.show()
    except OSError as exc:
        return streams.explain(exc)
    return error.exit_code


def _internal_error() -> int:
    import traceback

    text = traceback.format_exc()
    try:
        click.echo(sanitise.block(text), err=True)
    except OSError:
        streams.drop()
    streams.complain("internal error in pte-lint; please report it with the lines above")
    return exit_codes.TROUBLE


EPILOG = """\b
Exit codes of check:
  0  nothing at or above --fail-on (default: error)
  1  findings
  2  usage, configuration, an unreadable path, or an internal error
  3  nothing was checked

\b
Examples:
  pte-lint check model.pte
  pte-lint check exported/ --target executorch==1.4 --fail-on warning
  pte-lint check llm.pte --data llm.ptd --output sarif=lint.sarif
  pte-lint explain PTE301
"""


@click.group(
    cls=LazyGroup,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
)
@click.version_option(__version__, "-V", "--version", message="pte-lint %(version)s")
def app() -> None:
    """Check exported ExecuTorch programs without running them.

    Reads .pte, .ptd and .bpte files alone (no torch, no ExecuTorch, no GPU), says what the
    runtime will do with each, why, and which export setting to change.
    """
