"""Every snippet of every rule, carried out on a real export that shows the finding.

The snippets are those that the rule prints: under "How to fix it", and with its findings. After
each the finding must be gone, and no other may be there.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.exporter import need_exporter
from tests.support.snippets import RULES, code_of, documented, is_python, printed

need_exporter()

from tests.exports import scenarios, sound  # noqa: E402
from tests.exports.reasons import REASONS  # noqa: E402
from tests.exports.script import Script, imports_of  # noqa: E402


def _scripts() -> Iterator[type[Script]]:
    for module in pkgutil.iter_modules(scenarios.__path__):
        found = vars(importlib.import_module(f"{scenarios.__name__}.{module.name}"))
        for each in found.values():
            if isinstance(each, type) and issubclass(each, Script) and each.rule:
                yield each


SCRIPTS = list(_scripts())


def advice(script: type[Script]) -> list[str]:
    """The Python that the rule prints for this export, each with the imports that stand before."""
    found = script().report().findings
    mine = [each for each in found if each.rule == script.rule]
    assert mine, f"the export does not show it, but {[(f.rule, f.message) for f in found]}"
    texts = [documented(RULES[script.rule]), *(code_of(each.remediation) for each in mine)]
    ready = []
    for snippets in texts:
        python = [code for code in snippets if is_python(code)]
        ready += [imports_of(python[:n]) + c for n, c in enumerate(python) if script.fits(c)]
        ready += [c for c in snippets if c.startswith("pte-lint fix ") and script.fits(c)]
    return list(dict.fromkeys(ready))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda s: f"{s.rule}-{s.__name__}")
def test_the_advice_helps(
    script: type[Script], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = advice(script)
    assert given
    for n, code in enumerate(given):
        folder = tmp_path / str(n)
        folder.mkdir()
        monkeypatch.chdir(folder)
        mended = script()
        mended.carry_out(code)
        left = [(f.rule, f.message) for f in mended.report().findings if f.rule not in script.also]
        assert left == [], code


@pytest.mark.parametrize("rule", sorted(each for each in REASONS if REASONS[each].on))
def test_advice_for_other_files_runs(
    rule: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = [code for code in printed(RULES[rule]) if is_python(code) and "{}" not in code]
    scripts = [each for each in SCRIPTS if each.rule == rule]
    left = 0
    kind = getattr(sound, REASONS[rule].on or "")
    for n, code in enumerate(python):
        if any(each.fits(code) for each in scripts) or not kind.fits(code):
            continue
        left += 1
        folder = tmp_path / str(n)
        folder.mkdir()
        monkeypatch.chdir(folder)
        script = kind()
        script.carry_out(imports_of(python[:n]) + code)
        found = [(f.rule, f.message) for f in script.report().findings if f.rule not in script.also]
        assert found == [], code
    assert left, "all snippets are for exports that show the finding: the reason is superfluous"


@pytest.mark.parametrize("rule", sorted({script.rule for script in SCRIPTS} - set(REASONS)))
def test_every_snippet_is_for_one_of_the_exports(rule: str) -> None:
    scripts = [each for each in SCRIPTS if each.rule == rule]
    for code in documented(RULES[rule]):
        if is_python(code):
            assert any(each.fits(code) for each in scripts), code
