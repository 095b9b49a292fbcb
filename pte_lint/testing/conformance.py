"""What every plugin must keep to, in one call of its own test suite."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from pte_lint._version import __version__
from pte_lint.claims.finding import Severity
from pte_lint.claims.result import ArtifactReport, Report
from pte_lint.claims.target import Target
from pte_lint.files.artifact import Artifact
from pte_lint.judging.engine import Settings, check_artifact
from pte_lint.report.formats import FORMATS, render
from pte_lint.report.rule_markdown import rule_markdown
from pte_lint.report.rule_text import rule_text
from pte_lint.rulebook import formats_of_others, registry, target_keys
from pte_lint.rulebook.rule import Rule
from pte_lint.testing.samples import others, running

_PUBLIC: Final = ("pte_lint", "pte_lint.plugin", "pte_lint.testing")
_GROUPS: Final = (registry.GROUP, formats_of_others.GROUP, target_keys.GROUP)
_TARGETS: Final = ("1.2", "1.5")


def check_plugin(name: str) -> None:
    """Asserts that an installed distribution is a plugin that can be relied on.

    It is loaded as pte-lint loads it; it imports what is public only; its rules are asked about
    programs of every kind and give the same answers twice, fail on none, and report no error about
    a program that runs; every format of pte-lint and of its own can write what they say.

    Args:
        name: the name of the distribution, as in its pyproject.toml.

    Raises:
        AssertionError: with a line for each fault.
    """
    __tracebackhide__ = True
    found = list(faults_of_plugin(name))
    if found:
        raise AssertionError("\n".join([f"{name} does not conform:", *(f"- {e}" for e in found)]))


def faults_of_plugin(name: str) -> Iterator[str]:
    """The faults that `check_plugin` complains of, one sentence each."""
    try:
        installed = distribution(name)
    except PackageNotFoundError:
        yield f"there is no distribution {name}: install it first (`pip install -e .`)"
        return
    points = [point for point in installed.entry_points if point.group in _GROUPS]
    if not points:
        yield f"it has no entry points of {', '.join(_GROUPS)}"
        return
    try:
        every = registry.load_rules()
        formats = formats_of_others.load_formats()
        target_keys.load_target_keys()
    except registry.RuleLoadError as exc:
        yield from exc.lines
        return
    except formats_of_others.FormatError as exc:
        yield str(exc)
        return
    rules = [rule for rule in every if rule.origin and _is(rule.origin.distribution, name)]
    own = [
        key for key, form in formats.items() if form.origin and _is(form.origin.distribution, name)
    ]
    yield from _imports(installed)
    yield from _rules(rules, own)


def _is(first: str, second: str) -> bool:
    return first.lower().replace("_", "-") == second.lower().replace("_", "-")


def _imports(installed: Distribution) -> Iterator[str]:
    """What of the plugin's packages imports something private."""
    tops = {p.value.partition(":")[0].partition(".")[0] for p in installed.entry_points}
    for top in sorted(tops):
        spec = find_spec(top)
        places = [] if spec is None else [*(spec.submodule_search_locations or ())]
        files = [Path(spec.origin)] if spec is not None and spec.origin and not places else []
        files += [file for place in places for file in sorted(Path(place).rglob("*.py"))]
        for file in files:
            for node in ast.walk(ast.parse(file.read_bytes(), str(file))):
                for module in _imported(node):
                    if module.partition(".")[0] == "pte_lint" and module not in _PUBLIC:
                        yield (
                            f"{file.name}:{getattr(node, 'lineno', 0)} imports {module}, which is "
                            f"private: what pte_lint.plugin lacks may change at any time"
                        )


def _imported(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        yield node.module
        if node.module == "pte_lint":
            submodules = ("claims", "config", "data", "files", "interpret", "ir", "judging", "ops")
            yield from (f"pte_lint.{a.name}" for a in node.names if a.name in submodules)


def _rules(rules: list[Rule], formats: list[str]) -> Iterator[str]:
    for rule in rules:
        if not (rule_text(rule).strip() and rule_markdown(rule).strip()):
            yield f"{rule.id}: its page is empty"
    for target in _TARGETS:
        settings = Settings(rules, Target.parse(target))
        for runs, samples in ((True, running()), (False, others())):
            for what, content in samples:
                where = f"a program that runs ({what})" if runs else f"a file of its own ({what})"
                first, second = (
                    check_artifact(Artifact("model.pte", content), settings) for _ in range(2)
                )
                yield from _answers(first, second, where, runs=runs)
                yield from _rendered(first, settings.target, formats)


def _answers(
    first: ArtifactReport, second: ArtifactReport, where: str, *, runs: bool
) -> Iterator[str]:
    for failure in first.internal_errors:
        yield f"{failure.rule} fails on {where}: {failure.message}"
    if not first.internal_errors and first != second:
        yield f"its rules say something else when they are asked again about {where}"
    for finding in first.findings if runs else ():
        if finding.severity is Severity.ERROR:
            yield f"{finding.rule} reports an error about {where}: {finding.message}"


def _rendered(artifact: ArtifactReport, target: Target, formats: list[str]) -> Iterator[str]:
    report = Report(target, (artifact,), __version__)
    for name in FORMATS:
        text = render(report, name)
        if name in ("json", "sarif", "gitlab"):
            json.loads(text)
    for name in formats:
        try:
            if render(report, name) != render(report, name):
                yield f"the format {name} writes one report in two ways"
        except formats_of_others.FormatError as exc:
            yield str(exc)
