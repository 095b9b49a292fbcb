from __future__ import annotations

import pytest
from pte_lint.schema.loaded import read_flat_tensor

from pte_lint.claims.finding import Severity
from pte_lint.testing.data_builder import BuiltData, DataTensor, build_data
from pte_lint.testing.program_builder import build_program
from tests.support.examples import externally
from tests.support.judging import judge, only, verdict

GOOD = build_data({"w": DataTensor([1, 2, 3, 4], (2, 2))})
PROGRAM = build_program(externally()).bytes()


@pytest.mark.parametrize(
    ("built", "says", "detail"),
    [
        (GOOD.replaced("named_data", None), "has no list of keys", "InvalidExternalData"),
        (GOOD.replaced("segments", None), "has no segment table", "InvalidExternalData"),
        (GOOD.replaced("named_data[0].key", None), "has no key in entry 0", "SIGSEGV"),
    ],
)
def test_broken_tables(built: BuiltData, says: str, detail: str) -> None:
    report = judge(PROGRAM, "PTE522", data={"w.ptd": built.bytes()})
    assert only(report).message == f"w.ptd {says}."
    assert (verdict(report).error or verdict(report).signal) == detail


def test_files_without_any_key() -> None:
    empty = build_data({}).bytes()
    report = judge(PROGRAM, "PTE522", data={"a.ptd": empty, "b.ptd": empty})
    assert only(report).message == "No given data file has any key."
    assert verdict(report).error == "InvalidArgument"
    assert judge(PROGRAM, "PTE522", data={"a.ptd": empty, "b.ptd": GOOD.bytes()}).findings == ()


def test_an_empty_file_by_itself_is_only_useless() -> None:
    assert only(judge(build_data({}).bytes(), "PTE522", name="w.ptd")).severity is Severity.WARNING


def test_a_key_outside_the_file() -> None:
    content = bytearray(build_data({"a key to be found": b"1234"}).bytes())
    at = content.index(b"a key to be found") - 4
    content[at : at + 4] = (1 << 20).to_bytes(4, "little")
    report = judge(bytes(content), "PTE522", name="w.ptd")
    assert verdict(report).stage == "load_program"


def test_good_tables() -> None:
    assert judge(PROGRAM, "PTE522", data={"w.ptd": GOOD.bytes()}).findings == ()


def test_a_file_of_another_format_has_no_tables_to_speak_of() -> None:
    assert judge(PROGRAM, "PTE522", data={"w.ptd": PROGRAM}).findings == ()


def test_a_segment_table_outside_the_file_is_not_looked_at() -> None:
    """Files without keys count as empty, whatever their other table is like."""
    whole = build_data({}).bytes()
    damaged = [
        file
        for at in range(64, len(whole) - 4, 4)
        for file in [whole[:at] + (1 << 20).to_bytes(4, "little") + whole[at + 4 :]]
        if [each.path for each in read_flat_tensor(file).violations] == ["segments"]
    ]
    assert damaged
    for each in damaged:
        assert verdict(judge(PROGRAM, "PTE522", data={"w.ptd": each})).error == "InvalidArgument"


def test_the_verdict_names_what_is_met_first() -> None:
    """Files are read one after the other, each header before its tables (see the runtime's log).

    `Module` reads all of them before it looks at the program.
    """
    good = GOOD.bytes()
    cut = good[:-1]
    lost = bytearray(build_data({"a key to be found": b"1234"}).bytes())
    at = lost.index(b"a key to be found") - 4
    lost[at : at + 4] = (1 << 20).to_bytes(4, "little")
    torn = bytes(lost)
    both = torn[:-1]
    newer = GOOD.replaced("version", 1).bytes()
    keyless = GOOD.replaced("named_data[0].key", None).bytes()
    for first, second, rule in (
        (good, cut, "PTE521"),
        (cut, torn, "PTE521"),
        (torn, cut, "PTE522"),
        (both, good, "PTE521"),
        (newer, cut, "PTE523"),
        (cut, newer, "PTE521"),
        # Keys are read when the maps are merged, after all files.
        (keyless, cut, "PTE521"),
        (keyless, newer, "PTE523"),
        (keyless, good, "PTE522"),
    ):
        given = {"a.ptd": first, "b.ptd": second}
        report = judge(PROGRAM, data=given)
        assert verdict(report).rule == rule
