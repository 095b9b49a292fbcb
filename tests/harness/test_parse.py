"""From the probe's records to outcomes."""

from __future__ import annotations

from typing import Any

import pytest

from pte_lint.harness.outcome import Fault
from pte_lint.harness.parse import method_report, program_load, read_json


def run_of(**record: Any) -> Any:
    report = {"index": 0, "runs": [{"variant": "default", "record": record}]}
    return method_report(report).runs[0]


@pytest.mark.parametrize(
    ("record", "stage", "outcome"),
    [
        ({"stage": "done"}, "execute", "ok"),
        ({"stage": "set_input", "error": "NotSupported"}, "set_input", "error"),
        ({"stage": "method_meta", "error": "InvalidProgram"}, "load_method", "error"),
        ({"stage": "list_methods", "signal": "SIGSEGV"}, "load_method", "crash"),
        ({"stage": "execute", "timed_out": True}, "execute", "timeout"),
        ({"stage": "execute", "exit_code": 0}, "execute", "crash"),
        ({"stage": "execute", "exit_code": 97}, "execute", "crash"),
        ({"stage": "execute"}, "execute", "crash"),
        ({"stage": "start", "signal": "SIGKILL"}, "load_program", "crash"),
        ({"skipped": True}, "load_program", "skipped"),
        # A crash after an error was noted is a crash.
        ({"stage": "execute", "error": "Internal", "signal": "SIGSEGV"}, "execute", "crash"),
    ],
)
def test_stage_and_outcome(record: dict[str, Any], stage: str, outcome: str) -> None:
    run = run_of(**record)
    assert (run.stage, run.outcome) == (stage, outcome)
    assert (run.error is None) == (outcome != "error")


def test_a_program_that_loads_is_at_load_program() -> None:
    load = program_load({"stage": "done", "num_methods": 2, "methods": ["a", None]})
    assert (load.stage, load.outcome, load.num_methods) == ("load_program", "ok", 2)
    assert load.methods == ("a", None)


def test_faults() -> None:
    device = {"address": "0x7f00", "address_in": "cuda:1", "offset": 512, "code": 2}
    assert run_of(stage="execute", signal="SIGSEGV", fault=device).fault == Fault(
        0x7F00, "cuda:1", 512
    )
    abort = {"address": None, "address_in": None, "code": -6}
    assert run_of(stage="execute", signal="SIGABRT", fault=abort).fault == Fault(None, None, None)


def output(**fields: Any) -> dict[str, Any]:
    tensor = {"kind": "tensor", "dtype": "Float", "sizes": [2], "tag": "cpu", "where": "host"}
    return tensor | fields


def argument(**fields: Any) -> dict[str, Any]:
    tensor = {"arg": 0, "kind": "tensor", "output": False, "tag": "cpu", "where": "host"}
    return tensor | fields


def call(*arguments: dict[str, Any]) -> dict[str, Any]:
    return {
        "backend": "B",
        "expects": "cpu",
        "instruction": 0,
        "args": list(arguments),
        "returned": "Ok",
    }


@pytest.mark.parametrize(
    ("record", "outcome", "remarks"),
    [
        ({"outputs": [output()]}, "ok", ()),
        ({"outputs": [output(where="null")]}, "undefined", ("pointer of output 0 is null",)),
        ({"outputs": [output(where="null", sizes=[0, 3])]}, "ok", ()),
        (
            {"outputs": [output(tag="cuda:0")]},
            "ok",
            ("output 0 is tagged cuda:0, lies in host",),
        ),
        ({"outputs": [output(tag="cuda:0", where="cuda:0")]}, "ok", ()),
        ({"outputs": [{"kind": "int", "value": 3}]}, "ok", ()),
        ({"delegate_calls": [call(argument())]}, "ok", ()),
        (
            {"delegate_calls": [call(argument(problem="tag", misplaced=False))] * 2},
            "ok",
            ("tag",),
        ),
        (
            {"delegate_calls": [call(argument(problem="wrong", misplaced=True))]},
            "undefined",
            ("wrong",),
        ),
    ],
)
def test_undefined_and_remarks(
    record: dict[str, Any], outcome: str, remarks: tuple[str, ...]
) -> None:
    run = run_of(stage="done", **record)
    assert (run.outcome, run.remarks) == (outcome, remarks)


def test_an_error_stays_an_error_whatever_was_misplaced() -> None:
    wrong = call(argument(problem="wrong", misplaced=True))
    assert run_of(stage="execute", error="Internal", delegate_calls=[wrong]).outcome == "error"


def test_the_name_comes_from_whichever_child_got_that_far() -> None:
    record = {"variant": "default", "record": {"stage": "done", "name": "forward"}}
    assert method_report({"index": 1, "runs": [record]}).name == "forward"
    assert method_report({"index": 1, "meta": {"name": "a"}, "runs": []}).name == "a"
    assert method_report({"index": 1, "runs": []}).name is None


@pytest.mark.parametrize("line", [None, b"", b"{", b"[]", b"1", b"\xff\xfe", b'{"a":1}x'])
def test_lines_that_are_no_object(line: bytes | None) -> None:
    assert read_json(line) is None


def test_a_line_that_is_one() -> None:
    assert read_json(b'{"a": 1}') == {"a": 1}
