"""From the probe's JSON to the types of `pte_lint.harness.outcome`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from pte_lint.harness.errors import HarnessUnavailable
from pte_lint.harness.options import ProbeOptions
from pte_lint.harness.outcome import (
    Allocation,
    Arena,
    ArgumentFact,
    Copied,
    CopyFact,
    DelegateCall,
    DeviceMemory,
    Fault,
    Fence,
    Given,
    InstructionRef,
    MethodMeta,
    MethodReport,
    MethodRun,
    Outcome,
    ProbeRun,
    ProgramLoad,
    Slot,
    Stage,
    TensorFacts,
    Verification,
)
from pte_lint.harness.wellformed import is_wellformed
from pte_lint.harness.wheel import Wheel

Record = Mapping[str, Any]

_MOST_LAYERS = 20

_NAME = re.compile(r"[\w()+-]{1,60}", re.ASCII)

#: The probe's stages in the design's words. Listing methods and reading metadata is what an
#: application does when it loads a method.
_STAGES: dict[str, Stage] = {
    "start": "load_program",
    "load_program": "load_program",
    "list_methods": "load_method",
    "method_meta": "load_method",
    "load_method": "load_method",
    "set_output": "set_output",
    "set_input": "set_input",
    "execute": "execute",
    "get_output": "get_output",
    "done": "execute",
}


_FAILED = re.compile(r"^E method\.cpp:\d+ KernelCall failed at instruction (\d{1,9}):(\d{1,9}) ")

LACKING = ("pte-lint: this release takes ", "symbol lookup error: ")
"""What a child says that ends because an older release wants more of PyTorch than there is."""


def require_libraries(record: Mapping[str, Any]) -> None:
    """Makes sure that a child has loaded the libraries that it was given.

    Raises:
        HarnessUnavailable: It could not.
    """
    if "library_error" in record:
        raise HarnessUnavailable(
            f"A library could not be loaded: {record['library_error']}.",
            "Link it to nothing that the runtime brings itself, and build it against the headers "
            "of the installed executorch.",
        )


def step_fields(record: Record) -> dict[str, Any]:
    """The fields of `Step` from a record, as keyword arguments."""
    outcome: Outcome = "ok"
    if record.get("skipped"):
        outcome = "skipped"
    elif record.get("timed_out"):
        outcome = "timeout"
    elif "exit_code" in record and any(w in record.get("console", "") for w in LACKING):
        outcome = "skipped"
    elif "signal" in record or "exit_code" in record:
        outcome = "crash"
    elif "error" in record:
        outcome = "error"
    elif record.get("stage") != "done":
        outcome = "crash"  # it left in the middle with exit code 0
    fault = record.get("fault")
    return {
        "stage": _STAGES.get(str(record.get("stage", "start")), "load_program"),
        "outcome": outcome,
        "error": _name(record.get("error")) if outcome == "error" else None,
        "signal": _name(record.get("signal")),
        "exit_code": record.get("exit_code"),
        "fault": _fault(fault) if fault is not None else None,
        "logs": tuple(record.get("logs", ())),
        "console": record.get("console", ""),
        "seconds": float(record.get("seconds", 0.0)),
        "damaged": record.get("damaged", False),
    }


def _name(value: object) -> str | None:
    """A name of the runtime's or the system's.

    Raises:
        ValueError: It is none.
    """
    if value is None or (isinstance(value, str) and _NAME.fullmatch(value)):
        return value
    raise ValueError("no name")


def _fault(record: Record) -> Fault:
    address = record["address"]
    return Fault(
        int(address, 16) if address is not None else None,
        record["address_in"],
        record.get("offset"),
    )


def read_json(line: bytes | None) -> dict[str, Any] | None:
    """One JSON object from a line of the probe, ``None`` if it is anything else."""
    try:
        record = json.loads(line or b"")
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def probe_run(
    path: str,
    line: bytes | None,
    console: str,
    options: ProbeOptions,
    memory: DeviceMemory,
    *,
    wheel: Wheel,
) -> ProbeRun:
    """Everything about one program, from the probe's line or the lack of one."""
    verification: Verification = "minimal" if options.verification == "minimal" else "full"
    record = read_json(line)
    # The probe itself, not a child of it, is gone or beside itself: nothing is known.
    words = console or "the probe gave no report"
    if record is not None:
        words = "the report makes no sense: a child wrote into it what no child writes"
    nothing = ProbeRun(
        path=path,
        runtime_version=wheel.version,
        as_runtime=options.as_runtime or ".".join(wheel.version.split(".")[:2]),
        verification=verification,
        device_memory=memory,
        program=ProgramLoad("load_program", "skipped", console=words, damaged=record is not None),
        program_full=None,
        methods=(),
    )
    if record is None:
        return nothing
    if options.libraries and isinstance(record.get("program"), dict):
        require_libraries(record["program"])
    try:
        run = replace(
            nothing,
            verification=record["verification"],
            program=program_load(record["program"]),
            program_full=program_load(record["program_full"]) if "program_full" in record else None,
            methods=tuple(method_report(method) for method in record["methods"]),
            fence=fence_of(record),
        )
    except (AttributeError, IndexError, KeyError, OverflowError, TypeError, ValueError):
        return nothing
    return run if is_wellformed(run) else nothing


