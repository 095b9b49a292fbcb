"""`confirm --reference` of delegates: what XNNPACK gives beside what its graph computes."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from pte_lint.claims.target import Target
from pte_lint.cli.app import app
from pte_lint.data.reading import open_context
from pte_lint.files.artifact import open_artifact
from pte_lint.harness.options import ProbeOptions
from pte_lint.harness.recorded_runs import Recorder, went_through
from pte_lint.harness.recording import (
    Damaged,
    RecordedCall,
    RecordedDelegate,
    RecordedTensor,
    RecordedValue,
    Recording,
)
from pte_lint.harness.reference.delegates import Delegates, overlaps
from tests.support.look import DATA

CLEAN = DATA / "clean"
GRAPHS = sorted(
    path
    for path in CLEAN.glob("*.pte")
    if "xnnpack" in path.name or path.stem in ("inline_delegate", "shared_named_data")
)

needs_torch = pytest.mark.skipif(find_spec("torch") is None, reason="needs PyTorch")


def confirm(*words: object) -> Result:
    return CliRunner().invoke(app, ["confirm", "--reference", *map(str, words)])


@needs_torch
@pytest.mark.runtime
def test_what_delegates_give_is_what_their_graphs_compute(probe: object) -> None:
    result = confirm("--format", "json", *GRAPHS)
    assert result.exit_code == 0, result.output
    told = {}
    for artifact in json.loads(result.output)["artifacts"]:
        for verdict in artifact["verdict"]:
            found = verdict["confirmation"]["evidence"]["reference"]
            assert (found["wrong_calls"], found["not_compared"], found["failed"]) == ([], {}, {})
            told[Path(artifact["path"]).stem, verdict["method"]] = found["calls_compared"]
    assert told == {
        ("convnet_xnnpack", "forward"): 4,
        ("dynamic_batch_xnnpack", "forward"): 8,
        ("inline_delegate", "forward"): 4,
        ("mixed_xnnpack", "forward"): 12,
        ("mlp_xnnpack", "forward"): 4,
        ("quantized_xnnpack", "forward"): 4,
        ("shared_named_data", "one"): 4,
        ("shared_named_data", "three"): 4,
        ("xnnpack_4_bits", "forward"): 4,
        ("xnnpack_8_bits", "forward"): 4,
        ("xnnpack_attention", "forward"): 4,
        ("xnnpack_dynamic_8_bits", "forward"): 4,
        ("xnnpack_halves", "forward"): 8,
        ("xnnpack_images", "forward"): 12,
    }


@needs_torch
@pytest.mark.runtime
def test_a_delegate_that_is_off_is_told(probe: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """The graph that is computed has another weight than the one that runs."""
    made = Delegates.request

    def changed(self: Delegates, *asked: Any) -> Mapping[str, Any] | str:
        told = made(self, *asked)
        assert not isinstance(told, str)
        (first, *_) = sorted(told["named"].values())
        with Path(told["file"]).open("r+b") as file:
            file.seek(first[0])
            file.write(struct.pack("<f", 8.0))
        return told

    monkeypatch.setattr(Delegates, "request", changed)
    result = confirm(CLEAN / "mlp_xnnpack.pte", "--format", "json")
    assert result.exit_code == 1, result.output
    (verdict,) = json.loads(result.output)["artifacts"][0]["verdict"]
    assert verdict["confirmation"]["status"] == "refuted"
    assert verdict["confirmation"]["evidence"]["reason"] == (
        "the run went through, but instruction 0 (XnnpackBackend) is wrong"
    )
    told = verdict["confirmation"]["evidence"]["reference"]
    assert (told["calls_compared"], told["not_compared"]) == (4, {})
    (wrong,) = told["wrong_calls"]
    assert wrong["reason"].startswith("its result is not what its graph computes: off by ")
    assert (wrong["operator"], wrong["inputs"], wrong["output"]) == ("XnnpackBackend", "ones", 0)
    assert wrong["max_absolute"] > 0.01
    assert wrong["max_relative"] > 0.01
    assert wrong["elements"] == 8
    text = " ".join(confirm(CLEAN / "mlp_xnnpack.pte").output.split())
    assert "first wrong call: instruction 0 (XnnpackBackend), given ones: its result is not" in text


@pytest.mark.runtime
def test_other_delegates_are_said_not_to_be_compared(probe: object) -> None:
    if find_spec("torch") is None:
        pytest.skip("needs PyTorch")
    result = confirm(DATA / "device" / "add_default.pte", "--format", "json")
    (verdict,) = json.loads(result.output)["artifacts"][0]["verdict"]
    told = verdict["confirmation"]["evidence"]["reference"]["not_compared"]
    assert told == {
        "BackendWithCompilerDemo": "the runtime lacks the backend: a stand-in ran in its place"
    }


@pytest.mark.runtime
def test_delegate_calls_are_recorded_in_order(probe: object) -> None:
    path = CLEAN / "mixed_xnnpack.pte"
    with open_artifact(str(path), str(path)) as opened, Recording() as recording:
        method = open_context(opened, Target(), (), {}).methods[0]
        recorder = Recorder(path, (), ProbeOptions(), recording)
        x = struct.pack("<16f", *range(16))
        assert went_through(recorder.run(method, {0: x}, {}, 0))
        calls = [r for r in recording.records() if not isinstance(r, RecordedValue)]
        assert [(type(c).__name__, c.number, c.chain, c.instruction) for c in calls] == [
            ("RecordedDelegate", 0, 0, 0),
            ("RecordedCall", 1, 0, 1),
            ("RecordedDelegate", 2, 0, 2),
        ]
        first, second = calls[0], calls[1]
        assert isinstance(first, RecordedDelegate)
        assert isinstance(second, RecordedCall)
        given, made = first.args
        assert isinstance(given, RecordedTensor)
        assert isinstance(made, RecordedTensor)
        assert (given.sizes, made.sizes) == ((2, 8), (2, 8))
        assert recording.content(given) == x
        assert second.args[0] == made  # what it wrote is what the next call reads
        assert went_through(recorder.run(method, {}, {}, 2))
        later = [r for r in recording.records() if not isinstance(r, RecordedValue)]
        assert [c.number for c in later] == [2]


@pytest.mark.runtime
def test_a_delegate_that_finds_no_room_is_recorded_from_there(probe: object) -> None:
    path = CLEAN / "mixed_xnnpack.pte"
    with open_artifact(str(path), str(path)) as opened, Recording(1280) as small:
        method = open_context(opened, Target(), (), {}).methods[0]
        recorder = Recorder(path, (), ProbeOptions(), small)
        assert went_through(recorder.run(method, {}, {}, 0))
        whole = [r.number for r in small.records() if not isinstance(r, RecordedValue)]
        start = small.stopped_at
        assert start is not None
        assert whole == list(range(start))
        seen = set(whole)
        while start is not None:
            assert went_through(recorder.run(method, {}, {}, start))
            seen |= {r.number for r in small.records() if not isinstance(r, RecordedValue)}
            start = small.stopped_at
        assert seen == {0, 1, 2}


def test_what_pytorch_is_told_of_a_delegate(tmp_path: Path) -> None:
    path = CLEAN / "mlp_xnnpack.pte"
    with open_artifact(str(path), str(path)) as opened:
        context = open_context(opened, Target(), (), {})
        method, (blob,) = context.methods[0], context.blobs[0]
        (step,) = method.delegate_calls()
        told = Delegates(context, tmp_path).request(method, step)
        assert not isinstance(told, str)
        written = Path(told["file"]).read_bytes()
        assert told["size"] == blob.span.size
        assert written[: blob.span.size] == opened.buffer[blob.span.start :][: blob.span.size]
        assert sorted(told["named"]) == sorted(blob.facts.named_keys)
        sizes = {want.key: want.size for want in blob.facts.wants}
        assert {key: size for key, (_, size) in told["named"].items()} == sizes
        assert sum(sizes.values()) + told["size"] == len(written)


def test_results_over_arguments_are_not_compared() -> None:
    path = CLEAN / "mlp_xnnpack.pte"
    with open_artifact(str(path), str(path)) as opened:
        (step,) = open_context(opened, Target(), (), {}).methods[0].delegate_calls()

    def call(place: str) -> RecordedDelegate:
        given = RecordedTensor(6, (2, 8), (0, 1), 64, "1000")
        return RecordedDelegate(0, 0, 0, (given, RecordedTensor(6, (2, 4), (0, 1), 128, place)))

    assert [overlaps(step, call(place)) for place in ("1040", "103c", "fe0", "fe1")] == [
        False,
        True,
        False,
        True,
    ]
    with pytest.raises(Damaged):
        overlaps(step, call("nowhere"))
