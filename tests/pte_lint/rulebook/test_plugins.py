"""Rules of others beside the built-in ones: selected, explained, given options, and blamed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import pte_lint
from pte_lint.cli.app import app
from pte_lint.rulebook.given_options import OptionError
from tests.rules.checks import adder_program
from tests.support.plugins import DOC, RULE, install, installed

WITH_OPTIONS = DOC + RULE.replace(
    "@method_rule",
    'class Limits(Options):\n    most: int = 1\n    """Inputs that are allowed."""\n\n@method_rule',
).replace('"an input")', '"an input", options=Limits)').replace(
    "context):", "context, options):"
).replace("enumerate(method.inputs)", "list(enumerate(method.inputs))[options.most:]")


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.pte").write_bytes(adder_program().bytes())
    (tmp_path / "plugins").mkdir()
    with installed(tmp_path / "plugins"):
        yield


def run(*words: str) -> Result:
    return CliRunner().invoke(app, words, prog_name="pte-lint")


def changed(old: str, new: str) -> str:
    assert old in RULE
    return DOC + RULE.replace(old, new)


def failure(code: str, *words: str) -> Result:
    """A check in which the plugin's rule fails."""
    install(Path("plugins"), code)
    result = run("check", "model.pte", "--select", "ACME", *words)
    assert result.exit_code == 2, result.output
    return result


@pytest.mark.parametrize("selector", ["ACME", "acme", "ACME0", "ACME001", "acme001", "Input-Seen"])
def test_a_rule_is_selected(selector: str) -> None:
    install(Path("plugins"))
    result = run("check", "model.pte", "--select", selector, "--format", "json")
    (artifact,) = json.loads(result.stdout)["artifacts"]
    assert [(f["rule"], f["name"]) for f in artifact["findings"]] == [("ACME001", "input-seen")] * 2
    # PTE022 says what was not judged, and cannot be left out.
    assert {r["rule"] for r in artifact["rules"]} == {"ACME001", "PTE022"}


@pytest.mark.parametrize("selector", ["A", "ACM", "001", "ACME9"])
def test_less_than_the_letters_is_no_selector(selector: str) -> None:
    install(Path("plugins"))
    assert "no rule matches" in run("check", "model.pte", "--select", selector).stderr


def test_the_table_and_the_page_name_the_plugin() -> None:
    install(Path("plugins"))
    assert "ACME Rules of others\n  ACME001  warning  input-seen\n" in run("rules").stdout
    page = run("explain", "input-seen").stdout
    assert page.startswith(
        "ACME001 input-seen (warning)\nFamily ACME: Rules of others\nPlugin acme-rules 1.2\n"
    )
    (told,) = json.loads(run("explain", "ACME001", "--format", "json").stdout)
    assert (told["family"], told["plugin"]) == ("ACME", "acme-rules 1.2")


def test_an_id_of_the_ninth_family_is_one_of_others() -> None:
    install(Path("plugins"), changed("ACME001", "PTE900"))
    assert "9xx Rules of others\n  PTE900" in run("rules").stdout


def test_an_error_changes_the_verdict() -> None:
    install(
        Path("plugins"),
        changed(
            'Severity.WARNING, "an input")',
            'Severity.ERROR, "an input",'
            ' forecast=Forecast.always(error(Stage.SET_INPUT, "NotSupported")))',
        ),
    )
    result = run("check", "model.pte", "--format", "json")
    (artifact,) = json.loads(result.stdout)["artifacts"]
    (verdict,) = artifact["verdict"]
    assert (verdict["stage"], verdict["outcome"], verdict["error"], verdict["rule"]) == (
        "set_input",
        "error",
        "NotSupported",
        "ACME001",
    )
    assert result.exit_code == 1


def test_options_have_defaults_and_are_read_from_the_configuration() -> None:
    install(Path("plugins"), WITH_OPTIONS)
    check = ("check", "model.pte", "--select", "ACME001", "--format", "json")
    assert len(json.loads(run(*check).stdout)["artifacts"][0]["findings"]) == 1
    Path("pte-lint.toml").write_text("[options.input-seen]\nmost = 0\n")
    assert len(json.loads(run(*check).stdout)["artifacts"][0]["findings"]) == 2
    program = Path("model.pte").read_bytes()
    report = pte_lint.check(program, select=["ACME"], rule_options={"ACME001": {"most": 2}})
    assert report.findings == ()