def fence_of(record: Record) -> Fence:
    """What held the children, from a program's record."""
    program = record["program"]
    missing = (*record.get("fence_missing", ()), *program.get("fence_missing", ()))
    return Fence(program.get("fence_broken"), tuple(dict.fromkeys(missing))[:_MOST_LAYERS])


def program_load(record: Record) -> ProgramLoad:
    """How loading the program went."""
    step = step_fields(record)
    if step["outcome"] == "ok":
        step["stage"] = "load_program"
    return ProgramLoad(
        **step,
        num_methods=record.get("num_methods", 0),
        methods=tuple(record.get("methods", ())),
    )


def method_report(record: Record) -> MethodReport:
    """One method with its metadata and its runs."""
    meta = record.get("meta")
    runs = tuple(_method_run(run["variant"], run["record"]) for run in record["runs"])
    names = [meta] if meta is not None else []
    names += [run["record"] for run in record["runs"]]
    name = next((found["name"] for found in names if "name" in found), None)
    return MethodReport(record["index"], name, _meta(meta) if meta is not None else None, runs)


def _meta(record: Record) -> MethodMeta:
    return MethodMeta(
        **step_fields(record),
        arenas=tuple(
            Arena(arena["memory_id"], arena["bytes"], arena.get("device"))
            for arena in record.get("arenas", ())
        ),
        inputs=tuple(_slot(slot) for slot in record.get("inputs", ())),
        outputs=tuple(_slot(slot) for slot in record.get("outputs", ())),
        num_instructions=record.get("num_instructions", 0),
        backends=tuple(record.get("backends", ())),
    )


def _slot(record: Record) -> Slot:
    return Slot(
        record.get("kind"),
        record.get("dtype"),
        tuple(record.get("sizes", ())),
        tuple(record.get("dim_order", ())),
        record.get("nbytes"),
        record.get("planned"),
        record.get("error"),
    )


def _method_run(variant: str, record: Record) -> MethodRun:
    step = step_fields(record)
    calls = tuple(_delegate_call(call) for call in record.get("delegate_calls", ()))
    outputs = tuple(tensor_facts(output) for output in record.get("outputs", ()))
    remarks = _remarks(record, calls, outputs)
    if step["outcome"] == "ok" and _misplaced(calls):
        step["outcome"] = "undefined"
    elif step["outcome"] == "ok" and any(map(_lost, outputs)):
        step["outcome"], step["stage"] = "undefined", "get_output"
    instruction = record.get("instruction")
    at = InstructionRef(instruction["chain"], instruction["index"]) if instruction else None
    return MethodRun(
        **step,
        variant=variant,
        input=record.get("input"),
        instruction=at if at is not None else _told_instruction(step),
        instructions=record.get("instructions_started", 0),
        standins=tuple(standin["backend"] for standin in record.get("standins", ())),
        allocations=tuple(_allocation(entry) for entry in record.get("device_allocations", ())),
        inputs_given=tuple(_given(entry, "input") for entry in record.get("inputs_given", ())),
        outputs_given=tuple(_given(entry, "output") for entry in record.get("outputs_given", ())),
        copies=tuple(_copy(entry) for entry in record.get("copies", ())),
        copied=Copied(**record.get("copied", {})),
        delegate_calls=calls,
        outputs=outputs,
        outputs_second_run=tuple(tensor_facts(o) for o in record.get("outputs_second_run", ())),
        visited=tuple((r[0], r[1], r[2]) for r in record.get("visited", ())),
        turned_back=tuple((r[0], r[1]) for r in record.get("turned_back", ())),
        allocators=_allocators(record),
        remarks=remarks,
    )


