"""Every package and data file in the checkout is one that installs."""

from __future__ import annotations

from pathlib import Path

from pte_lint.text import toml

ROOT = Path(__file__).parents[1]
SETUPTOOLS = toml.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]
HOMES = {"pte_lint": "pte_lint", "rules": "pte_lint.rules", "schema": "pte_lint.schema"}


def _packages() -> set[str]:
    """Folders with Python files in them, by the name they install under."""
    found = set()
    for folder, name in HOMES.items():
        for path in (ROOT / folder).rglob("*.py"):
            parts = path.parent.relative_to(ROOT / folder).parts
            found.add(".".join((name, *parts)))
    return found


def test_every_package_is_listed() -> None:
    assert set(SETUPTOOLS["packages"]) == _packages()


def test_every_data_file_is_listed() -> None:
    """What lies beside the modules: probe sources, profiles, templates, schemas."""
    missing = []
    for folder, name in (("pte_lint", "pte_lint"), ("schema", "pte_lint.schema")):
        patterns = SETUPTOOLS["package-data"][name]
        for path in (ROOT / folder).rglob("*"):
            inside = path.relative_to(ROOT / folder)
            is_data = path.is_file() and path.suffix not in (".py", ".pyc")
            if is_data and not any(inside.match(pattern) for pattern in patterns):
                missing.append(str(inside))
    assert missing == []
