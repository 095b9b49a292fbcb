"""`pte-lint new-rule` and `pte-lint rules --check`: what is written works as it is."""

from __future__ import annotations

import ast
import os
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pte_lint.cli.app import app
from pte_lint.testing import check_plugin
from tests.support.plugins import installed

ROOT = Path(__file__).parents[3]


def run(*words: str) -> Result:
    return CliRunner().invoke(app, words, prog_name="pte-lint")


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A new plugin with one rule, as the working folder, beside its metadata."""
    monkeypatch.chdir(tmp_path)
    made = run("new-rule", "--plugin", "acme-rules", "no-double-inputs")
    assert made.exit_code == 0, made.output
    info = tmp_path / "acme-rules" / "acme_rules-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-rules\nVersion: 0.1.0\n")
    (info / "entry_points.txt").write_text("[pte_lint.rules]\nacme_rules = acme_rules:RULES\n")
    monkeypatch.chdir(tmp_path / "acme-rules")
    # The plugin's own tests run in a process of their own.
    told = os.pathsep.join([str(Path.cwd()), str(ROOT), os.environ.get("PYTHONPATH", "")])
    monkeypatch.setenv("PYTHONPATH", told)
    return Path.cwd()


def check() -> dict[str, str]:
    """The lines of `rules --check`: by what was checked, `ok` or `FAILED`."""
    result = run("rules", "--check")
    assert result.exit_code in (0, 1), result.output
    lines = [line for line in result.stdout.splitlines() if not line.startswith("  ")]
    told = {line[8:]: line[:6].strip() for line in lines}
    assert (result.exit_code == 1) == ("FAILED" in told.values())
    return told


def test_a_new_plugin_wants_words_and_nothing_else(plugin: Path) -> None:
    with installed(plugin):
        told = check()
        assert told.pop("rules are written out") == "FAILED"
        assert told == {
            "the plugin conforms": "ok",
            "every rule has a test": "ok",
            "pages are up to date": "ok",
            "tests pass": "ok",
        }


def test_what_is_missing_is_told(plugin: Path) -> None:
    rule = plugin / "acme_rules" / "no_double_inputs.py"
    rule.write_text(rule.read_text().replace("TODO: ", "").replace("is float64.", "is double."))
    (plugin / "acme_rules" / "other.py").write_text(
        rule.read_text().replace("ACME001", "ACME002").replace("no-double-inputs", "other-inputs")
    )
    (plugin / "docs" / "ACME001.md").unlink()
    with installed(plugin):
        told = check()
        assert told == {
            "the plugin conforms": "ok",
            "rules are written out": "ok",
            "every rule has a test": "FAILED",
            "pages are up to date": "FAILED",
            "tests pass": "FAILED",
        }
        text = run("rules", "--check").stdout
    assert "ACME002 (other-inputs): there is no test_other.py in tests" in text
    assert "pte-lint explain ACME001 --format markdown > docs/ACME001.md" in text


def test_the_second_rule_gets_the_next_id(plugin: Path) -> None:
    made = run("new-rule", "few-outputs")
    assert made.stdout.splitlines() == [
        "acme_rules/few_outputs.py",
        "tests/test_few_outputs.py",
        "docs/ACME002.md",
    ]
    assert run("new-rule", "some-outputs", "--id", "ACME009").exit_code == 0
    assert run("new-rule", "more-outputs").exit_code == 0
    assert (plugin / "docs" / "ACME010.md").is_file()
    with installed(plugin):
        check_plugin("acme-rules")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("outputs",), "'outputs': name a rule with two words or more in small letters"),
        (("Few-Outputs",), "'Few-Outputs': name a rule with two words or more"),
        (("no-double-inputs", "--id", "ACME002"), "no_double_inputs.py exists"),
        (("few-outputs", "--id", "ACME001"), "the id ACME001 is taken by"),
        (("few-outputs", "--id", "acme2"), "'acme2' is no id: capital letters and three digits"),
        (("few-outputs", "--plugin", "Acme"), "'Acme': name a plugin in small letters"),
    ],
)
def test_what_cannot_be_written_is_told(plugin: Path, words: tuple[str, ...], told: str) -> None:
    result = run("new-rule", *words)
    assert result.exit_code == 2
    assert told in result.stderr
    assert sorted(file.name for file in (plugin / "acme_rules").glob("*.py")) == [
        "__init__.py",
        "no_double_inputs.py",
    ]


def test_a_folder_without_a_project_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "no pyproject.toml in" in run("new-rule", "few-outputs").stderr
    Path("pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert "it declares no rules" in run("new-rule", "few-outputs").stderr
    Path("pyproject.toml").write_text("[project\n")
    assert "pyproject.toml: Expected" in run("new-rule", "few-outputs").stderr
    Path("pyproject.toml").write_text("[project.entry-points.'pte_lint.rules']\nx = 'gone:RULES'\n")
    assert "the package gone is neither in" in run("new-rule", "few-outputs").stderr
    assert not list(tmp_path.glob("*.py"))


def test_elsewhere_installed_plugins_are_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("rules", "--check")
    lead = "FAILED  no plugin to check\n        no plugin is installed, and none is here: "
    way_out = f"no pyproject.toml in {tmp_path}: `pte-lint new-rule --plugin NAME RULE` makes a"
    assert (result.exit_code, result.stdout) == (1, f"{lead}{way_out} plugin\n")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "pyproject.toml").write_text("[project]\nname = 'other'\n")
    assert run("rules", "--check").stdout == result.stdout
    run("new-rule", "--plugin", "my-rules", "odd-thing")
    below = f"give the command in the folder of one, such as {tmp_path / 'my-rules'}\n"
    assert run("rules", "--check").stdout == lead + below


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What of a checkout of pte-lint a new rule touches."""
    shutil.copytree(ROOT / "rules", tmp_path / "rules", ignore=shutil.ignore_patterns("*.pyc"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("rule_id", ["PTE001", "PTE304", "PTE899"])
def test_a_built_in_rule_is_put_in_its_place(checkout: Path, rule_id: str) -> None:
    before = (checkout / "rules" / "__init__.py").read_text()
    if f'"{rule_id}"' in "".join(p.read_text() for p in (checkout / "rules").rglob("*.py")):
        rule_id = "PTE898"
    result = run("new-rule", "no-double-inputs", "--id", rule_id, "--family", "cost")
    assert result.exit_code == 0, result.stderr
    assert "tests/rules/cost/test_no_double_inputs.py" in result.stdout
    text = (checkout / "rules" / "__init__.py").read_text()
    added = [line for line in text.splitlines() if line not in before.splitlines()]
    assert added == ["    no_double_inputs,", "    no_double_inputs.check,"]
    tree = ast.parse(text)
    (table,) = [n.value for n in tree.body if isinstance(n, ast.AnnAssign)]
    assert isinstance(table, ast.Tuple)
    order = [
        e.value.id
        for e in table.elts
        if isinstance(e, ast.Attribute) and isinstance(e.value, ast.Name)
    ]
    number = {p.stem: _id(p) for p in (checkout / "rules").rglob("*.py")}
    assert [number[name] for name in order] == sorted(number[name] for name in order)
    code = (checkout / "rules" / "cost" / "no_double_inputs.py").read_text()
    assert "pte_lint.plugin" not in code
    assert (
        (checkout / "docs" / "rules" / f"{rule_id}.md").read_text().startswith(f"# {rule_id} no-")
    )


def _id(path: Path) -> str:
    import re

    found = re.search(r'_rule\(\s*"(PTE\d{3})"', path.read_text())
    return found[1] if found else ""


def test_a_built_in_rule_needs_an_id_and_a_family(checkout: Path) -> None:
    told = run("new-rule", "no-double-inputs", "--id", "PTE899").stderr
    assert "a rule of pte-lint needs --id, and --family, one of compatibility, container" in told
    assert "fixes" not in told
    assert run("new-rule", "no-double-inputs", "--family", "cost").exit_code == 2