def test_the_page_lists_options() -> None:
    install(Path("plugins"), WITH_OPTIONS)
    assert run("explain", "ACME001").stdout.endswith(
        "\nOptions\n  most (int, default 1): Inputs that are allowed.\n"
    )
    assert (
        "| `most` | `int` | `1` | Inputs that are allowed. |"
        in run("explain", "ACME001", "--format", "markdown").stdout
    )
    (told,) = json.loads(run("explain", "ACME001", "--format", "json").stdout)
    assert told["options"]["most"]["default"] == 1


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "[options.ACME001]\nleast = 0\n",
            "options: ACME001 least: Extra inputs are not permitted; it takes most",
        ),
        (
            "[options.ACME001]\nmost = 'x'\n",
            "options: ACME001 most: Input should be a valid integer, unable to parse string as an "
            "integer",
        ),
        (
            "[options.PTE301]\nmost = 1\n",
            "options: PTE301 (device-input-planned) takes no options",
        ),
        ("[options.ACME777]\n", "options: no rule matches 'ACME777'; `pte-lint rules` lists them"),
        (
            "[options.ACME001]\n[options.input-seen]\n",
            "options: ACME001 is given twice, by id and by name",
        ),
    ],
)
def test_options_that_do_not_fit_are_told(text: str, told: str) -> None:
    install(Path("plugins"), WITH_OPTIONS)
    Path("pte-lint.toml").write_text(text)
    result = run("check", "model.pte")
    assert (result.exit_code, result.stderr) == (2, f"error: {told}\n")
    with pytest.raises(OptionError, match="options: "):
        pte_lint.check(b"", rule_options={"ACME001": {"least": 0}})


def test_a_failure_is_the_plugins() -> None:
    code = changed("for position", "raise KeyError('its bug')\n    for position")
    result = failure(code, "--no-cache")
    assert (
        "internal error in ACME001 of the plugin acme-rules 1.2: KeyError('its bug')"
        in " ".join(result.stdout.split())
    )
    assert "a rule of the plugin acme-rules 1.2 failed" in " ".join(result.stdout.split())
    assert "Please tell its authors." in " ".join(result.stdout.split())
    assert "Traceback" not in result.output
    verbose = run("check", "model.pte", "--select", "ACME", "-v").stdout
    assert "in seen" in verbose
    assert "raise KeyError('its bug')" in verbose
    told = json.loads(run("check", "model.pte", "--select", "ACME", "--format", "json").stdout)
    (internal,) = told["artifacts"][0]["internal_errors"]
    assert (internal["rule"], internal["plugin"]) == ("ACME001", "acme-rules 1.2")


@pytest.mark.parametrize(
    ("code", "told"),
    [
        (changed("    for position", "    exit(0)\n    for position"), "SystemExit(0)"),
        (
            changed("yield Finding(", "yield dict("),
            "it yielded {'message': 'Input 0.', 'remediation': 'Leave it out.'",
        ),
        (
            changed("    for position", "    return None\n    def f():\n     for position"),
            "the function returned None: it must yield findings",
        ),
        (
            changed("    for position", "    return 7\n    def f():\n     for position"),
            "the function returned 7: it must yield findings",
        ),
        (
            changed("subject=", 'severity="error", subject='),
            "the severity of a Finding is 'error': it must be a Severity",
        ),
        (
            changed("subject=", "severity=Severity.ERROR, subject="),
            "an error says not what the runtime does: give the finding or its rule a forecast",
        ),
        (changed('f"Input {position}."', '" "'), "a finding has no message"),
        (
            changed("yield Finding(", "yield Unchecked(1, '')\n        yield Finding("),
            "the what of a Unchecked is 1: it must be a str",
        ),
        (
            changed("location=method.location(value=value)", "location=value"),
            "the location of a Finding is 0: it must be a Location",
        ),
        (
            changed("subject=", "forecast='it fails', subject="),
            "the forecast of a Finding is 'it fails': it must be a Forecast",
        ),
    ],
)
def test_what_no_rule_can_say_is_the_plugins_failure(code: str, told: str) -> None:
    result = failure(code, "--format", "json")
    (internal,) = json.loads(result.stdout)["artifacts"][0]["internal_errors"]
    assert told in internal["message"]
    assert internal["plugin"] == "acme-rules 1.2"


