"""The contract on imports: no circle, every room in it, and a forbidden arrow is refused."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import grimp
import networkx as nx
import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package as it installs, as copies that can be changed."""
    top = tmp_path_factory.mktemp("layers")
    shutil.copytree(ROOT / "pte_lint", top / "pte_lint", ignore=shutil.ignore_patterns("*.pyc"))
    for room in ("rules", "schema"):
        shutil.copytree(
            ROOT / room, top / "pte_lint" / room, ignore=shutil.ignore_patterns("*.pyc")
        )
    shutil.copy(ROOT / "pyproject.toml", top)
    return top


def contract(tree: Path) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    return subprocess.run(
        command,
        cwd=tree,
        env={"PYTHONPATH": str(tree), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_contract_is_kept(tree: Path) -> None:
    said = contract(tree)
    assert said.returncode == 0, said.stdout
    assert "2 kept, 0 broken" in said.stdout


@pytest.mark.parametrize(
    ("module", "arrow"),
    [
        ("ir/steps.py", "from pte_lint.interpret import flow"),
        ("ops/checks/call.py", "from pte_lint.ir import method"),
        ("claims/finding.py", "from pte_lint.judging import engine"),
        ("questions/method.py", "from pte_lint.rules.device import missing_h2d_copy"),
        ("schema/program.py", "from pte_lint.text import words"),
        ("rules/device/missing_h2d_copy.py", "from pte_lint.config import settings"),
    ],
)
@pytest.mark.parametrize("lazily", [False, True], ids=["eager", "lazy"])
def test_a_forbidden_arrow_is_refused(tree: Path, module: str, arrow: str, lazily: bool) -> None:
    file = tree / "pte_lint" / module
    before = file.read_text("utf-8")
    added = f"def forbidden() -> None:\n    {arrow}\n" if lazily else f"{arrow}\n"
    try:
        file.write_text(f"{before}\n\n{added}", "utf-8")
        said = contract(tree)
        assert said.returncode == 1
        name = module.removesuffix(".py").replace("/", ".")
        where, _, what = arrow.removeprefix("from ").partition(" import ")
        assert f"pte_lint.{name} -> {where}.{what}" in said.stdout
    finally:
        file.write_text(before, "utf-8")


def test_a_room_that_the_contract_does_not_name_is_refused(tree: Path) -> None:
    extra = tree / "pte_lint" / "attic"
    extra.mkdir()
    try:
        (extra / "__init__.py").write_text("", "utf-8")
        assert contract(tree).returncode != 0
    finally:
        shutil.rmtree(extra)


def test_no_module_imports_itself_in_a_circle(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tree))
    found = grimp.build_graph("pte_lint", cache_dir=None)
    graph = nx.DiGraph(
        (module, imported)
        for module in found.modules
        for imported in found.find_modules_directly_imported_by(module)
    )
    circles = [sorted(c) for c in nx.strongly_connected_components(graph) if len(c) > 1]
    assert circles == []


def test_few_modules_stand_in_no_room() -> None:
    loose = [p.stem for p in (ROOT / "pte_lint").glob("*.py")]
    assert len(loose) <= 8, sorted(loose)
