"""Puts one input through everything that pte-lint can do with it."""

from __future__ import annotations

import json
from collections.abc import Sequence

from pte_lint.schema.loaded import read_bundled_program, read_flat_tensor, read_program

import pte_lint
from pte_lint.difference import NotComparable, diff
from pte_lint.inspection import NotInspectable, inspect_artifact
from pte_lint.report import (
    difference_json,
    difference_markdown,
    difference_text,
    inspection_json,
    inspection_text,
)
from pte_lint.report.formats import FORMATS, render
from tests.fuzz.generate import generated_seeds

_OTHER = next(generated_seeds(7, 1)).file


class RuleFailed(Exception):
    """A rule raised something: a bug that the engine turned into a report."""


def exercise(program: bytes, data: Sequence[bytes]) -> None:
    """Checks an input, looks into it, compares it; renders all of that in every format.

    Raises:
        Exception: Whatever goes wrong.
    """
    for given in ((), data) if data else ((),):
        report = pte_lint.check(program, data=list(given), isolated=True)
        if report.internal_errors:
            raise RuleFailed(report.internal_errors[0].traceback)
    for name in FORMATS:
        text = render(report, name)
        text.encode("utf-8")
        if name in ("json", "sarif", "gitlab"):
            json.loads(text)
    for content in data:
        pte_lint.check(content, isolated=True)
    _look(program)
    _compare(program)


def read_alone(program: bytes, data: Sequence[bytes]) -> None:
    """Puts an input through the reader, as each of the three formats."""
    for each in (program, *data):
        read_program(each)
        read_flat_tensor(each)
        read_bundled_program(each)


def _look(program: bytes) -> None:
    try:
        inspection = inspect_artifact(program)
    except NotInspectable:
        return
    inspection_text.render(inspection)
    json.loads(inspection_json.render(inspection))


def _compare(program: bytes) -> None:
    try:
        difference = diff(_OTHER, program)
    except (NotComparable, NotInspectable):
        return
    difference_text.render(difference)
    difference_markdown.render(difference)
    json.loads(difference_json.render(difference))
