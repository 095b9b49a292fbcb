"""What `diff` prints."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import UnionType
from typing import Any, get_args

import jsonschema
import pytest

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.forecast import Forecast, Stage, error
from pte_lint.data.context import Context
from pte_lint.difference.build import diff
from pte_lint.difference.compare import Difference
from pte_lint.difference.failing import KINDS, Condition, failing
from pte_lint.judging.engine import Settings
from pte_lint.questions.method import Method
from pte_lint.report import difference_json, difference_markdown, difference_text
from pte_lint.report.documents import AnyChange
from pte_lint.rulebook.rule import method_rule
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.support.golden import check_golden
from tests.support.look import DATA

GOLDEN = Path(__file__).parent / "golden"
SCHEMA = DATA.parents[1] / "schema" / "difference.schema.json"


@method_rule("PTE992", "on-a-device", Severity.ERROR, "an input on a device")
def on_a_device(method: Method, context: Context) -> Iterator[Finding]:
    """Stands for the catalogue, which changes."""
    for position, v in enumerate(method.inputs):
        if not method.tag(v).is_host:
            yield Finding(
                message=f"Input {position} is on a device.",
                remediation="",
                subject=f"input {position}",
                forecast=Forecast.always(error(Stage.SET_INPUT, "NotSupported")),
            )


PAIRS = {
    "placement": ("device/add_default.pte", "device/add_skip_both_paired.pte"),
    "delegation": ("clean/mixed_xnnpack.pte", "clean/mlp_xnnpack.pte"),
    "data": ("clean/external_constants.ptd", "clean/external_biases.biases.ptd"),
    "nothing": ("clean/linear.pte", "clean/linear.pte"),
}
CONDITIONS = [Condition.parse(t) for t in ("placement", "new-findings=error", "named-data>400 B")]


def difference(pair: str) -> Difference:
    old, new = PAIRS[pair]
    found = diff(DATA / old, DATA / new, settings=Settings(rules=(on_a_device,)))
    return replace(found, old=replace(found.old, path=old), new=replace(found.new, path=new))


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize(
    ("render", "suffix"),
    [
        (difference_text.render, "txt"),
        (difference_markdown.render, "md"),
        (difference_json.render, "json"),
    ],
)
def test_golden(pair: str, render: Any, suffix: str) -> None:
    found = difference(pair)
    text = render(found, failing(found.changes, CONDITIONS))
    check_golden(GOLDEN / f"diff_{pair}.{suffix}", text)


@pytest.mark.parametrize("pair", PAIRS)
def test_json_is_as_the_schema_says(pair: str) -> None:
    found = difference(pair)
    document = json.loads(difference_json.render(found, failing(found.changes, CONDITIONS)))
    schema: dict[str, Any] = json.loads(SCHEMA.read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(document)
    assert document["summary"]["changes"] == len(document["changes"]) == len(found.changes)
    assert document["summary"]["failing"] == sum(
        c["fails"] is not None for c in document["changes"]
    )


def test_the_schema_knows_every_kind() -> None:
    assert isinstance(AnyChange, UnionType)
    assert {cls.kind for cls in get_args(AnyChange)} == set(KINDS)


def test_all_formats_agree() -> None:
    found = difference("placement")
    failed = failing(found.changes, CONDITIONS)
    text = difference_text.render(found, failed)
    markdown = difference_markdown.render(found, failed)
    document = json.loads(difference_json.render(found, failed))
    for change in document["changes"]:
        assert change["kind"] in text
        assert change["subject"] in text
        assert change["subject"].removeprefix("PTE992 ") in markdown
    assert text.count("fails --fail-on") == document["summary"]["failing"] == len(failed)
    assert markdown.count(":x: ") == len(failed)


def test_80_columns_where_names_allow() -> None:
    text = difference_text.render(difference("placement"))
    assert max(len(line) for line in text.splitlines()) <= 80


def test_a_long_comment_is_cut_and_says_so() -> None:
    old, new = MethodBuilder(), MethodBuilder()
    for n in range(300):
        new.call(f"my::op{n:03}.out", new.input((1,)), out=(1,))
    found = diff(
        build_program(old).bytes(), build_program(new).bytes(), settings=Settings(rules=())
    )
    markdown = difference_markdown.render(found)
    assert len(found.changes) > 600
    assert f"and {len(found.changes) - 200} more" in markdown
    assert sum(line.startswith("| ") for line in markdown.splitlines()) <= 200 + 4
