"""`pte-lint new-rule`: the files of a new rule, in a plugin or in pte-lint itself."""

from __future__ import annotations

import os
from pathlib import Path

import click

from pte_lint.cli.errors import Trouble


@click.command(
    "new-rule",
    epilog="\b\nExamples:\n  pte-lint new-rule --plugin acme-rules no-double-inputs\n"
    "  cd acme-rules && pte-lint new-rule few-outputs",
)
@click.argument("name", metavar="NAME")
@click.option(
    "--plugin", metavar="DISTRIBUTION", help="Make a plugin for it first, in a new folder."
)
@click.option("--id", "rule_id", metavar="ID", help="The rule's id.  [default: the next free one]")
@click.option("--family", metavar="FOLDER", help="In pte-lint itself: the folder of its family.")
def new_rule(name: str, plugin: str | None, rule_id: str | None, family: str | None) -> None:
    """Write a rule, its test and its page.

    NAME is the rule's name, such as no-double-inputs. The working folder is a plugin (its
    pyproject.toml declares rules) or a checkout of pte-lint.
    """
    from pte_lint.scaffold.project import NoProjectError, project_in
    from pte_lint.scaffold.writing import new_plugin
    from pte_lint.scaffold.writing import new_rule as write_rule

    here = Path.cwd()
    try:
        project, files = (project_in(here), []) if plugin is None else new_plugin(here, plugin)
        files += write_rule(project, name, rule_id, family)
    except NoProjectError as exc:
        raise Trouble(str(exc)) from exc
    for file in files:
        click.echo(os.path.relpath(file))
    folder = "" if plugin is None else f"cd {plugin} && "
    if project.is_pte_lint:
        then = (
            "scripts/generate_docs.py, python -m tests.fuzz.kill_matrix --again (CONTRIBUTING.md)"
        )
    else:
        then = f'{folder}pip install -e ".[test]" && pte-lint rules --check'
    click.echo(f"Fill in what says TODO, then: {then}", err=True)
