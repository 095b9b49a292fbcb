from __future__ import annotations

import pytest
from pte_lint.schema import limits

from pte_lint.claims.finding import Severity
from pte_lint.claims.forecast import Outcome, Verification
from pte_lint.claims.target import Target
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.containers import Layout
from pte_lint.testing.data_builder import build_bundle, build_data
from pte_lint.testing.program_builder import build_program
from tests.support.examples import adder, plain
from tests.support.judging import judge, only, verdict

MINIMAL = Target(verification=Verification.MINIMAL)


def test_a_vector_that_leaves_the_file() -> None:
    built = plain()
    content = bytearray(built.bytes())
    at = content.index(b"forward") - 4
    content[at : at + 4] = (1 << 20).to_bytes(4, "little")
    report = judge(bytes(content), "PTE010")
    assert only(report).message.startswith(f"method 0, name (byte {at}): a vector or string of")
    assert only(report).location.path == "execution_plan[0].name"
    assert only(report).location.byte_offset == at
    assert verdict(report).error == "InvalidProgram"
    minimal = judge(bytes(content), "PTE010", target=MINIMAL)
    assert verdict(minimal).outcome is Outcome.UNDEFINED


def test_a_string_without_its_zero_is_read_all_the_same() -> None:
    content = bytearray(plain().bytes())
    at = content.index(b"forward\0") + 7
    content[at] = 1
    report = judge(bytes(content), "PTE010")
    assert only(report).evidence["violations"][0]["kind"] == "no-terminator"
    assert verdict(report).error == "InvalidProgram"
    assert verdict(judge(bytes(content), "PTE010", target=MINIMAL)).outcome is Outcome.OK


def test_places_are_told_by_the_names_of_what_is_there() -> None:
    built = build_program(adder("decode"), named_data={"w": b"1234"})
    content = bytearray(built.bytes())
    at = content.index(b"aten::add") + 9
    content[at] = 1
    finding = only(judge(bytes(content), "PTE010"))
    assert finding.message.startswith("decode, operator 0, name (byte ")


def test_what_no_runtime_reads_is_harmless_unless_it_is_verified() -> None:
    built = plain().replaced("execution_plan[0].container_meta_type.encoded_inp_str", "unread")
    content = bytearray(built.bytes())
    at = content.index(b"unread") - 4
    content[at : at + 4] = (1 << 20).to_bytes(4, "little")
    assert verdict(judge(bytes(content), "PTE010")).error == "InvalidProgram"
    assert verdict(judge(bytes(content), "PTE010", target=MINIMAL)).outcome is Outcome.OK


def test_a_root_outside_is_refused_by_both_levels() -> None:
    content = plain().bytes(Layout(root_offset=1 << 20))
    assert verdict(judge(content, "PTE010", target=MINIMAL)).error == "InvalidProgram"
    (old,) = judge(content, "PTE010", target=MINIMAL).runs_on["1.2"]
    assert old.signal == "SIGSEGV"


def test_a_cut_without_a_header_is_suspected() -> None:
    report = judge(build_program(adder()).bytes()[:300], "PTE010")
    assert only(report).message.endswith("no extended header, so a cut would show like this.")


def test_a_cut_of_the_program_alone() -> None:
    report = judge(plain().bytes(Layout(program_size=200)), "PTE010")
    assert verdict(report).error == "InvalidProgram"


def test_a_well_formed_program() -> None:
    assert judge(plain().bytes(), "PTE010").findings == ()


def test_what_was_not_read_is_not_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program of more tables than its size allows is read in part, and so is not judged."""
    monkeypatch.setattr(limits, "FREE_TABLES", 40)
    monkeypatch.setattr(limits, "TABLE_BYTES", 1 << 20)
    b = MethodBuilder("forward")
    x = b.input((4,))
    for _ in range(30):
        x = b.call("aten::relu.out", x, out=(4,))
    b.output(x)
    for file, name in (
        (build_program(b).bytes(), "model.pte"),
        (build_bundle(build_program(b).bytes(), {}).bytes(), "model.bpte"),
    ):
        report = judge(file, name=name)
        serious = [(f.rule, f.severity) for f in report.findings if f.severity is not Severity.INFO]
        assert serious == [("PTE022", Severity.ERROR)]
        assert verdict(report).outcome is Outcome.UNJUDGED


def test_data_files_that_were_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    data = {"w.ptd": build_data({f"k{n}": b"1234" for n in range(60)}).bytes()}
    monkeypatch.setattr(limits, "FREE_TABLES", 60)
    monkeypatch.setattr(limits, "TABLE_BYTES", 1 << 20)
    b = MethodBuilder("forward")
    b.output(b.call("aten::relu.out", b.input((1,)), out=(1,)), b.external("k59", (1,)))
    report = judge(build_program(b).bytes(), data=data)
    errors = [(f.rule, f.subject) for f in report.findings if f.severity is Severity.ERROR]
    assert errors == [("PTE022", "the tables of w.ptd")]
