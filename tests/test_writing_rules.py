"""The guide's examples do what it says."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

import pte_lint.plugin
from pte_lint.rulebook.registry import load_rules
from pte_lint.rulebook.selection import find_rule
from pte_lint.rulebook.vetting import faults
from pte_lint.text import toml
from tests.support.plugins import DOC, install, installed

GUIDE = (Path(__file__).parents[1] / "docs" / "writing_rules.md").read_text("utf-8")
PYTHON = re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL)
RULE, ERROR, OPTIONS, TESTS = PYTHON


@pytest.fixture
def plugin(tmp_path: Path) -> Iterator[None]:
    """The guide's rule, installed as acme-rules."""
    module = "import sys\nno_double_inputs = sys.modules[__name__]\n"
    install(tmp_path, f"{RULE}\nRULES = [check]\n{module}")
    with installed(tmp_path):
        yield


@pytest.mark.usefixtures("plugin")
def test_the_rule_and_its_tests_work() -> None:
    space: dict[str, object] = {}
    exec(TESTS, space)
    tests = [value for name, value in space.items() if name.startswith("test_")]
    assert len(tests) == 3
    for test in tests:
        test()  # type: ignore[operator]


@pytest.mark.usefixtures("plugin")
def test_the_tests_notice() -> None:
    """A rule that finds nothing, or everything, fails the guide's tests."""
    space: dict[str, object] = {}
    exec(TESTS, space)
    other = find_rule(load_rules(), "PTE022")
    space["no_double_inputs"] = SimpleNamespace(check=other)
    with pytest.raises(AssertionError):
        space["test_it_fires_behind_what_is_good"]()  # type: ignore[operator]


@pytest.mark.parametrize(
    "code", [f"{ERROR}def check(method, context):\n    yield\n", OPTIONS], ids=["error", "options"]
)
def test_declarations_can_be_used(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    space = {name: getattr(pte_lint.plugin, name) for name in pte_lint.plugin.__all__}
    space["__name__"] = __name__
    monkeypatch.setattr(sys.modules[__name__], "__doc__", DOC.strip().strip('"'))
    exec(code, space)
    assert list(faults(space["check"])) == []


def test_the_settings_are_toml() -> None:
    blocks = [toml.loads(text) for text in re.findall(r"```toml\n(.*?)```", GUIDE, re.DOTALL)]
    assert blocks[1]["tool"]["pte-lint"]["options"] == {"many-outputs": {"most": 2}}
    assert blocks[0]["project"]["entry-points"]["pte_lint.rules"] == {"acme": "acme_rules:RULES"}


def test_all_that_is_public_can_be_imported_and_is_listed() -> None:
    told = {name: getattr(pte_lint.plugin, name) for name in pte_lint.plugin.__all__}
    assert pte_lint.plugin.__all__ == sorted(
        told, key=lambda n: (not n.isupper(), n[0].islower(), n)
    )
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = pte_lint.plugin.nothing
