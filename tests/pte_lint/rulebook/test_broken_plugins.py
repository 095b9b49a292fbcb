"""Plugins that cannot be used: each is told what to change, by name, with exit code 2."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pte_lint.cli.app import app
from tests.support.plugins import DOC, RULE, install, installed

PLUGIN = "plugin acme-rules 1.2 (entry point acme = acme_rules:RULES): "


def run(folder: Path, *words: str) -> Result:
    with installed(folder):
        return CliRunner().invoke(app, words, prog_name="pte-lint")


def errors(result: Result) -> list[str]:
    return [line.removeprefix("error: ") for line in result.stderr.splitlines()]


def changed(old: str, new: str) -> str:
    assert old in RULE
    return DOC + RULE.replace(old, new)


NO_ID = "must be 2 to 10 capital letters and three digits: letters of your own, such as ACME001, "
NO_NAME = "must be two words or more in small letters with hyphens between them, such as "

BROKEN = {
    "an id of one digit": (
        changed("ACME001", "X1"),
        f"rule X1: the id 'X1' {NO_ID}or PTE900 to PTE999",
    ),
    "an id in small letters": (
        changed("ACME001", "acme001"),
        f"rule acme001: the id 'acme001' {NO_ID}or PTE900 to PTE999",
    ),
    "an id that means every rule": (
        changed("ACME001", "ALL001"),
        f"rule ALL001: the id 'ALL001' {NO_ID}or PTE900 to PTE999",
    ),
    "an id that is no text": (
        changed('"ACME001"', "1"),
        f"rule 1: the id 1 {NO_ID}or PTE900 to PTE999",
    ),
    "an id that is kept": (
        changed("ACME001", "PTE899"),
        "rule PTE899: the id PTE899 is kept for pte-lint: take one of PTE900 to PTE999, or letters "
        "of your own, such as ACME001",
    ),
    "a name of one word": (
        changed("input-seen", "seen"),
        f"rule ACME001: the name 'seen' {NO_NAME}no-double-inputs",
    ),
    "a name with capitals": (
        changed("input-seen", "Input-Seen"),
        f"rule ACME001: the name 'Input-Seen' {NO_NAME}no-double-inputs",
    ),
    "a name that is taken by a built-in rule": (
        changed("input-seen", "missing-d2h-copy"),
        "rule ACME001: the name missing-d2h-copy is taken by PTE305 of pte-lint: choose another",
    ),
    "a severity as text": (
        changed("Severity.WARNING", "'warning'"),
        "rule ACME001: the severity is 'warning': write Severity.ERROR, .WARNING or .INFO",
    ),
    "an empty summary": (
        changed('"an input"', '" "'),
        'rule ACME001: the summary must be one line of text that completes "finds ..."',
    ),
    "an error without a forecast": (
        changed("WARNING", "ERROR"),
        "rule ACME001: it reports errors and says not what the runtime does: give forecast=..., "
        'such as Forecast.always(error(Stage.EXECUTE, "InvalidArgument")), or make it a warning',
    ),
    "a forecast that is none": (
        changed('"an input")', '"an input", forecast="it fails")'),
        "rule ACME001: the forecast is 'it fails': make it with Forecast.always(...)",
    ),
    "a forecast of nothing": (
        changed('"an input")', '"an input", forecast=Forecast.always(None))'),
        "rule ACME001: its forecast troubles no runtime: name what goes wrong, or leave it out",
    ),
    "no docstring": (
        RULE,
        "rule ACME001: the docstring of its module acme_rules lacks the headings "
        '"What it finds:", "What the runtime does:", "Why it happens:", "How to fix it:", '
        '"How it is confirmed:", "Seen in:"',
    ),
    "a heading with nothing below": (
        DOC.replace("    A test.\n", "") + RULE,
        'rule ACME001: the docstring of its module acme_rules lacks the headings (of 6) "Seen in:"',
    ),
    "a function of the wrong arguments": (
        changed("(method, context)", "(context)"),
        "rule ACME001: its function must take (method, context)",
    ),
    "a function that awaits": (
        changed("def seen", "async def seen"),
        "rule ACME001: its function is async: make it a plain generator",
    ),
    "the scope of the ledger": (
        changed(
            "RULES = [seen]", "import dataclasses\nRULES = [dataclasses.replace(seen, scope=9)]"
        ),
        "rule ACME001: the scope is 9: declare the rule with method_rule or artifact_rule",
    ),
    "options that are no model": (
        changed('"an input")', '"an input", options={"limit": 3})').replace(
            "(method, context)", "(method, context, options)"
        ),
        "rule ACME001: options is {'limit': 3}: give a class derived from pte_lint.plugin.Options",
    ),
    "an option without a default": (
        changed("@method_rule", "class Limits(Options):\n    limit: int\n\n@method_rule")
        .replace('"an input")', '"an input", options=Limits)')
        .replace("context)", "context, o)"),
        "rule ACME001: the option 'limit' has no default: give it one",
    ),
    "options that the function does not take": (
        changed(
            "@method_rule", "class Limits(Options):\n    limit: int = 1\n\n@method_rule"
        ).replace('"an input")', '"an input", options=Limits)'),
        "rule ACME001: its function must take (method, context, options)",
    ),
    "a plain function": (
        changed("[seen]", "[seen.function]"),
        "seen is a plain function: decorate it with method_rule or artifact_rule",
    ),
    "a module": (
        changed("[seen]", "[__import__('math')]"),
        "math is a module: list the rule in it",
    ),
    "a number": (
        changed("[seen]", "[7]"),
        "7 is no rule: list what pte_lint.plugin.method_rule or artifact_rule made",
    ),
    "text in place of a list": (
        changed("[seen]", "'seen'"),
        "it cannot be loaded: TypeError: 'seen' is no list of rules",
    ),
    "the same rule twice": (
        changed("[seen]", "[seen, seen]"),
        "rule ACME001: the id ACME001 is taken by ACME001 of acme-rules 1.2: choose another",
    ),
    "another version of the interface": (
        changed("RULES =", "PTE_LINT_INTERFACE = 99\nRULES ="),
        "it is made for version 99 of pte_lint.plugin, and this is version 1: "
        "install one that fits",
    ),
    "an import that fails": (
        "import no_such_module_at_all",
        "it cannot be loaded: ModuleNotFoundError: No module named 'no_such_module_at_all'",
    ),
    "a module that exits": (
        "raise SystemExit('no licence')",
        "it cannot be loaded: SystemExit: no licence",
    ),
    "nothing of that name": (
        DOC,
        "it cannot be loaded: AttributeError: module 'acme_rules' has no attribute 'RULES'",
    ),
}


@pytest.mark.parametrize(("code", "told"), BROKEN.values(), ids=BROKEN)
def test_what_is_wrong_is_told(tmp_path: Path, code: str, told: str) -> None:
    install(tmp_path, code)
    result = run(tmp_path, "rules")
    assert result.exit_code == 2
    assert errors(result)[0] == PLUGIN + told
    assert "Traceback" not in result.stderr
    assert result.stdout == ""


def test_all_that_is_wrong_with_all_plugins_is_told_at_once(tmp_path: Path) -> None:
    install(tmp_path, changed("ACME001", "X1").replace("Severity.WARNING", "'info'"))
    install(tmp_path, "1 / 0", name="beta-rules", point="beta")
    result = run(tmp_path, "explain", "PTE301")
    assert result.exit_code == 2
    told = errors(result)
    assert [line.partition(": ")[0] for line in told[:3]] == [
        "plugin acme-rules 1.2 (entry point acme = acme_rules:RULES)",
        "plugin acme-rules 1.2 (entry point acme = acme_rules:RULES)",
        "plugin beta-rules 1.2 (entry point beta = beta_rules:RULES)",
    ]
    assert told[2].endswith("it cannot be loaded: ZeroDivisionError: division by zero")


def test_two_plugins_with_one_id_are_told_apart(tmp_path: Path) -> None:
    install(tmp_path)
    install(tmp_path, name="beta-rules", point="beta")
    assert errors(run(tmp_path, "rules")) == [
        "plugin beta-rules 1.2 (entry point beta = beta_rules:RULES): rule ACME001: the id "
        "ACME001 is taken by ACME001 of acme-rules 1.2: choose another",
        "plugin beta-rules 1.2 (entry point beta = beta_rules:RULES): rule ACME001: the name "
        "input-seen is taken by ACME001 of acme-rules 1.2: choose another",
    ]


def test_where_a_plugin_fell_is_shown_when_asked(tmp_path: Path) -> None:
    install(tmp_path, "def deep():\n    raise KeyError('x')\n\ndeep()\n")
    plain, verbose = run(tmp_path, "rules"), run(tmp_path, "rules", "-v")
    assert errors(plain)[1] == "-v shows where it fell (`pte-lint rules -v`, `pte-lint check -v`)"
    assert "in deep" in verbose.stderr
    assert f"{PLUGIN}it cannot be loaded: KeyError: 'x'" in verbose.stderr


def test_an_entry_point_named_like_the_built_in_one_is_no_secret(tmp_path: Path) -> None:
    install(tmp_path, "1 / 0", point="builtin")
    assert run(tmp_path, "rules").exit_code == 2


def test_without_plugins_all_goes_on(tmp_path: Path) -> None:
    install(tmp_path, "1 / 0")
    assert run(tmp_path, "rules", "--isolated").exit_code == 0
