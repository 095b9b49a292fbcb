"""`check_plugin`: silent about a good plugin, and one line for each thing that a bad one does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pte_lint.testing import check_plugin, faults_of_plugin
from tests.support.plugins import DOC, RULE, install, installed

LINE = (DOC + RULE).splitlines().index("RULES = [seen]") + 1


@pytest.fixture(autouse=True)
def _installed(tmp_path: Path) -> Iterator[None]:
    with installed(tmp_path):
        yield


def changed(old: str, new: str) -> str:
    assert old in RULE
    return DOC + RULE.replace(old, new)


def test_a_good_plugin_conforms(tmp_path: Path) -> None:
    install(tmp_path)
    check_plugin("acme-rules")
    check_plugin("Acme_Rules")


def test_what_is_no_plugin_is_told(tmp_path: Path) -> None:
    assert list(faults_of_plugin("no-such-thing")) == [
        "there is no distribution no-such-thing: install it first (`pip install -e .`)"
    ]
    install(tmp_path, group="other")
    (told,) = faults_of_plugin("acme-rules")
    assert told.startswith("it has no entry points of pte_lint.rules, ")


def test_a_plugin_that_cannot_be_loaded_is_told(tmp_path: Path) -> None:
    install(tmp_path, "1 / 0")
    with pytest.raises(AssertionError, match="acme-rules does not conform:\n- plugin acme-rules"):
        check_plugin("acme-rules")


@pytest.mark.parametrize(
    ("code", "told"),
    [
        (
            changed("RULES =", "from pte_lint.questions.method import Method\nRULES ="),
            f"acme_rules.py:{LINE} imports pte_lint.questions.method, which is private",
        ),
        (
            changed("RULES =", "from pte_lint import claims\nRULES ="),
            f"acme_rules.py:{LINE} imports pte_lint.claims, which is private",
        ),
        (
            changed("RULES =", "import pte_lint.schema\nRULES ="),
            f"acme_rules.py:{LINE} imports pte_lint.schema, which is private",
        ),
        (
            changed("enumerate(method.inputs)", "enumerate([method.inputs[0]])"),
            "ACME001 fails on a program that runs (a method without inputs): IndexError",
        ),
        (
            changed("@method", "import itertools\nCOUNT = itertools.count()\n@method").replace(
                'f"Input {position}."', 'f"Input {next(COUNT)}."'
            ),
            "its rules say something else when they are asked again about a program that runs",
        ),
        (
            changed('"Leave it out.",', '"", severity=Severity.ERROR,').replace(
                '"an input")',
                '"an input", forecast=Forecast.always(error(Stage.EXECUTE, "Internal")))',
            ),
            "ACME001 reports an error about a program that runs (an addition): Input 0.",
        ),
    ],
)
def test_what_a_bad_plugin_does_is_told(tmp_path: Path, code: str, told: str) -> None:
    install(tmp_path, code)
    faults = list(faults_of_plugin("acme-rules"))
    assert any(each.startswith(told) for each in faults), faults


def test_imports_of_what_is_public_are_no_fault(tmp_path: Path) -> None:
    install(
        tmp_path,
        changed(
            "RULES =", "import pte_lint, pte_lint.testing\nfrom pte_lint import check\nRULES ="
        ),
    )
    assert list(faults_of_plugin("acme-rules")) == []
