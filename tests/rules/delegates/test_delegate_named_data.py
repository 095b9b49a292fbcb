from __future__ import annotations

import struct

import pytest
from pte_lint.schema.blob.facts import WantedData
from pte_lint.schema.loaded import read_program
from pte_lint.schema.program import NamedData, Program

from pte_lint.claims.finding import Severity
from pte_lint.claims.forecast import Outcome, Stage
from pte_lint.claims.need import NeedKind
from pte_lint.claims.profile import Profile
from pte_lint.claims.target import Target
from pte_lint.testing.containers import write_program
from pte_lint.testing.data_builder import build_data
from pte_lint.testing.edit import replaced
from pte_lint.testing.program_builder import build_program
from tests.fuzz.xnnpack_seeds import NO_ID, GraphBuilder, graph_program
from tests.support.examples import delegated
from tests.support.judging import judge, only, verdict
from tests.support.look import DATA

REAL = (DATA / "clean" / "mlp_xnnpack.pte").read_bytes()
LOADED = read_program(REAL)
AREA = REAL[LOADED.container.segment_base_offset :]
KEYS = [entry.key or "" for entry in (LOADED.program or Program()).named_data or ()]


def edited(path: str, value: object) -> bytes:
    return write_program(replaced(LOADED.program, path, value) or Program(), AREA)


@pytest.mark.parametrize(
    ("path", "value", "detail"),
    [
        ("named_data[1].key", "renamed", "NotFound"),
        ("named_data[1].segment_index", 99, "InvalidArgument"),
        ("named_data", lambda old: (NamedData(None, 0), *old), "InvalidArgument"),
        ("named_data", lambda old: old[:1], "NotFound"),
        ("named_data", None, "SIGSEGV"),
    ],
)
def test_what_xnnpack_does_not_get(path: str, value: object, detail: str) -> None:
    report = judge(edited(path, value), "PTE417")
    assert report.findings
    said = verdict(report)
    assert said.stage is Stage.LOAD_METHOD
    assert (said.error or said.signal) == detail


def test_the_key_is_named() -> None:
    report = judge(edited("named_data[1].key", "renamed"), "PTE417")
    assert only(report).message == (
        f"Delegate 0 (XnnpackBackend) asks for the weights {KEYS[1]}, which neither the program "
        "nor a data file has."
    )


def test_weights_of_too_few_bytes() -> None:
    report = judge(edited("segments[3].size", 8), "PTE417")
    assert only(report).message.endswith("which has 8 bytes; 64 are read.")
    assert verdict(report).outcome is Outcome.UNDEFINED


@pytest.mark.parametrize(
    ("held", "what", "stage"),
    [
        ([0.1, 0.2, 0.3], None, None),
        (
            [0.1, -0.0, 0.3],
            "one of which has the scale -0 (number 1), which is not finite",
            "error",
        ),
        (
            [0.1, 1e-40],
            "one of which has the scale 9.99995e-41 (number 1), which is not finite",
            "error",
        ),
        ([0.1, 0.2], "which has 8 bytes; 12 are read", "undefined"),
    ],
)
def test_scales(held: list[float], what: str | None, stage: str | None) -> None:
    """The one scale of three that is refused, or that is not there."""
    g = GraphBuilder()
    source, made = g.external(1, (2, 4)), g.external(2, (2, 3))
    packed = g.value((2, 4), 9)
    g.quantize(packed, 3, num_nonbatch_dims=1)
    weights = g.constant((3, 4), 6, bytes(12))
    g.places.append({"offset": (1 << 64) - 1, "size": 12, "named_key": "s"})
    g.quantize(weights, 1, scale_buffer_idx=2, channel_dim=0, num_scales=3)
    g.node("Convert", input_id=source, output_id=packed)
    g.node("FullyConnected", input1_id=packed, filter_id=weights, bias_id=NO_ID, output_id=made)
    content = {"s": struct.pack(f"<{len(held)}f", *held)}
    report = judge(graph_program(g, named_data=content), "PTE417")
    if what is None:
        assert report.findings == ()
        return
    finding = only(report)
    assert finding.message.startswith(f"Delegate 0 (XnnpackBackend) asks for the scales s, {what}")
    assert (verdict(report).stage, str(verdict(report).outcome)) == (Stage.LOAD_METHOD, stage)


def test_keys_that_may_be_in_a_data_file() -> None:
    program = replaced(LOADED.program, "named_data", None) or Program()
    program = replaced(program, "segments", (LOADED.program or Program()).segments[:2])  # type: ignore[index]
    report = judge(write_program(program, AREA), "PTE417")
    assert only(report).severity is Severity.WARNING
    assert only(report).message.startswith(
        "Delegate 0 (XnnpackBackend) needs a data file with 4 keys, and none is given: "
    )
    assert len(report.unchecked) == 1
    # Without the file there is no map to ask.
    assert str(only(report).runtime) == "load_method: crash SIGSEGV"
    assert verdict(report).outcome is Outcome.OK
    assert [(need.kind, need.what) for need in report.needs] == [
        (NeedKind.DATA, "a data file with 4 keys")
    ]


def test_what_a_key_is_asked_for_with() -> None:
    assert WantedData("a\0b", "weights").asked == "a"


def test_keys_in_a_data_file() -> None:
    program = edited("named_data[1].key", "renamed")
    data = {"w.ptd": build_data({KEYS[1]: bytes(64)}).bytes()}
    assert judge(program, "PTE417", data=data).findings == ()
    other = {"w.ptd": build_data({"other": bytes(64)}).bytes()}
    assert verdict(judge(program, "PTE417", data=other)).error == "NotFound"


def test_a_library_that_is_missing() -> None:
    content = build_program(
        delegated("CudaBackend", b"a_so_blob\na_weights_blob"), named_data={"b": b"x"}
    ).bytes()
    assert {f.severity for f in judge(content, "PTE417").findings} == {Severity.WARNING}
    target = Target(profile=Profile("cuda", "1.4", {}, ("CudaBackend",)), runtime="1.4")
    assert verdict(judge(content, "PTE417", target=target)).error == "Internal"


def test_everything_is_there() -> None:
    assert judge(REAL, "PTE417").findings == ()
    assert judge(edited("named_data", lambda old: old[::-1]), "PTE417").findings == ()


def test_no_bytes_for_a_quantised_weight() -> None:
    real = (DATA / "clean" / "quantized_xnnpack.pte").read_bytes()
    loaded = read_program(real)
    area = real[loaded.container.segment_base_offset :]
    program = replaced(loaded.program, "segments[2].size", 0) or Program()
    report = judge(write_program(program, area), "PTE417")
    assert (verdict(report).stage, verdict(report).error) == (Stage.LOAD_METHOD, "Internal")
