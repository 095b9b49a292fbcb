"""Settings: the file, overridden by what the caller gives."""

from __future__ import annotations

from pathlib import Path

import pytest

from pte_lint.claims.finding import Severity
from pte_lint.config.confined import Below
from pte_lint.config.file import ConfigError
from pte_lint.config.settings import RunSettings, load_settings
from pte_lint.rulebook.pipeline import Pipeline

TEXT = """
select = ["PTE3"]
ignore = ["PTE8", { rule = "PTE302", reason = "known" }]
fail-on = "never"
data = ["sub/a.ptd"]
severity = { PTE301 = "info", PTE303 = "error" }
output = { json = "out.json" }
baseline = "known.json"

[[pipeline]]
from = { method = "encode", output = 2 }
to = { artifact = "d.pte", method = "decode", input = 1 }
"""


@pytest.fixture
def settings(tmp_path: Path) -> RunSettings:
    (tmp_path / "pte-lint.toml").write_text(TEXT, "utf-8")
    return load_settings(start=tmp_path)


def test_paths_are_relative_to_the_file(settings: RunSettings, tmp_path: Path) -> None:
    assert settings.data == (tmp_path / "sub/a.ptd",)
    assert settings.outputs == {"json": Below(tmp_path, ("out.json",))}
    assert settings.baseline == Below(tmp_path, ("known.json",))
    assert settings.root == tmp_path


def test_selectors_and_entries_are_told_apart(settings: RunSettings) -> None:
    assert settings.ignore == ("PTE8",)
    (entry,) = settings.ignores
    assert (entry.rule, entry.reason) == ("PTE302", "known")
    assert entry.source == "pte-lint.toml: ignore[1]"


def test_pipelines_reach_the_rules_as_typed_objects(settings: RunSettings) -> None:
    assert settings.rule_options["pipelines"] == (
        Pipeline(None, "encode", 2, "d.pte", "decode", 1),
    )


def test_never_is_no_severity(settings: RunSettings) -> None:
    assert settings.fail_on is None


def test_what_is_given_wins_and_severities_are_merged(settings: RunSettings) -> None:
    changed = settings.overridden(
        select=("PTE0",), target="1.4", severity={"PTE301": Severity.WARNING}, data=()
    )
    assert changed.select == ("PTE0",)
    assert changed.ignore == ("PTE8",)
    assert changed.target == "1.4"
    assert changed.severity == {"PTE301": Severity.WARNING, "PTE303": Severity.ERROR}
    assert changed.data == settings.data


def test_isolated_reads_nothing(settings: RunSettings, tmp_path: Path) -> None:
    assert load_settings(isolated=True, start=tmp_path) == RunSettings(isolated=True)


def test_isolated_and_a_file_exclude_each_other(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="exclude each other"):
        load_settings(tmp_path / "x.toml", isolated=True)