FORMAT = """
from pte_lint.plugin import Report, ReportFormat

def render(report):
    return "".join(f"{a.path};{len(a.findings)}\\n" for a in report.artifacts)

FORMAT = ReportFormat("lines of paths", (".csv",), render)
"""


def _format(code: str = FORMAT, point: str = "lines") -> None:
    group = "pte_lint.formats"
    install(Path("plugins"), code, group=group, point=point, attribute="FORMAT")


def test_a_format_of_a_plugin_is_printed_and_written() -> None:
    _format()
    assert run("check", "model.pte", "--format", "lines").stdout == "model.pte;0\n"
    Path("pte-lint.toml").write_text('[output]\nlines = "out.csv"\n')
    assert run("check", "model.pte").exit_code == 0
    assert Path("out.csv").read_text() == "model.pte;0\n"
    Path("pte-lint.toml").write_text('[output]\nlines = "out.json"\n')
    assert "does not end in .csv" in run("check", "model.pte").stderr


def test_formats_of_plugins_are_left_out_with_them() -> None:
    _format()
    result = run("check", "model.pte", "--format", "lines", "--isolated")
    assert (result.exit_code, "there is no format 'lines'" in result.stderr) == (2, True)


@pytest.mark.parametrize(
    ("code", "told"),
    [
        (FORMAT.replace('"".join', "b''.join"), "the format lines failed: TypeError("),
        (FORMAT.replace('return "".join', "return list"), "instead of text"),
        (FORMAT.replace('(".csv",)', '".csv"'), "suffixes is '.csv': give a tuple of some of"),
        (FORMAT.replace(".csv", ".py"), "suffixes is ('.py',): give a tuple of some of"),
        (FORMAT.replace("render)", "None)"), "render cannot be called"),
        (FORMAT + "FORMAT = 1", "1 is no pte_lint.plugin.ReportFormat"),
        ("1 / 0", "it cannot be loaded: ZeroDivisionError("),
    ],
)
def test_a_format_that_cannot_be_used_is_told(code: str, told: str) -> None:
    _format(code)
    result = run("check", "model.pte", "--format", "lines")
    assert result.exit_code == 2
    assert "plugin acme-rules 1.2 (entry point lines = acme_rules:FORMAT): " in result.stderr
    assert told in result.stderr


def test_the_built_in_formats_do_not_ask_for_others() -> None:
    _format("1 / 0")
    assert run("check", "model.pte", "--format", "json").exit_code == 0


KEYS = (
    DOC
    + """
from pte_lint.plugin import *

class Chip(Options):
    tensors: int = 9

@method_rule("ACME002", "too-many-tensors", Severity.WARNING, "more tensors than the chip has")
def check(method, context):
    if len(method.values) > target_key(context, "acme").tensors:
        yield Finding(message="Too many.", remediation="")

RULES = [check]
"""
)


def _keys() -> None:
    install(Path("plugins"), KEYS)
    points = Path("plugins") / "acme_rules-1.2.dist-info" / "entry_points.txt"
    points.write_text(f"{points.read_text()}\n[pte_lint.target_keys]\nacme = acme_rules:Chip\n")


def _target(**extra: object) -> None:
    known = {"name": "chip", "runtime": "1.5.1", "kernels": {}, "backends": []}
    Path("chip.json").write_text(json.dumps({**known, **extra}))


def test_a_key_of_a_plugin_is_read_from_the_target() -> None:
    _keys()
    _target(acme={"tensors": 3})
    check = ("check", "model.pte", "--select", "ACME002", "--format", "concise")
    assert "Too many." in run(*check, "--target", "chip.json").stdout
    assert "Too many." not in run(*check).stdout
    _target(acme={"tensors": "few"})
    result = run(*check, "--target", "chip.json")
    assert (result.exit_code, result.stderr) == (
        2,
        "error: target chip: acme.tensors: Input should be a valid integer, unable to parse string "
        "as an integer\n",
    )


def test_a_key_that_pte_lint_reads_itself_is_refused() -> None:
    _keys()
    points = Path("plugins") / "acme_rules-1.2.dist-info" / "entry_points.txt"
    points.write_text(points.read_text().replace("acme = acme_rules:Chip", "name=acme_rules:Chip"))
    _target(other=1)
    assert (
        "the key 'name' is taken: choose another"
        in run("check", "model.pte", "--target", "chip.json").stderr
    )
