"""What findings say is in words: no value of Python, no name of a class, and every info advises."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import pytest
from pte_lint.schema.shown_bytes import shown

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.result import ArtifactReport
from pte_lint.claims.target import Target
from pte_lint.report.phrases import runtime_sentence, verdict, where
from pte_lint.report.text_finding import advice
from pte_lint.text.places import place_words
from pte_lint.text.words import article
from tests.fuzz.draw import Draw
from tests.fuzz.edits import DoesNotApply
from tests.fuzz.judged import judged
from tests.fuzz.kill_matrix import judged as judged_defect
from tests.fuzz.kill_matrix import stored
from tests.fuzz.seeds import exported_seeds

MUTANTS = 120

INTERNAL = re.compile(
    r"\b(val_type|scalar_type|device_type|shape_dynamism)\("  # a number in the name of its field
    r"|(?<!['\w])b['\"]"  # bytes
    r"|<[A-Z]\w+[.:]|<class|\bobject at 0x"  # what repr makes of an enum, a class, an object
    r"|\b(Outcome|Stage|Severity|KernelTypes|DataLocation|StepKind)\."
    r"|\ba [AEIOU][a-z]*(List)?\b(?<!a Unicode)|\ban? None\b"
    r"|(?<!\bis )(?<!\bor )(?<!puts )(?<!where )(?<!holds )(?<!and )\bNone\b"
)
"""`is None` and `Int or None` are what the value is, in the words of PyTorch."""

RAW_PLACE = re.compile(
    r"(^|[ .])(execution_plan|chains|delegates|segments|values|named_data|compile_specs|"
    r"method_test_suites|test_cases|mutable_data_segments)\[\d|(^|: )\."
)


@cache
def reports() -> tuple[tuple[str, ArtifactReport], ...]:
    """Of each rule's seeded defect, and of files changed at random."""
    return tuple(_reports())


def _reports() -> Iterator[tuple[str, ArtifactReport]]:
    for defect in stored():
        yield defect.rule, judged_defect(defect)
    draw = Draw(list(exported_seeds()), 7)
    for number in range(MUTANTS):
        mutant = draw.mutant(number)
        try:
            program, data = mutant.files()
        except DoesNotApply:
            continue
        yield f"mutant {number}", judged(program, data)[0].artifacts[0]


def _prose(text: str) -> str:
    """Without the lines that are code."""
    return "\n".join(line for line in text.split("\n") if not line.startswith("    "))


def _without_names(text: str, finding: Finding) -> str:
    """Names are the file's own and may be anything."""
    for name in (finding.method, finding.location.operator):
        text = text.replace(name, "NAME") if name else text
    return text


def test_no_finding_shows_what_is_inside_of_the_tool() -> None:
    odd = []
    for name, report in reports():
        for finding in report.findings:
            told = [where(finding), finding.message, _prose(finding.remediation)]
            told.append(runtime_sentence(finding, Target()) or "")
            for text in told:
                bare = _without_names(text, finding)
                if INTERNAL.search(bare) or RAW_PLACE.search(bare):
                    odd.append((name, finding.rule, text))
        odd += [
            (name, "verdict", text)
            for v in report.verdict
            if INTERNAL.search(text := verdict(v, report.needs)) and v.method is None
        ]
    assert odd == []


@pytest.mark.parametrize(
    "text",
    [
        "is copied as scalar_type(100)",
        "identifier b'\\x00' is not XN00",
        "delegate 1 (None) has no key",
        "named_data None",
        "is a None, not a Tensor",
        "is an None",
        "is a Int",
        "is a IntList whose item",
        "fails at <Stage.EXECUTE: 3>",
        "Stage.EXECUTE fails",
    ],
)
def test_what_is_looked_for_is_found(text: str) -> None:
    assert INTERNAL.search(text)


@pytest.mark.parametrize(
    "text",
    [
        "but 'b' plans them",
        "is None, not an Int",
        "an IntList or None",
        "pair MemoryPlanningPass(alloc_graph_output=False) with it",
        "a Tensor",
    ],
)
def test_and_what_is_not_is_not(text: str) -> None:
    assert not INTERNAL.search(text)


def test_every_info_says_what_one_may_do() -> None:
    silent = set()
    seen = set()
    for _, report in reports():
        for finding in report.findings:
            if finding.severity is Severity.INFO:
                seen.add(finding.rule)
                text = advice(finding.remediation)
                if not re.fullmatch(r"Advice: [A-Z`].{10,}\.", text, re.DOTALL):
                    silent.add((finding.rule, text))
    assert silent == set()
    assert len(seen) > 10
    assert advice("") == "Nothing needs to be done."
    assert advice("Cut it.") == "Advice: Cut it."
    assert advice("Cut it:\n\n    rm x") == "Advice: Cut it (-v shows how)."
    assert advice("Cut it, for it\nis long.\n\n    rm x\n\nOr not.") == (
        "Advice: Cut it, for it is long (-v shows how)."
    )


@pytest.mark.parametrize(
    ("path", "told"),
    [
        (".chains[0].instructions", "chain 0, instructions"),
        ("execution_plan[1].chains[2].instructions", "chain 2, instructions"),
        ("execution_plan[0]", "the method"),
        ("execution_plan[0].values[4].val.layout", "value 4, layout"),
        ("execution_plan[0].container_meta_type", "container_meta_type"),
        ("delegates[0] blob", "delegate 0 blob"),
        ("delegates[0].compile_specs[3]", "delegate 0, compile spec 3"),
        ("named_data[0]", "named data entry 0"),
        ("method_test_suites[1].test_cases[2].inputs", "test suite 1, test case 2, inputs"),
        ("a.ptd: named_data[1].key", "a.ptd: named data entry 1, key"),
        (".inputs", "inputs"),
        ("input 0", "input 0"),
        ("contract.toml: methods.a.inputs[0].dtype", "contract.toml: methods.a.inputs[0].dtype"),
        ("my_delegates[0]", "my_delegates[0]"),
        ("", ""),
    ],
)
def test_a_place_is_told_in_words(path: str, told: str) -> None:
    assert place_words(path) == told


def test_small_words() -> None:
    nouns = ["Int", "Tensor", "OptionalTensorList", "None", "element-type-100", "kind 9"]
    assert list(map(article, nouns)) == [
        "an Int",
        "a Tensor",
        "an OptionalTensorList",
        "None",
        "an element-type-100",
        "a kind 9",
    ]
    assert [shown(raw) for raw in (b"XN00", b"XN\x000", b"\xff", b"")] == [
        "XN00",
        "58 4e 00 30",
        "ff",
        "(nothing)",
    ]
