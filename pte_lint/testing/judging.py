"""Assertions about one rule: what it finds in a program, and that it is silent about another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from pte_lint.claims.finding import Finding, Json
from pte_lint.claims.result import ArtifactReport
from pte_lint.claims.target import Target
from pte_lint.data.reading import open_data
from pte_lint.files.artifact import Artifact
from pte_lint.judging.engine import Settings, check_artifact
from pte_lint.rulebook.given_options import by_rule
from pte_lint.rulebook.origin import Origin
from pte_lint.rulebook.registry import load_rules
from pte_lint.rulebook.rule import Rule
from pte_lint.rulebook.selection import find_rule
from pte_lint.rulebook.vetting import faults


class Written(Protocol):
    """Anything that writes itself as a file: a built program, bundle or .ptd."""

    def bytes(self) -> bytes:
        """The file."""
        ...


Program = bytes | Written
"""A file's bytes, or what was built."""


def judge(
    program: Program,
    *rules: Rule | str,
    data: Sequence[Program] = (),
    target: Target | str | None = None,
    options: Mapping[str, Json] | None = None,
    name: str = "model.pte",
) -> ArtifactReport:
    """What some rules say about a program.

    Args:
        program: the file.
        rules: each a rule, or the id or name of one that is installed.
        data: .ptd files that the program is loaded with.
        target: what to judge for, such as `1.4`; the newest runtime when left out.
        options: options of the only rule.
        name: what the file is called.

    Raises:
        AssertionError: a rule cannot be used in a plugin, or failed.
        SelectorError: there is no such rule.
        OptionError: the rule takes no such options.
    """
    chosen = [_usable(rule) for rule in rules]
    given = by_rule(chosen, {rule.id: options for rule in chosen}) if options else {}
    where = Target.parse(target) if isinstance(target, str) else target or Target()
    settings = Settings(chosen, where, rule_options=given)
    files = [Artifact(f"{n}.ptd", file_bytes(each)) for n, each in enumerate(data)]
    artifact = Artifact(name, file_bytes(program))
    report = check_artifact(artifact, settings, [open_data(file) for file in files])
    failed = [f"{each.what}: {each.message}\n{each.traceback}" for each in report.internal_errors]
    if failed:
        raise AssertionError("\n".join(failed))
    return report


def assert_finds(
    program: Program,
    rule: Rule | str,
    *subjects: str,
    data: Sequence[Program] = (),
    target: Target | str | None = None,
    options: Mapping[str, Json] | None = None,
) -> tuple[Finding, ...]:
    """Asserts that a rule has findings, about exactly these subjects if any are given.

    The other arguments are those of `judge`.

    Returns:
        The findings, in the order of the report.
    """
    __tracebackhide__ = True
    found = judge(program, rule, data=data, target=target, options=options).findings
    told = "".join(f"\n  {f.subject or f.location.path}: {f.message}" for f in found)
    if not found:
        raise AssertionError(f"{_name(rule)} finds nothing")
    if subjects:
        about = tuple(finding.subject for finding in found)
        if about != subjects:
            raise AssertionError(f"{_name(rule)} finds something about {about}:{told}")
    return found


def assert_silent(
    program: Program,
    rule: Rule | str,
    *,
    data: Sequence[Program] = (),
    target: Target | str | None = None,
    options: Mapping[str, Json] | None = None,
) -> None:
    """Asserts that a rule was asked about a program, had all it needs, and finds nothing.

    The other arguments are those of `judge`.
    """
    __tracebackhide__ = True
    report = judge(program, rule, data=data, target=target, options=options)
    told = "".join(f"\n  {f.subject or f.location.path}: {f.message}" for f in report.findings)
    if report.findings:
        raise AssertionError(f"{_name(rule)} finds something:{told}")
    for result in report.rules:
        if result.status != "passed":
            raise AssertionError(f"{_name(rule)} was not evaluated: {result.reason}")


def file_bytes(program: Program) -> bytes:
    """The file of a program, whatever it is given as."""
    return program if isinstance(program, bytes) else program.bytes()


def _usable(rule: Rule | str) -> Rule:
    if isinstance(rule, str):
        return find_rule(load_rules(), rule)
    if rule.origin is not None or rule.module.startswith("pte_lint."):
        return rule
    wrong = list(faults(rule))
    if wrong:
        raise AssertionError("\n".join([f"{rule.id} cannot be used in a plugin:", *wrong]))
    # What it yields is looked over as if it had been installed.
    return replace(rule, origin=Origin("under test", "", rule.id, rule.module))


def _name(rule: Rule | str) -> str:
    return rule if isinstance(rule, str) else f"{rule.id} ({rule.name})"
