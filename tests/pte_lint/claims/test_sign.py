"""Signs: what of a run's record belongs to one cause only."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pte_lint.claims.finding import Severity
from pte_lint.claims.sign import Sign, Unseen, which_seen
from pte_lint.rulebook.registry import load_rules

LINES = ("E method.cpp:260 Arg index 20 >= 20", "E method.cpp:602 Failed at 7: 0x23")


@pytest.mark.parametrize(
    ("sign", "facts", "line"),
    [
        (Sign("Arg index {index} >= {values}"), {"index": 20, "values": 20}, LINES[0]),
        (Sign("Arg index {index} >= {values}"), {"index": 2, "values": 20}, None),
        (Sign("Arg index {index} >= {values}"), {"index": 20}, None),
        (Sign(r"{index}\b", "Failed at {value}:"), {"index": 20, "value": 7}, LINES[0]),
        (Sign(r"{index}\b", "Failed at {value}:"), {"index": 20, "value": 8}, None),
        (Sign("Failed", "Failed"), {}, None),
        (Sign("{base+offset} >="), {"base": 15, "offset": 5}, LINES[0]),
        (Sign("Failed at {id-1}:"), {"id": 8}, LINES[1]),
        (Sign("Arg", unless="Failed"), {}, None),
        (Sign("Arg", unless="nothing"), {}, LINES[0]),
        (Sign("Arg", when={"kind": 1}), {"kind": 1}, LINES[0]),
        (Sign("Arg", when={"kind": 1}), {"kind": 2}, None),
        (Sign("{text}"), {"text": "Arg.index"}, None),
        (Sign("{text}"), {"text": ["Arg"]}, None),
    ],
)
def test_a_line_and_the_facts_of_a_finding(
    sign: Sign, facts: dict[str, object], line: str | None
) -> None:
    assert sign.seen(LINES, facts) == line


@pytest.mark.parametrize(("spec", "shown"), [("u32", "4294967295"), ("u64", str(2**64 - 1))])
def test_numbers_below_zero_as_the_runtime_prints_them(spec: str, shown: str) -> None:
    sign = Sign(f"index {{index:{spec}}}$")
    assert sign.seen([f"index {shown}"], {"index": -1}) is not None
    assert sign.seen(["index -1"], {"index": -1}) is None


def test_any_of_several_signs_will_do() -> None:
    assert which_seen((Sign("nothing"), Sign("Arg")), LINES, {}) == LINES[0]
    assert which_seen(Unseen("why"), LINES, {}) is None
    assert which_seen(None, LINES, {}) is None


def test_every_rule_of_errors_says_what_its_cause_shows_or_why_nothing_does() -> None:
    silent = []
    for rule in load_rules(isolated=True):
        __import__(rule.module)
        source = Path(rule.function.__code__.co_filename).read_text("utf-8")
        speaks_of_errors = rule.severity is Severity.ERROR or "=Severity.ERROR" in source
        if speaks_of_errors and rule.sign is None:
            silent.append(rule.id)
        for sign in rule.sign if isinstance(rule.sign, tuple) else (rule.sign,):
            if isinstance(sign, Unseen):
                assert sign.why
            elif sign is not None:
                re.compile(re.sub(r"\{[a-z][^}]*\}", "x", sign.line))
    assert silent == []
