"""The lines of an artifact's numbers."""

from __future__ import annotations

from typing import Any

import pytest

from pte_lint.claims.finding import Confirmation, Finding, Location
from pte_lint.report.numbers_text import memory_lines
from pte_lint.report.text_confirmation import copied


def finding(method: str, **evidence: Any) -> Finding:
    where = Location(path="execution_plan[0]")
    return Finding(
        message="m", remediation="r", location=where,
        rule="PTE301", method=method, evidence=evidence,
    )  # fmt: skip


def plans(method: str, now: object, after: object) -> Finding:
    return finding(method, planned_bytes=now, planned_bytes_with_fix=after)


def test_what_methods_plan_now_and_with_their_fix() -> None:
    findings = [
        finding("a"),
        plans("b", 768, None),
        plans("c", None, 256),
        plans("d", 256, 256),
        plans("e", 768, 256),
        plans("e", 768, 128),
        plans("f", 512, 511),
        plans("g", 511, 512),
    ]
    assert list(memory_lines({}, findings)) == [
        "e plans 768 bytes, and 256 bytes with PTE301 fixed",
        "f plans 512 bytes, and 511 bytes with PTE301 fixed",
    ]


@pytest.mark.parametrize(
    ("numbers", "lines"),
    [
        ({}, []),
        ({"planned_bytes": {}}, []),
        (
            {"planned_bytes": {"host": 8, "cuda:0": 4}},
            ["planned 4 bytes on cuda:0, 8 bytes on host"],
        ),
        ({"copied_bytes": {"h2d": 0, "d2h": 0}}, []),
        ({"copied_bytes": {"h2d": 4}}, ["copies 4 bytes to the device and 0 bytes back per call"]),
        ({"copied_bytes": {"d2h": 4}}, ["copies 0 bytes to the device and 4 bytes back per call"]),
        (
            {"copied_bytes": {"h2d": 0, "d2h": 4}, "redundant_copies": 1, "redundant_bytes": 4},
            [
                "copies 0 bytes to the device and 4 bytes back per call, 4 bytes of it for nothing "
                "(redundant copies: 1)"
            ],
        ),
    ],
)
def test_planned_and_copied(numbers: dict[str, Any], lines: list[str]) -> None:
    assert list(memory_lines(numbers)) == lines


def test_copies_of_a_run() -> None:
    total = {"host_to_device": 1, "device_to_host": 2}
    assert copied(Confirmation("confirmed", {}, {"bytes_copied": total})) == (
        "1 bytes copied to the device, 2 back"
    )
    assert copied(Confirmation("confirmed")) == ""
