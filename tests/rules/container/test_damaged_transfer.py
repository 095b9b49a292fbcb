from __future__ import annotations

import base64
import hashlib

import pytest

from pte_lint.claims.causes import consequences
from pte_lint.claims.finding import Severity
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.data_builder import DataTensor, build_bundle, build_data
from pte_lint.testing.program_builder import build_program
from tests.support.examples import plain
from tests.support.judging import judge, only, verdict

TEXT = b"\n1" * 20


def _with_feeds(content: bytes = b"") -> bytes:
    """A program with line feeds in its segment, or in this content of it."""
    b = MethodBuilder()
    x = b.input((len(content or TEXT),), "uint8")
    b.output(b.add(x, b.constant(content or TEXT, (len(content or TEXT),), "uint8")))
    return build_program(b).bytes()


def test_base64() -> None:
    report = judge(base64.encodebytes(plain().bytes()), "PTE005")
    assert only(report).message == "The file is base64 text of a program, not the program."
    assert verdict(report).error == "InvalidProgram"


def test_bytes_in_front() -> None:
    report = judge(b"16 bytes too many"[:16] + plain().bytes(), "PTE005")
    assert only(report).evidence == {
        "kind": "shifted-program",
        "program_at": 16,
        "identifier": "ytes",
    }
    assert "tail -c +17" in only(report).remediation
    assert verdict(report).error == "InvalidProgram"


def test_converted_line_endings() -> None:
    content = _with_feeds()
    assert judge(content, "PTE005").findings == ()
    feeds = content.count(b"\n")
    finding = only(judge(content.replace(b"\n", b"\r\n"), "PTE005"))
    assert finding.severity is Severity.ERROR
    assert finding.message == (
        "The file was damaged by a transfer as text: its line endings were converted "
        f"(all {feeds} line feed bytes follow a carriage return)."
    )
    assert '"*.pte -text' in finding.remediation
    assert "Exporting again does not help" in finding.remediation


def test_it_is_said_first_and_alone() -> None:
    report = judge(_with_feeds().replace(b"\n", b"\r\n"))
    roots, counts = consequences(report.findings)
    assert [f.rule for f in roots] == ["PTE005"]
    assert sum(counts.values()) == len(report.findings) - 1


def test_pairs_in_a_file_that_is_damaged_further_are_a_sign_and_no_proof() -> None:
    converted = _with_feeds().replace(b"\n", b"\r\n")
    finding = only(judge(converted[:-40], "PTE005"))
    assert finding.severity is Severity.WARNING
    assert finding.message.startswith("The file may be damaged: its line endings were converted")


def test_dropped_carriage_returns_are_proven_by_what_is_missing() -> None:
    # Bytes without a pattern: about every 256th carriage return precedes a line feed.
    noise = b"".join(hashlib.sha256(n.to_bytes(4, "big")).digest() for n in range(70_000))
    content = _with_feeds(noise)
    assert judge(content, "PTE005").findings == ()
    dropped = only(judge(content.replace(b"\r\n", b"\n"), "PTE005"))
    assert dropped.severity is Severity.ERROR
    assert "expected CR LF pairs are left" in dropped.message
    # Cut as well, the file lacks more than was dropped.
    cut = only(judge(content.replace(b"\r\n", b"\n")[:-5_000], "PTE005"))
    assert cut.severity is Severity.WARNING


@pytest.mark.parametrize(
    ("encoding", "what"),
    [
        ("latin-1", "its bytes were taken for Latin-1 and written as UTF-8"),
        ("utf-8", "its bytes were read as text"),
    ],
)
def test_bytes_read_as_text_and_written_as_utf_8(encoding: str, what: str) -> None:
    content = _with_feeds(bytes(range(128, 256)))
    damaged = content.decode(encoding, "replace").encode("utf-8")
    finding = only(judge(damaged, "PTE005"))
    assert finding.severity is Severity.ERROR
    assert finding.evidence["damage"] == what


def test_data_files_and_bundles_are_damaged_alike() -> None:
    tensor = DataTensor(TEXT, (len(TEXT),), "uint8")
    bundle = build_bundle(_with_feeds(), {"forward": [([tensor], [tensor])]}).bytes()
    for content, name in ((build_data({"w": tensor}).bytes(), "w.ptd"), (bundle, "m.bpte")):
        assert judge(content, "PTE005", name=name).findings == ()
        damaged = only(judge(content.replace(b"\n", b"\r\n"), "PTE005", name=name))
        assert damaged.severity is Severity.ERROR


def test_an_undamaged_program() -> None:
    assert judge(plain().bytes(), "PTE005").findings == ()
