"""Puts a new rule into a project, or makes a plugin around it."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from typing import Final

from pte_lint._version import __version__
from pte_lint.report.rule_markdown import rule_markdown
from pte_lint.rulebook.interface import INTERFACE_VERSION
from pte_lint.rulebook.rule import Rule
from pte_lint.scaffold import templates
from pte_lint.scaffold.project import NoProjectError, Project, project_in

_RULE: Final = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)+")
_ID: Final = re.compile(r"[A-Z]{2,10}\d{3}")
_DISTRIBUTION: Final = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


def new_plugin(folder: Path, name: str) -> tuple[Project, list[Path]]:
    """Makes a plugin in `folder/name`; returns it and the files.

    Raises:
        NoProjectError: the name is none, or the folder exists.
    """
    if not _DISTRIBUTION.fullmatch(name) or name == "pte-lint":
        raise NoProjectError(f"{name!r}: name a plugin in small letters, such as acme-rules")
    package = name.replace("-", "_")
    root = folder / name
    words = {
        "distribution": name,
        "package": package,
        "version": __version__,
        "interface": INTERFACE_VERSION,
    }
    texts = {
        root / "pyproject.toml": templates.PYPROJECT,
        root / "README.md": templates.README,
        root / package / "__init__.py": templates.PACKAGE,
        root / "tests" / "test_conformance.py": templates.CONFORMANCE,
    }
    files = [_write(path, text.format(**words)) for path, text in texts.items()]
    return project_in(root), files


def new_rule(project: Project, name: str, rule_id: str | None, family: str | None) -> list[Path]:
    """Writes a rule, its test and its page; returns the files, those included that are changed.

    Args:
        project: where.
        name: the rule's name, such as `no-double-inputs`.
        rule_id: its id; None: the next free one.
        family: in pte-lint itself, the folder of its family.

    Raises:
        NoProjectError: the name, the id or the family cannot be used, or a file exists.
    """
    if not _RULE.fullmatch(name):
        raise NoProjectError(
            f"{name!r}: name a rule with two words or more in small letters, such as "
            "no-double-inputs"
        )
    given = rule_id or project.free_id()
    if not _ID.fullmatch(given):
        raise NoProjectError(f"{given!r} is no id: capital letters and three digits, as in ACME001")
    for letters, number, file in project.ids():
        if f"{letters}{number:03}" == given:
            raise NoProjectError(f"the id {given} is taken by {file}")
    module = name.replace("-", "_")
    if project.is_pte_lint:
        return _built_in(project, name, module, rule_id, family)
    code = templates.RULE.format(id=given, name=name, imports=templates.PLUGIN_IMPORTS)
    imports = f"\nfrom {project.package} import {module}\n"
    test = templates.TEST.format(id=given, rule=f"{module}.check", imports=imports)
    file = _write(project.rules / f"{module}.py", code)
    tests = _write(project.tests / f"test_{module}.py", test)
    page = _write(project.pages / f"{given}.md", _page(file, f"{project.package}.{module}"))
    return [file, tests, page]


def _built_in(
    project: Project, name: str, module: str, rule_id: str | None, family: str | None
) -> list[Path]:
    folders = sorted(p.name for p in project.rules.iterdir() if (p / "__init__.py").is_file())
    if rule_id is None or family not in folders:
        told = ", ".join(each for each in folders if each != "fixes")
        raise NoProjectError(f"a rule of pte-lint needs --id, and --family, one of {told}")
    code = templates.RULE.format(id=rule_id, name=name, imports=templates.BUILTIN_IMPORTS)
    test = templates.TEST.format(id=rule_id, rule=f'"{rule_id}"', imports="")
    file = _write(project.rules / family / f"{module}.py", code)
    tests = _write(project.tests / family / f"test_{module}.py", test)
    page = _write(project.pages / f"{rule_id}.md", _page(file, f"pte_lint.rules.{family}.{module}"))
    table = project.rules / "__init__.py"
    table.write_text(_listed(table.read_text("utf-8"), project, family, module, rule_id), "utf-8")
    return [file, tests, page, table]


def _listed(text: str, project: Project, family: str, module: str, rule_id: str) -> str:
    """The table of built-in rules with one more, in its place."""
    start = f"from pte_lint.rules.{family} import ("
    head, _, rest = text.partition(f"{start}\n")
    block, _, tail = rest.partition(")\n")
    names = sorted({*block.replace(",", " ").split(), module})
    text = f"{head}{start}\n" + "".join(f"    {each},\n" for each in names) + f"){chr(10)}{tail}"
    before = [p.stem for word, n, p in sorted(project.ids()) if f"{word}{n:03}" < rule_id]
    entry = f"    {before[-1]}.check,\n" if before else "RULES: tuple[Rule, ...] = (\n"
    return text.replace(entry, f"{entry}    {module}.check,\n", 1)


def _page(file: Path, name: str) -> str:
    """The page of a rule whose module is in a file, before anything is installed."""
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
        rule = module.check
        assert isinstance(rule, Rule)
        return rule_markdown(rule)
    finally:
        del sys.modules[name]


def _write(path: Path, text: str) -> Path:
    if path.exists():
        raise NoProjectError(f"{path} exists")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path
