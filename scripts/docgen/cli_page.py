"""The command-line reference: every command's own help."""

from __future__ import annotations

from collections.abc import Iterator

import click

from pte_lint.cli.app import app
from pte_lint.cli.commands import COMMANDS

_INTRODUCTION = """\
# Command line

Every page below is the command's own `--help`.
"""


def pages() -> Iterator[tuple[str, str]]:
    """docs/cli.md."""
    parts = [_INTRODUCTION]
    root = _context(app, "pte-lint", None)
    parts.append(_section("pte-lint", app.get_help(root)))
    for name in COMMANDS:
        command = app.get_command(root, name)
        if command is None:
            raise SystemExit(f"{name} is in the table of commands but cannot be loaded")
        parts += _pages(command, name, root, f"pte-lint {name}")
    yield "docs/cli.md", "\n".join(parts)


def _pages(command: click.Command, name: str, parent: click.Context, title: str) -> Iterator[str]:
    context = _context(command, name, parent)
    yield _section(title, command.get_help(context))
    if isinstance(command, click.Group):
        for child in command.list_commands(context):
            inner = command.get_command(context, child)
            if inner is not None:
                yield from _pages(inner, child, context, f"{title} {child}")


def _context(command: click.Command, name: str, parent: click.Context | None) -> click.Context:
    return click.Context(
        command,
        info_name=name,
        parent=parent,
        terminal_width=80,
        help_option_names=["-h", "--help"],
    )


def _section(title: str, text: str) -> str:
    lines = "\n".join(line.rstrip() for line in text.split("\n"))
    return f"## {title}\n\n```text\n{lines}\n```\n"
