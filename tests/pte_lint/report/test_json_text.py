"""The writer of JSON gives what Python's gives, character by character."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pte_lint.report.json_text import json_text

_VALUES: list[Any] = [
    None,
    True,
    0,
    -(2**70),
    1.5,
    -0.0,
    1e300,
    "",
    'a "quoted" \\ \x7f \x1b \u202e \ud800 \U0001f600',
    [],
    {},
    [[], {}, [None, [False]]],
    {"b": 1, "a": {"d": [], "c": {}}, "": [{"z": "\n", "y": [1, 2.25]}]},
    ("tuples", ("are", "lists")),
]


@pytest.mark.parametrize("value", _VALUES, ids=repr)
@pytest.mark.parametrize("sort", [False, True])
def test_it_is_what_the_standard_library_writes(value: object, sort: bool) -> None:
    want = json.dumps(value, indent=2, sort_keys=sort)
    assert json_text(value, sort=sort) == want
    assert json_text(value, sort=sort, newline="\n      ") == want.replace("\n", "\n      ")


@pytest.mark.parametrize("value", [float("nan"), [float("inf")], {"a": -float("inf")}])
def test_what_json_has_no_number_for_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match="JSON has no form for"):
        json_text(value)


@pytest.mark.parametrize("value", [object(), [b"bytes"], {1: "a number as a key"}, {"a": {1, 2}}])
def test_what_json_has_no_form_for_is_refused(value: object) -> None:
    with pytest.raises(TypeError):
        json_text(value)
