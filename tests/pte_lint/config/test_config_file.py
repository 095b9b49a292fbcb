"""Finding and reading the configuration, and what is said about mistakes in it."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import jsonschema
import pytest

from pte_lint.config.file import ConfigError, find, load
from pte_lint.config.model import Config, IgnoreEntry

SCHEMA = Path(__file__).parents[3] / "schema" / "config.schema.json"

FULL = """
select = ["ALL"]
ignore = ["PTE8", { rule = "PTE302", reason = "copied at once", path = "*.pte" }]
fail-on = "warning"
allow-unjudged = true
target = "executorch==1.4"
verification = "minimal"
data = ["a.ptd"]
format = "json"
baseline = "known.json"
contract = ["contract.toml", { most-bytes = { all = "1 MiB" } }]

[severity]
PTE303 = "error"

[options.ACME001]
most = 3

[output]
json = "out.json"

[remote]
bytes = "1GiB"

[[pipeline]]
from = { method = "encode", output = 0 }
to = { artifact = "decoder.pte", input = 1 }
"""


def write(folder: Path, text: str, name: str = "pte-lint.toml") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def message(folder: Path, text: str) -> list[str]:
    path = write(folder, text)
    with pytest.raises(ConfigError) as caught:
        load(path)
    return [line.replace(str(path), "FILE") for line in str(caught.value).split("\n")]


def test_every_key_is_read(tmp_path: Path) -> None:
    config = load(write(tmp_path, FULL)).config
    selector, entry = config.ignore
    assert selector == "PTE8"
    assert isinstance(entry, IgnoreEntry)
    assert entry.reason == "copied at once"
    assert config.fail_on == "warning"
    assert config.options == {"ACME001": {"most": 3}}
    assert config.pipeline[0].from_.method == "encode"
    assert config.pipeline[0].to.artifact == "decoder.pte"
    assert set(FULL.split()) >= {"select", "baseline"}
    assert config.model_fields_set == set(Config.model_fields)


def test_entries_may_be_tables(tmp_path: Path) -> None:
    text = '[[tool.pte-lint.ignore]]\nrule = "x"\nreason = "y"\nexpires = 2027-03-31\n'
    (entry,) = load(write(tmp_path, text, "pyproject.toml")).config.ignore
    assert isinstance(entry, IgnoreEntry)
    assert entry.expires == date(2027, 3, 31)


def test_the_nearest_file_with_a_table_is_found(tmp_path: Path) -> None:
    outer = write(tmp_path, "[tool.pte-lint]\nselect = ['ALL']", "pyproject.toml")
    write(tmp_path / "a", "[tool.other]\nname = 'pte-lint'", "pyproject.toml")
    (tmp_path / "a" / "b").mkdir()
    assert find(tmp_path / "a" / "b") == outer
    inner = write(tmp_path / "a", "")
    assert find(tmp_path / "a" / "b") == inner


def test_the_own_file_wins_over_the_shared_one(tmp_path: Path) -> None:
    write(tmp_path, "[tool.pte-lint]", "pyproject.toml")
    own = write(tmp_path, "")
    assert find(tmp_path) == own


def test_an_unrelated_file_is_not_even_parsed(tmp_path: Path) -> None:
    write(tmp_path, "this is { not TOML", "pyproject.toml")
    assert find(tmp_path) is None or tmp_path not in find(tmp_path).parents  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("selct = ['ALL']", ["FILE: unknown key selct; did you mean select?"]),
        ("fail_on = 'error'", ["FILE: unknown key fail_on; did you mean fail-on?"]),
        (
            "[tool.pte-lint]\nselect = []",
            [
                "FILE: unknown key tool; in this file the keys stand at the top level, without"
                " [tool.pte-lint]"
            ],
        ),
        ("[[ignore]]\nrule = 'x'", ["FILE: ignore[0].reason is missing"]),
        (
            "[[ignore]]\nrule = 'x'\nreason = ' '",
            ["FILE: ignore[0].reason must not be empty"],
        ),
        (
            "[[ignore]]\nrule = 'x'\nreason = 'y'\nmethods = 'z'",
            ["FILE: unknown key ignore[0].methods; did you mean method?"],
        ),
        (
            "[[pipeline]]\nfrom = {outputs = 1}\nto = {input = 0}",
            [
                "FILE: pipeline[0].from.output is missing",
                "FILE: unknown key pipeline[0].from.outputs; did you mean output?",
            ],
        ),
        (
            "fail-on = 'fatal'",
            [
                "FILE: fail-on is 'fatal' but must be 'error', 'warning', 'info', 'never' or"
                " 'unchecked'"
            ],
        ),
        ("select = 'PTE3'", ["FILE: select: input should be a valid list"]),
        ("select = [3]", ["FILE: select[0]: input should be a valid string"]),
        ("[severity]\nPTE3 = 'fatal'", None),
        ("[[pipeline]]\nfrom = {output = -1}\nto = {input = 0}", None),
        ("ignore = [3]", None),
    ],
)
def test_mistakes_are_named(tmp_path: Path, text: str, lines: list[str] | None) -> None:
    found = message(tmp_path, text)
    if lines is None:
        assert len(found) == 1
        assert found[0].startswith("FILE: ")
    else:
        assert found == lines


def test_broken_toml_is_named(tmp_path: Path) -> None:
    (line,) = message(tmp_path, "select = [")
    assert line.startswith("FILE: not valid TOML: ")


@pytest.mark.parametrize("raw", [b"\xff\xfe", b"\x00", b"a" * 10 + b"[" * 5_000])
def test_bytes_that_are_no_toml_are_named(tmp_path: Path, raw: bytes) -> None:
    path = tmp_path / "pte-lint.toml"
    path.write_bytes(raw)
    with pytest.raises(ConfigError, match="not valid TOML"):
        load(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.toml: No such file"):
        load(tmp_path / "none.toml")


def test_a_pyproject_without_the_table_is_refused_when_named(tmp_path: Path) -> None:
    path = write(tmp_path, "[tool.other]", "pyproject.toml")
    with pytest.raises(ConfigError, match=r"no \[tool\.pte-lint\] table"):
        load(path)


def test_the_committed_schema_agrees_with_the_models() -> None:
    from pte_lint.text import toml

    validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text("utf-8")))
    validator.validate(toml.loads(FULL))
    for wrong in ({"selct": []}, {"ignore": [{"rule": "x"}]}, {"fail-on": "fatal"}):
        assert not validator.is_valid(wrong)
