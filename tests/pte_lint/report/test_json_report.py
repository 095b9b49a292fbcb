"""The JSON format and its schema."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from pte_lint.report.json_report import render, report_json
from pte_lint.report.json_value import json_value
from pte_lint.report.model import ReportModel
from tests.support.reports import artifact, finding, report, rich_report

SCHEMA = Path(__file__).parents[3] / "schema" / "report.schema.json"


def test_the_writer_and_the_models_agree_key_by_key() -> None:
    """Reading and dumping through the models changes nothing: no key is missing, none unknown."""
    written = report_json(rich_report())
    assert ReportModel.model_validate(written).model_dump(exclude_unset=True) == written
    assert "timings" not in written


def test_the_committed_schema_accepts_reports() -> None:
    schema = json.loads(SCHEMA.read_text("utf-8"))
    validator = jsonschema.Draft202012Validator(schema)
    for each in (rich_report(), report(), report(artifact())):
        validator.validate(json.loads(render(each)))


def test_the_committed_schema_refuses_what_is_not_a_report() -> None:
    schema = json.loads(SCHEMA.read_text("utf-8"))
    validator = jsonschema.Draft202012Validator(schema)
    good = report_json(rich_report())
    for spoil in (
        {"summary": None},
        {"schema_version": 2},
        {"artifacts": [{**good["artifacts"][0], "verdict": [{"method": None}]}]},
    ):
        assert not validator.is_valid({**good, **spoil})
    del good["tool"]
    assert not validator.is_valid(good)


def test_the_bytes_are_the_same_every_time_and_ascii() -> None:
    text = render(rich_report())
    assert text.isascii()
    assert text == render(rich_report())
    assert text.endswith("}\n")


def test_names_arrive_as_they_are_unless_utf8_cannot_carry_them() -> None:
    evil = "\x1b[31m<b>\u202e"
    made = json.loads(render(report(artifact(finding(0, method=evil, subject="\udc80")))))
    found = made["artifacts"][0]["findings"][0]
    assert found["method"] == evil
    assert found["subject"] == r"\udc80"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (math.nan, "nan"),
        (math.inf, "inf"),
        ((1, 2), [1, 2]),
        ({"b": 1, "a": math.inf}, {"a": "inf", "b": 1}),
        ({1: {2}}, {"1": [2]}),
        (b"x", "b'x'"),
        (True, True),
        (None, None),
    ],
)
def test_values_become_strict_json(value: Any, expected: Any) -> None:
    made = json_value(value)
    assert made == expected
    json.dumps(made, allow_nan=False)


def test_bottomless_evidence_is_cut() -> None:
    deep: Any = "end"
    for _ in range(3_000):
        deep = [deep]
    assert json.dumps(json_value(deep)) == "[" * 16 + '"..."' + "]" * 16
