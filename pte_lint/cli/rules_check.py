"""`pte-lint rules --check`: what a plugin's CI would say, or that of pte-lint about rules."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from pte_lint.rulebook.registry import load_rules
from pte_lint.rulebook.rule import Rule
from pte_lint.scaffold.project import NoProjectError, Project, project_in

_OWN_TESTS = (
    "tests/rules/test_catalogue.py",
    "tests/rules/test_snippets.py",
    "tests/fuzz/test_kill_matrix.py",
)


class Step(NamedTuple):
    """One thing that was checked: what, and what is wrong with it."""

    what: str
    wrong: tuple[str, ...] = ()


def steps(folder: Path) -> Iterator[Step]:
    """Checks the project in a folder; without one, every plugin that is installed."""
    from pte_lint.testing.conformance import faults_of_plugin

    try:
        project = project_in(folder)
    except NoProjectError as exc:
        rules = load_rules()
        plugins = sorted({rule.origin.distribution for rule in rules if rule.origin})
        if not plugins:
            where = _projects_below(folder)
            here = f"give the command in the folder of one, such as {where[0]}" if where else exc
            yield Step("no plugin to check", (f"no plugin is installed, and none is here: {here}",))
        for plugin in plugins:
            yield Step(f"{plugin} conforms", tuple(faults_of_plugin(plugin)))
        return
    if project.is_pte_lint:
        yield from _own(project)
        return
    yield Step("the plugin conforms", tuple(faults_of_plugin(project.distribution)))
    rules = tuple(rule for rule in load_rules() if _is_of(rule, project))
    yield Step("rules are written out", tuple(_todo(project)))
    yield Step("every rule has a test", tuple(_untested(project, rules)))
    yield Step("pages are up to date", tuple(_pages(project, rules)))
    yield _command("tests pass", "pytest", "-q", str(project.tests), folder=folder)
    text = (folder / "pyproject.toml").read_text("utf-8")
    if "[tool.ruff" in text and find_spec("ruff"):
        yield _command("style", "ruff", "check", ".", folder=folder)
    if "[tool.mypy" in text and find_spec("mypy"):
        yield _command("types", "mypy", str(project.rules), folder=folder)


def _projects_below(folder: Path) -> list[Path]:
    """The folders right below that are projects with rules: people stand one too high."""
    found = []
    for file in sorted(folder.glob("*/pyproject.toml")):
        try:
            found.append(project_in(file.parent).root)
        except NoProjectError:
            continue
    return found


def _own(project: Project) -> Iterator[Step]:
    yield Step("rules are written out", tuple(_todo(project)))
    yield _command("rules and their defects", "pytest", "-q", *_OWN_TESTS, folder=project.root)
    changed = _git(project.root, "status", "--porcelain", "--", "tests/rules", "rules")
    modules = sorted({Path(line[3:]).stem.removeprefix("test_") for line in changed})
    tests = [
        str(file)
        for file in sorted(project.tests.rglob("test_*.py"))
        if file.stem.removeprefix("test_") in modules
    ]
    if tests:
        yield _command("tests of changed rules", "pytest", "-q", *tests, folder=project.root)
    yield _run("style, types, imports, pages", ["scripts/lint"], project.root)


def _is_of(rule: Rule, project: Project) -> bool:
    return rule.origin is not None and rule.module.startswith(f"{project.package}.")


def _todo(project: Project) -> Iterator[str]:
    for file in sorted(project.rules.rglob("*.py")):
        for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
            if "TODO" in line:
                yield f"{file.relative_to(project.root)}:{number}: {line.strip()}"


def _untested(project: Project, rules: tuple[Rule, ...]) -> Iterator[str]:
    tests = {file.stem for file in project.tests.rglob("test_*.py")}
    for rule in rules:
        wanted = f"test_{rule.module.rpartition('.')[2]}"
        if wanted not in tests:
            yield f"{rule.id} ({rule.name}): there is no {wanted}.py in {project.tests.name}"


def _pages(project: Project, rules: tuple[Rule, ...]) -> Iterator[str]:
    from pte_lint.report.rule_markdown import rule_markdown

    for rule in rules:
        page = project.pages / f"{rule.id}.md"
        if not page.is_file() or page.read_text("utf-8") != rule_markdown(rule):
            told = page.relative_to(project.root)
            yield f"write it anew: pte-lint explain {rule.id} --format markdown > {told}"


def _command(what: str, *words: str, folder: Path) -> Step:
    return _run(what, [sys.executable, "-m", *words], folder)


def _run(what: str, words: list[str], folder: Path) -> Step:
    done = subprocess.run(
        words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    return Step(what, () if done.returncode == 0 else tuple(done.stdout.rstrip().split("\n")[-40:]))


def _git(folder: Path, *words: str) -> list[str]:
    try:
        done = subprocess.run(
            ["git", *words], cwd=folder, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return []
    return done.stdout.splitlines()
