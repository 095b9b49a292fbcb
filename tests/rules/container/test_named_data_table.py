from __future__ import annotations

from pte_lint.schema.program import NamedData

from pte_lint.claims.finding import Severity
from pte_lint.testing.program_builder import build_program
from tests.support.examples import adder
from tests.support.judging import judge, messages, only, verdict

GOOD = build_program(adder(), named_data={"a": b"1234", "b": b"5678"})


def test_no_segment_table() -> None:
    report = judge(GOOD.replaced("segments", None).bytes(), "PTE016")
    assert only(report).message == ("The program has named data (2 entries) but no segment table.")
    assert verdict(report).error == "InvalidArgument"


def test_even_an_empty_table_needs_segments() -> None:
    built = GOOD.replaced("segments", None).replaced("named_data", ())
    assert verdict(judge(built.bytes(), "PTE016")).error == "InvalidArgument"


def test_entries_that_only_matter_to_who_asks() -> None:
    entries = (NamedData(None, 1), NamedData("a", 1), NamedData("a", 2), NamedData("c", 9))
    report = judge(GOOD.replaced("named_data", entries).bytes(), "PTE016")
    assert messages(report) == [
        "Named data entry 0 has no key: no key behind it can be found.",
        "The key 'a' is there twice, in entries 1 and 2; the first is always the one that is "
        "found.",
        "The key 'c' is in segment 9, but the program has 3 segments.",
    ]
    assert {f.severity for f in report.findings} == {Severity.WARNING}


def test_a_good_table() -> None:
    assert judge(GOOD.bytes(), "PTE016").findings == ()
