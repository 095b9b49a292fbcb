"""Puts one input through everything that pte-lint can do with it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from xml.etree import ElementTree

from pte_lint.schema.loaded import read_bundled_program, read_flat_tensor, read_program

from pte_lint._version import __version__
from pte_lint.claims.finding import Severity
from pte_lint.claims.forecast import Outcome
from pte_lint.claims.result import ArtifactReport, Report
from pte_lint.claims.target import Target
from pte_lint.data.context import Context
from pte_lint.data.reading import open_context, open_data
from pte_lint.difference import NotComparable
from pte_lint.difference.compare import compare
from pte_lint.difference.sides import Side
from pte_lint.files.artifact import Artifact
from pte_lint.inspection import NotInspectable
from pte_lint.inspection.build import inspect_context, open_for_look
from pte_lint.inspection.listing import listing
from pte_lint.judging.engine import Settings, judge
from pte_lint.picture import graph_dot, graph_json, html, memory_svg, placement_svg
from pte_lint.picture.scene import scenes
from pte_lint.report import (
    difference_json,
    difference_markdown,
    difference_text,
    inspection_json,
    inspection_text,
)
from pte_lint.report.formats import FORMATS, render
from pte_lint.report.rule_json import rules_json
from pte_lint.report.rule_markdown import rule_markdown
from pte_lint.report.rule_text import rule_text
from pte_lint.rulebook.registry import load_rules
from pte_lint.text.printable import printable
from tests.fuzz.generate import generated_seeds


class RuleFailed(Exception):
    """A rule raised something: a bug that the engine turned into a report."""


def exercise(program: bytes, data: Sequence[bytes]) -> None:
    """Checks an input and explains what is found, looks into it, draws it, compares it.

    All of that in every format that there is.

    Raises:
        Exception: Whatever goes wrong.
    """
    report, context = judged(program, ())
    _closed(report.artifacts[0], context)
    _look(program, report.artifacts[0])
    if data:
        report, context = judged(program, data)
    for name in FORMATS:
        _well_formed(name, render(report, name))
    _explain(report.artifacts[0])
    html.render(report, context).encode("utf-8")
    for content in data:
        judged(content, ())
    _draw(report.artifacts[0], context)


def _closed(said: ArtifactReport, context: Context) -> None:
    """What was given up on is an error, and no verdict about it says that the program runs."""
    ledgers = [(None, context.ledger), *((name, led) for led, name, _ in context.method_ledgers())]
    for name, ledger in ledgers:
        if not ledger:
            continue
        mine = [f for f in said.findings if f.is_unjudged and f.severity is Severity.ERROR]
        assert mine, f"given up on without an error: {list(ledger)}"
        told = printable(name) if name is not None else None
        verdicts = [v for v in said.verdict if told is None or v.method == told]
        assert all(v.outcome is not Outcome.OK for v in verdicts), f"passed: {list(ledger)}"


def judged(content: bytes, data: Sequence[bytes]) -> tuple[Report, Context]:
    """The report on some bytes, and what the rules saw of them.

    Raises:
        RuleFailed: A rule raised something.
    """
    given = [open_data(Artifact(f"{n}.ptd", each)) for n, each in enumerate(data)]
    context = open_context(Artifact("input", content), Target(), given, {})
    said = judge(context, _settings())
    if said.internal_errors:
        raise RuleFailed(said.internal_errors[0].traceback)
    return Report(Target(), (said,), __version__), context


def read_alone(program: bytes, data: Sequence[bytes]) -> None:
    """Puts an input through the reader, as each of the three formats."""
    for each in (program, *data):
        read_program(each)
        read_flat_tensor(each)
        read_bundled_program(each)


@cache
def _settings() -> Settings:
    return Settings(rules=load_rules(isolated=True))


def _well_formed(name: str, text: str) -> None:
    text.encode("utf-8")
    if name in ("json", "sarif", "gitlab"):
        json.loads(text)
    elif name == "junit":
        ElementTree.fromstring(text)


def _explain(said: ArtifactReport) -> None:
    found = {finding.rule for finding in said.findings}
    rules = [rule for rule in _settings().rules if rule.id in found]
    for rule in rules:
        rule_text(rule, colour=False)
        rule_markdown(rule)
    json.loads(rules_json(rules, documents=True))


def _draw(said: ArtifactReport, context: Context) -> None:
    drawn = scenes(context, said.findings)
    if not drawn:
        return
    json.loads(graph_json.render(said, drawn))
    graph_dot.render("input", drawn).encode("utf-8")
    for picture in (placement_svg, memory_svg):
        ElementTree.fromstring(picture.render("input", drawn))


def _look(program: bytes, said: ArtifactReport) -> None:
    try:
        context = open_for_look(Artifact("input", program))
    except NotInspectable:
        return
    side = Side(inspect_context(context, said, code=True), said)
    listings = [list(listing(method)) for method in context.methods]
    for every in (False, True):
        inspection_text.render(side.inspection, listings, every=every).encode("utf-8")
    json.loads(inspection_json.render(side.inspection, listings))
    try:
        difference = compare(_other(), side)
    except NotComparable:
        return
    difference_text.render(difference).encode("utf-8")
    difference_markdown.render(difference).encode("utf-8")
    json.loads(difference_json.render(difference))


@cache
def _other() -> Side:
    """What inputs are compared with."""
    report, context = judged(next(generated_seeds(7, 1)).file, ())
    (said,) = report.artifacts
    return Side(inspect_context(context, said, code=True), said)