def _told_instruction(step: Record) -> InstructionRef | None:
    """The kernel call that the runtime says has failed; nothing follows calls in older releases.

    Their wheels are built without the hooks of the event tracer (Method::execute_instruction).
    """
    if (step["stage"], step["outcome"]) != ("execute", "error"):
        return None
    found = (_FAILED.search(line) for line in reversed(step["logs"]))
    match = next((each for each in found if each is not None), None)
    return InstructionRef(int(match[1]), int(match[2])) if match is not None else None


def _allocators(record: Record) -> tuple[int, int] | None:
    method, temporary = record.get("method_allocator"), record.get("temporary_allocator")
    return None if method is None or temporary is None else (method, temporary)


def _misplaced(calls: tuple[DelegateCall, ...]) -> bool:
    # A tensor without elements has no bytes that could be in the wrong place.
    return any(each.misplaced and each.nbytes != 0 for call in calls for each in call.args)


def _lost(output: TensorFacts) -> bool:
    return output.kind == "tensor" and output.where == "null" and 0 not in output.sizes


def _remarks(
    record: Record, calls: tuple[DelegateCall, ...], outputs: tuple[TensorFacts, ...]
) -> tuple[str, ...]:
    """Every problem once, in order of its first appearance."""
    found = [str(a["problem"]) for a in record.get("device_allocations", ()) if "problem" in a]
    found += [str(c["problem"]) for c in record.get("copies", ()) if "problem" in c]
    found += [a.problem for call in calls for a in call.args if a.problem is not None]
    for index, output in enumerate(outputs):
        if _lost(output):
            found.append(f"pointer of output {index} is null")
        elif output.kind == "tensor" and output.where is not None and output.tag is not None:
            claimed = "host" if output.tag.startswith("cpu") else output.tag
            if output.where not in {"null", claimed}:
                found.append(f"output {index} is tagged {output.tag}, lies in {output.where}")
    return tuple(dict.fromkeys(found))


def tensor_facts(record: Record) -> TensorFacts:
    """A value, from the record that the probe makes of one."""
    return TensorFacts(
        record["kind"],
        record.get("dtype"),
        tuple(record.get("sizes", ())),
        record.get("tag") if record["kind"] == "tensor" else None,
        record.get("where"),
        record.get("digest"),
        tuple(record.get("head", ())),
        record.get("value"),
    )


def _given(record: Record, key: str) -> Given:
    return Given(record[key], record["given"], record.get("tag"), record.get("planned"))


def _copy(record: Record) -> CopyFact:
    return CopyFact(
        cast(Any, record["op"]),
        record["bytes"],
        record["src"],
        record["dst"],
        record["index"],
        record["instruction"],
        record["error"],
        record["digest"],
        record.get("problem"),
    )


def _allocation(record: Record) -> Allocation:
    return Allocation(
        record["bytes"],
        record["index"],
        record.get("on", "nowhere"),
        record["error"],
        record.get("problem"),
    )


def _delegate_call(record: Record) -> DelegateCall:
    return DelegateCall(
        record["backend"],
        record["expects"],
        record["instruction"],
        tuple(_argument(argument) for argument in record["args"]),
        record["returned"],
        record.get("compute"),
    )


def _argument(record: Record) -> ArgumentFact:
    return ArgumentFact(
        record["arg"],
        record["kind"],
        record["output"],
        record.get("tag"),
        record.get("where"),
        record.get("nbytes"),
        record.get("digest"),
        record.get("problem"),
        record.get("misplaced", False),
    )
