from __future__ import annotations

import pytest
from pte_lint.schema.program import NonConstBufferDevice

from pte_lint.claims.finding import Severity
from pte_lint.testing.program_builder import BuiltProgram, build_program
from tests.support.device_programs import (
    add_method,
    findings,
    only,
    report,
    rules,
    verdict,
    verdicts,
)

GOOD = NonConstBufferDevice(2, 1, 0)


def listed(*entries: NonConstBufferDevice) -> BuiltProgram:
    """The default program, whose arena 2 is on cuda:0, with another device list."""
    built = build_program(add_method())
    return built.replaced("execution_plan[0].non_const_buffer_device", entries)


def test_the_exporters_entry_is_fine() -> None:
    assert rules(report(listed(GOOD))) == []


def test_an_explicit_entry_for_the_host_is_fine() -> None:
    assert rules(report(listed(NonConstBufferDevice(1, 0, 0), GOOD))) == []


@pytest.mark.parametrize("index", [0, 3, 99, -1])
def test_an_entry_for_no_arena_is_ignored(index: int) -> None:
    """K12."""
    said = report(listed(NonConstBufferDevice(index, 1, 0), GOOD))
    found = only(said, "PTE310")
    assert found.severity is Severity.WARNING
    assert found.evidence["buffer_idx"] == index
    assert found.location.path == "execution_plan[0].non_const_buffer_device[0]"
    assert rules(said) == ["PTE310"]
    assert set(verdicts(listed(NonConstBufferDevice(index, 1, 0), GOOD)).values()) == {"execute ok"}


@pytest.mark.parametrize(
    ("second", "words"),
    [(GOOD, "says the same"), (NonConstBufferDevice(2, 0, 0), "says cuda:0, and wins")],
)
def test_of_two_entries_for_one_arena_the_first_wins(
    second: NonConstBufferDevice, words: str
) -> None:
    """K13."""
    said = report(listed(GOOD, second))
    assert words in only(said, "PTE310").message
    assert verdict(said) == "execute ok"


def test_where_the_first_entry_is_wrong_the_tensors_tell() -> None:
    said = report(listed(NonConstBufferDevice(2, 0, 0), GOOD))
    assert only(said, "PTE310").severity is Severity.WARNING
    assert findings(said, "PTE308")
    assert verdict(said) == "execute error Internal"


@pytest.mark.parametrize("kind", [2, -1])
def test_a_device_type_without_allocator(kind: int) -> None:
    """K14."""
    built = listed(NonConstBufferDevice(2, kind, 0))
    assert only(report(built), "PTE310").severity is Severity.ERROR
    assert verdicts(built) == {
        "1.3": "execute ok",
        "1.4": "load_method crash SIGABRT",
        "1.5": "load_method error NotFound",
    }


def test_index_minus_one_is_the_current_device() -> None:
    """K15."""
    said = report(listed(NonConstBufferDevice(2, 1, -1)))
    assert only(said, "PTE310").severity is Severity.WARNING
    assert verdict(said) == "execute ok"


def test_an_index_below_is_refused_by_the_cuda_allocator() -> None:
    built = listed(NonConstBufferDevice(2, 1, -2))
    assert only(report(built), "PTE310").severity is Severity.ERROR
    assert verdicts(built)["1.4"] == "load_method crash SIGABRT"
    assert verdicts(built)["1.5"] == "load_method error InvalidArgument"


def test_a_second_entry_cannot_hurt() -> None:
    said = report(listed(GOOD, NonConstBufferDevice(2, 7, 0)))
    assert only(said, "PTE310").severity is Severity.WARNING
    assert verdict(said) == "execute ok"
