from __future__ import annotations

import base64

from pte_lint.finding import Severity
from tests.support.examples import plain
from tests.support.judging import judge, only, verdict


def test_base64() -> None:
    report = judge(base64.encodebytes(plain().bytes()), "PTE005")
    assert only(report).message == "The file is base64 text of a program, not the program."
    assert verdict(report).error == "InvalidProgram"


def test_bytes_in_front() -> None:
    report = judge(b"16 bytes too many"[:16] + plain().bytes(), "PTE005")
    assert only(report).evidence == {"kind": "shifted-program", "program_at": 16}
    assert "tail -c +17" in only(report).remediation
    assert verdict(report).error == "InvalidProgram"


def test_converted_line_endings() -> None:
    content = plain().bytes()
    assert content.count(b"\n") < 4
    # The content of segments is where line feeds are.
    content = content[:-40] + b"\n1" * 20
    assert judge(content, "PTE005").findings == ()
    finding = only(judge(content.replace(b"\n", b"\r\n"), "PTE005"))
    assert finding.severity is Severity.WARNING
    assert finding.message.startswith("The file's line endings were converted: all 2")


def test_an_undamaged_program() -> None:
    assert judge(plain().bytes(), "PTE005").findings == ()
