"""Puts one input through everything that pte-lint can do with it, and looks at what is printed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from hashlib import blake2b
from pathlib import Path
from random import Random

from pte_lint.schema.loaded import read_bundled_program, read_flat_tensor, read_program

from pte_lint.claims.finding import Severity
from pte_lint.claims.forecast import Outcome
from pte_lint.claims.result import ArtifactReport, Report
from pte_lint.claims.target import Target
from pte_lint.config import baseline
from pte_lint.data.context import Context
from pte_lint.data.reading import open_context
from pte_lint.difference import NotComparable
from pte_lint.difference.compare import compare
from pte_lint.difference.sides import Side
from pte_lint.files.artifact import Artifact
from pte_lint.fix import text as repair_text
from pte_lint.inspection import NotInspectable
from pte_lint.inspection.build import inspect_context, readable
from pte_lint.inspection.contract import contract_of, with_headroom
from pte_lint.inspection.listing import listing
from pte_lint.picture import graph_dot, graph_json, html, memory_svg, placement_svg
from pte_lint.picture.scene import scenes
from pte_lint.report import (
    contract_toml,
    difference_json,
    difference_markdown,
    difference_text,
    inspection_json,
    inspection_text,
)
from pte_lint.report.formats import FORMATS, render
from pte_lint.report.options import RenderOptions
from pte_lint.report.ranking import at_least
from pte_lint.report.rule_json import rules_json
from pte_lint.report.rule_markdown import rule_markdown
from pte_lint.report.rule_text import rule_text
from pte_lint.report.text import TextOptions, render_text
from pte_lint.rulebook.contract_model import Contract
from pte_lint.text import toml
from pte_lint.text.printable import printable
from tests.fuzz.generate import generated_seeds
from tests.fuzz.judged import judged, settings
from tests.fuzz.repairs import check_repair
from tests.support import sanitised
from tests.support.budgets import SMALL, budgets


def exercise(program: bytes, data: Sequence[bytes]) -> None:
    """Checks an input and explains what is found, looks into it, draws it, compares, repairs it.

    All of that in every format that there is.

    Raises:
        Exception: Whatever goes wrong.
    """
    alone, context = judged(program, ())
    _closed(alone, context)
    _small(program, (), alone)
    _look(program, alone.artifacts[0])
    report = alone
    if data:
        report, context = judged(program, data)
        _closed(report, context)
    _tell(report)
    _explain(report.artifacts[0])
    _set_aside(report)
    sanitised.page(html.render(report, context))
    for content in data:
        _closed(*judged(content, ()))
    _draw(report.artifacts[0], context)
    _repair(program, data)


def _closed(report: Report, context: Context) -> None:
    """What was given up on is an error, and no verdict about it says that the program runs."""
    (said,) = report.artifacts
    ledgers = [(None, context.ledger), *((name, led) for led, name, _ in context.method_ledgers())]
    for name, ledger in ledgers:
        if not ledger:
            continue
        mine = [f for f in said.findings if f.is_unjudged and f.severity is Severity.ERROR]
        assert mine, f"given up on without an error: {list(ledger)}"
        assert not report.is_clean(), f"exit code 0: {list(ledger)}"
        told = printable(name) if name is not None else None
        verdicts = [v for v in said.verdict if told is None or v.method == told]
        assert all(v.outcome is not Outcome.OK for v in verdicts), f"passed: {list(ledger)}"


def _small(program: bytes, data: Sequence[bytes], whole: Report) -> None:
    """With budgets that run out nothing passes that fails with what they are."""
    rng = Random(blake2b(program, digest_size=8).digest())
    names = rng.sample(sorted(SMALL), rng.randint(1, len(SMALL)))
    with budgets({name: SMALL[name] for name in names}):
        report, context = judged(program, data)
    _closed(report, context)
    if whole.is_clean():
        return
    assert not report.is_clean(), f"passes with small budgets: {names}"
    bad = {v.method for v in whole.artifacts[0].verdict if v.outcome is not Outcome.OK}
    passed = {v.method for v in report.artifacts[0].verdict if v.outcome is Outcome.OK}
    assert not bad & passed, f"{bad & passed} runs with small budgets: {names}"


def read_alone(program: bytes, data: Sequence[bytes]) -> None:
    """Puts an input through the reader, as each of the three formats."""
    for each in (program, *data):
        read_program(each)
        read_flat_tensor(each)
        read_bundled_program(each)


def _tell(report: Report) -> None:
    """Renders a report in every format, and as people may ask for it."""
    known = RenderOptions(settings().rules)
    for name in FORMATS:
        sanitised.REPORTS[name](render(report, name, known))
    everything = TextOptions(verbose=True, show_unchecked=True, judging=known)
    sanitised.plain(render_text(report, everything))
    sanitised.plain(render_text(report, TextOptions(quiet=True, judging=known)))
    sanitised.plain(render(at_least(report, Severity.ERROR), "text", known))


@cache
def _explained(number: int) -> None:
    """Explains a rule, once: nothing of an input is in it."""
    rule = settings().rules[number]
    sanitised.plain(rule_text(rule, colour=False))
    rule_markdown(rule)
    json.loads(rules_json([rule], documents=True))


def _explain(said: ArtifactReport) -> None:
    found = {finding.rule for finding in said.findings}
    for number, rule in enumerate(settings().rules):
        if rule.id in found:
            _explained(number)


def _set_aside(report: Report) -> None:
    """Writes a baseline, and compares the report with it: only what was not judged is news."""
    root = Path("/")
    recorded = baseline.record(report, root)
    text = baseline.dump(recorded)
    sanitised.data(text)
    left = baseline.compare(report, recorded, root, "known.json").report
    assert [f for f in left.findings if not f.is_unjudged] == []
    assert left.is_clean() or any(f.is_unjudged for f in report.findings)
    for name in FORMATS:
        sanitised.REPORTS[name](render(left, name))


def _draw(said: ArtifactReport, context: Context) -> None:
    drawn = scenes(context, said.findings)
    if not drawn:
        return
    sanitised.data("".join(graph_json.render(said, drawn)))
    sanitised.dot("".join(graph_dot.render("input", drawn)))
    for picture in (placement_svg, memory_svg):
        sanitised.picture(picture.render("input", drawn))


def _look(program: bytes, said: ArtifactReport) -> None:
    try:
        context = readable(open_context(Artifact("input", program), Target(), (), {}))
    except NotInspectable:
        return
    side = Side(inspect_context(context, said, code=True), said)
    listings = [list(listing(method)) for method in context.methods]
    for every in (False, True):
        sanitised.plain(inspection_text.render(side.inspection, listings, every=every))
    sanitised.data(inspection_json.render(side.inspection, listings))
    if context.program is not None and not any(f.severity is Severity.ERROR for f in said.findings):
        contract = contract_toml.render(with_headroom(contract_of(context), 5), "input")
        sanitised.plain(contract)
        Contract.model_validate_json(json.dumps(toml.loads(contract)))
    try:
        difference = compare(_other(), side)
    except NotComparable:
        return
    sanitised.plain(difference_text.render(difference))
    sanitised.markdown(difference_markdown.render(difference))
    sanitised.data(difference_json.render(difference))


@cache
def _other() -> Side:
    """What inputs are compared with."""
    report, context = judged(next(generated_seeds(7, 1)).file, ())
    (said,) = report.artifacts
    return Side(inspect_context(context, said, code=True), said)


def _repair(program: bytes, data: Sequence[bytes]) -> None:
    """Repairs an input: never into an invalid file."""
    done = check_repair(program, data, Random(len(program)))
    sanitised.plain(repair_text.render(done))
