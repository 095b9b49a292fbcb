"""Calls of several methods on one module, as an application makes them, and what came of them.

A session ends with the first call that fails: the child that makes it ends there, as a runner's
generation does.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pte_lint.harness.driver import ask_probe
from pte_lint.harness.fence import require_fence
from pte_lint.harness.options import ProbeOptions
from pte_lint.harness.outcome import Step, TensorFacts
from pte_lint.harness.parse import fence_of, read_json, require_libraries, step_fields, tensor_facts
from pte_lint.harness.wellformed import is_wellformed
from pte_lint.schema.frozen import dataclass


@dataclass(frozen=True, slots=True)
class HostTensor:
    """An input with contents of its own.

    Attributes:
        dtype: Its scalar type's code.
        sizes: Its sizes.
        data: Its bytes, row-major; repeated from the start where it has more.
    """

    dtype: int
    sizes: tuple[int, ...]
    data: bytes


@dataclass(frozen=True, slots=True)
class EarlierOutput:
    """An output of a call before, handed on as it is; -1 is the call right before."""

    call: int
    output: int = 0


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a method; `name` is what reports call it."""

    name: str
    method: str
    inputs: tuple[HostTensor | EarlierOutput, ...] = ()


Session = tuple[Call, ...]


@dataclass(frozen=True, slots=True)
class Output:
    """What a call returned at one position, and how many of its elements are not finite."""

    value: TensorFacts
    not_finite: int = 0


@dataclass(frozen=True, slots=True)
class SessionRun(Step):
    """What came of a session.

    Attributes:
        results: The outputs of the calls that went through, in order.
        input: Input that was being set when it ended, if one was.
    """

    results: tuple[tuple[Output, ...], ...] = ()
    input: int | None = None


def run_sessions(
    path: str | os.PathLike[str],
    sessions: Sequence[Session],
    *,
    data: Sequence[str | os.PathLike[str]] = (),
    options: ProbeOptions,
) -> tuple[SessionRun, ...]:
    """Makes each session in a child of its own, fenced like any run.

    Raises:
        HarnessUnavailable: The runtime, the compiler or the device asked for is missing, or the
            fence cannot be raised.
        FileNotFoundError: A file does not exist.
    """
    asked = ask_probe(path, data=data, options=options, file_words=list(_words(sessions)))
    record = read_json(asked.line)
    lost = tuple(_nothing(asked.console or "the probe gave no report") for _ in sessions)
    if record is None:
        return lost
    try:
        if options.libraries:
            require_libraries(record["program"])
        fence = fence_of(record)
        runs = tuple(_run(each) for each in record["sessions"])
    except (AttributeError, IndexError, KeyError, OverflowError, TypeError, ValueError):
        return lost
    require_fence(fence, unfenced=options.unfenced)
    if len(runs) != len(sessions) or not all(map(is_wellformed, runs)):
        return lost
    return tuple(
        run if len(run.results) <= len(session) else _nothing("more results than calls")
        for run, session in zip(runs, sessions, strict=True)
    )


def _nothing(why: str) -> SessionRun:
    return SessionRun("load_program", "skipped", console=why)


def _words(sessions: Sequence[Session]) -> Iterator[str]:
    for session in sessions:
        yield "--session="
        for number, call in enumerate(session):
            yield f"--call={call.method}"
            for given in call.inputs:
                if isinstance(given, EarlierOutput):
                    source = given.call if given.call >= 0 else number + given.call
                    yield f"--call-output={source}:{given.output}"
                else:
                    sizes = ",".join(map(str, given.sizes))
                    yield f"--call-tensor={given.dtype}:{sizes}:{given.data.hex()}"


def _run(record: Mapping[str, Any]) -> SessionRun:
    results = tuple(
        tuple(Output(tensor_facts(each), each.get("not_finite", 0)) for each in result["outputs"])
        for result in record.get("results", ())
    )
    return SessionRun(**step_fields(record), results=results, input=record.get("input"))
