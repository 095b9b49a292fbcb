"""What the probe records of calls, and that nothing is believed that it does not write."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pte_lint.claims.target import Target
from pte_lint.data.reading import open_context
from pte_lint.files.artifact import open_artifact
from pte_lint.harness.options import ProbeOptions
from pte_lint.harness.recorded_runs import Recorder, went_through
from pte_lint.harness.recording import (
    Damaged,
    RecordedCall,
    RecordedTensor,
    RecordedValue,
    Recording,
    Scalar,
)
from pte_lint.questions.method import Method
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program

MAGIC = 0x31474E4944524F43


@pytest.fixture
def recording() -> Iterator[Recording]:
    with Recording(1 << 20) as made:
        yield made


def doubled(path: Path) -> Method:
    """x + 2 x, of eight elements, with a list in between."""
    b = MethodBuilder("forward")
    x, out, last = b.input((8,)), b.tensor((8,)), b.tensor((16,))
    b.kernel("aten::add.out", x, x, b.int_value(2), out, out)
    b.kernel("aten::cat.out", b.tensor_list([out, x]), b.int_value(0), last, last)
    b.output(last)
    path.write_bytes(build_program(b).bytes())
    with open_artifact(str(path), str(path)) as opened:
        return open_context(opened, Target(), (), {}).methods[0]


@pytest.mark.runtime
def test_calls_inputs_and_outputs(probe: object, recording: Recording, tmp_path: Path) -> None:
    path = tmp_path / "model.pte"
    method = doubled(path)
    recorder = Recorder(path, (), ProbeOptions(), recording)
    given = struct.pack("<8f", *range(8))
    assert went_through(recorder.run(method, {0: given}, {}, 0))
    values = [r for r in recording.records() if isinstance(r, RecordedValue)]
    calls = [r for r in recording.records() if isinstance(r, RecordedCall)]
    assert [(v.kind, v.index) for v in values] == [("input", 0), ("output", 0)]
    assert [(c.number, c.chain, c.instruction, c.operator) for c in calls] == [
        (0, 0, 0, "aten::add.out"),
        (1, 0, 1, "aten::cat.out"),
    ]
    x, again, alpha = calls[0].args
    assert isinstance(x, RecordedTensor)
    assert isinstance(again, RecordedTensor)
    assert (x.dtype, x.sizes, x.order, x.nbytes) == (6, (8,), (0,), 32)
    assert x.at == again.at  # bytes that are there already are not written again
    assert alpha == Scalar("int", 2)
    assert recording.content(x) == given
    tripled = struct.pack("<8f", *range(0, 24, 3))
    (listed, _), (joined,) = calls[1].args, calls[1].outs or ()
    assert isinstance(listed, tuple)
    assert isinstance(joined, RecordedTensor)
    assert [recording.content(t) for t in listed if isinstance(t, RecordedTensor)] == [
        tripled,
        given,
    ]
    assert recording.content(joined) == tripled + given
    assert recording.stopped_at is None


@pytest.mark.runtime
def test_what_finds_no_room_is_recorded_from_there(probe: object, tmp_path: Path) -> None:
    b = MethodBuilder("forward")
    value = b.input((1024,))
    for _ in range(6):
        out = b.tensor((1024,))
        b.kernel("aten::neg.out", value, out, out)
        value = out
    b.output(value)
    path = tmp_path / "model.pte"
    path.write_bytes(build_program(b).bytes())
    with open_artifact(str(path), str(path)) as opened:
        method = open_context(opened, Target(), (), {}).methods[0]
    seen: list[int] = []
    with Recording(16 << 10) as small:
        recorder = Recorder(path, (), ProbeOptions(), small)
        start: int | None = 0
        while start is not None:
            assert went_through(recorder.run(method, {}, {}, start))
            seen += [
                r.number
                for r in small.records()
                if isinstance(r, RecordedCall) and r.outs is not None
            ]
            assert small.stopped_at is None or small.stopped_at > start
            start = small.stopped_at
    assert seen == list(range(6))


def written(recording: Recording, *records: dict[str, Any] | bytes, first: int = 64) -> None:
    """Writes records one behind the other, as a child might."""
    memory = recording._memory
    memory[:8] = MAGIC.to_bytes(8, "little")
    memory[8:16] = first.to_bytes(8, "little")
    at = 64
    for n, record in enumerate(records):
        text = record if isinstance(record, bytes) else json.dumps(record).encode()
        following = 0 if n == len(records) - 1 else at + 16 + len(text)
        memory[at : at + 16] = struct.pack("<QQ", following, len(text))
        memory[at + 16 : at + 16 + len(text)] = text
        at += 16 + len(text)


def tensor(**changes: Any) -> dict[str, Any]:
    made = {"kind": "tensor", "dtype": 6, "sizes": [2], "order": [0], "at": 4096, "place": "7f"}
    return made | changes


def output(value: Any) -> dict[str, Any]:
    return {"record": "output", "index": 0, "chain": 0, "instruction": 0, "value": value}


def test_what_the_probe_writes_is_read(recording: Recording) -> None:
    written(recording, output(tensor()))
    (record,) = recording.records()
    assert record == RecordedValue("output", 0, 0, 0, RecordedTensor(6, (2,), (0,), 4096, "7f"))


def test_nothing_was_recorded(recording: Recording) -> None:
    assert list(recording.records()) == []


@pytest.mark.parametrize(
    "value",
    [
        tensor(at=-8),
        tensor(at=(1 << 20) - 4),
        tensor(at="0"),
        tensor(sizes=[-1]),
        tensor(sizes=[1 << 40, 1 << 40], order=[0, 1]),
        tensor(sizes=[1] * 17, order=list(range(17))),
        tensor(order=[1]),
        tensor(order=[]),
        tensor(dtype=None),
        tensor(place=3),
        {"kind": "tensors", "items": [{"kind": "tensors", "items": []}]},
        {"kind": "int", "value": 1 << 70},
        {"kind": "double", "value": "x"},
        {"kind": "ints", "items": 3},
        {},
        None,
        [],
    ],
)
def test_values_that_make_no_sense_are_damage(recording: Recording, value: Any) -> None:
    written(recording, output(value))
    with pytest.raises(Damaged):
        list(recording.records())


@pytest.mark.parametrize("first", [8, 40, (1 << 20) - 8, 1 << 60])
def test_records_elsewhere_are_damage(recording: Recording, first: int) -> None:
    written(recording, output(tensor()), first=first)
    with pytest.raises(Damaged):
        list(recording.records())


def test_a_circle_of_records_ends(recording: Recording) -> None:
    written(recording, output(tensor()), output(tensor()))
    recording._memory[64:72] = (64).to_bytes(8, "little")
    with pytest.raises(Damaged):
        list(recording.records())


def test_results_of_another_call_are_damage(recording: Recording) -> None:
    call = {"record": "call", "call": 0, "chain": 0, "instruction": 0, "operator": "x", "args": []}
    result = {"record": "result", "call": 1, "error": "Ok", "outs": []}
    written(recording, call, result)
    with pytest.raises(Damaged):
        list(recording.records())
    written(recording, call, b"[" * 5000)
    with pytest.raises(Damaged):
        list(recording.records())
