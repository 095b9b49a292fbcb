"""`confirm --expect`: given inputs, expected outputs, and what became of them."""

from __future__ import annotations

import json
import shutil
import struct
import zipfile
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from pte_lint.cli.app import app
from pte_lint.harness.expected.cases import NotUnderstood
from pte_lint.harness.expected.npz import read_npy, read_npz
from pte_lint.harness.reference import pytorch
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.data_builder import DataTensor, build_bundle
from pte_lint.testing.program_builder import build_program
from tests.support.look import DATA

CHANNELS_LAST = (0, 2, 3, 1)


def npy(code: str, sizes: tuple[int, ...], data: bytes, fortran: bool = False) -> bytes:
    head = f"{{'descr': '{code}', 'fortran_order': {fortran}, 'shape': {sizes}, }}".encode()
    head += b" " * (-(len(head) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + data


def floats(*values: float) -> bytes:
    return struct.pack(f"<{len(values)}f", *values)


def npz(path: Path, **arrays: bytes) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in arrays.items():
            archive.writestr(f"{name}.npy", content)
    return path


@pytest.fixture
def negated(tmp_path: Path, probe: object) -> Path:
    """A program that negates a channels-last image of (1, 2, 1, 3), and returns a number too."""
    b = MethodBuilder("forward")
    sizes = (1, 2, 1, 3)
    x, scale = b.input(sizes, dim_order=CHANNELS_LAST), b.int_value(4)
    b.takes(scale)
    out = b.tensor(sizes, dim_order=CHANNELS_LAST)
    b.kernel("aten::neg.out", x, out, out)
    b.output(out, scale)
    path = tmp_path / "negated.pte"
    path.write_bytes(build_program(b).bytes())
    return path


def confirm(*words: object) -> Result:
    return CliRunner().invoke(app, ["confirm", *map(str, words)])


def told(result: Result) -> dict[str, Any]:
    verdict = json.loads(result.output)["artifacts"][0]["verdict"][0]
    confirmation: dict[str, Any] = verdict["confirmation"]
    return confirmation


IMAGE = npy("<f4", (1, 2, 1, 3), floats(1, 2, 3, 4, 5, 6))
NEGATIVE = npy("<f4", (1, 2, 1, 3), floats(-1, -2, -3, -4, -5, -6))
FOUR = npy("<i8", (), struct.pack("<q", 4))


@pytest.mark.runtime
def test_what_is_met_is_said(negated: Path, tmp_path: Path) -> None:
    cases = npz(tmp_path / "a.npz", input_0=IMAGE, input_1=FOUR, output_0=NEGATIVE, output_1=FOUR)
    result = confirm(negated, "--expect", cases)
    assert result.exit_code == 0, result.output
    assert "    a.npz: 2 outputs are as expected\n" in result.output


@pytest.mark.runtime
def test_the_first_element_that_is_off_refutes(negated: Path, tmp_path: Path) -> None:
    wrong = npy("<f4", (1, 2, 1, 3), floats(-1, -2, -3, -4, -5.5, -8))
    cases = npz(tmp_path / "a.npz", **{"forward.input_0": IMAGE, "forward.output_0": wrong})
    result = confirm(negated, "--expect", cases, "--format", "json")
    assert result.exit_code == 1, result.output
    assert told(result)["status"] == "refuted"
    assert told(result)["evidence"]["reason"] == "the outputs are not those expected of a.npz"
    assert told(result)["evidence"]["expected"] == [
        {
            "case": "a.npz",
            "status": "differs",
            "reason": "output 0 is off by 2 (0.25 of the largest) in 2 of 6 elements,"
            " first at [0, 1, 0, 1]: -5 for -5.5",
            "outputs_compared": 1,
            "output": 0,
            "element": [0, 1, 0, 1],
            "got": -5.0,
            "expected": -5.5,
            "max_absolute": 2.0,
            "max_relative": 0.25,
            "elements_different": 2,
            "elements": 6,
        }
    ]
    loose = confirm(negated, "--expect", cases, "--tolerance", "0.3")
    assert loose.exit_code == 0, loose.output


@pytest.mark.runtime
@pytest.mark.parametrize(
    ("arrays", "reason"),
    [
        (
            {"input_0": npy("<f8", (1, 2, 1, 3), bytes(48))},
            "input 0 is float64; the method takes float32",
        ),
        (
            {"input_0": npy("<f4", (2, 3), bytes(24))},
            "input 0 is float32[2, 3]; the method takes [1, 2, 1, 3]",
        ),
        (
            {"input_0": npy("<f4", (1, 2, 2, 3), bytes(48))},
            "the run ended with error NotSupported in set_input",
        ),
        (
            {"input_1": npy("<i8", (), struct.pack("<q", 5))},
            "input 1 is 5; the method was exported for 4",
        ),
        ({"input_7": FOUR}, "the method has no input 7"),
        ({"output_1": npy("<f8", (), bytes(8))}, "output 1 is int; float64[] is expected"),
        ({"output_9": FOUR}, "output 9 is none of the method's"),
        (
            {"output_0": npy("<f4", (1, 2, 1, 2), bytes(16))},
            "output 0 is float32[1, 2, 1, 3]; float32[1, 2, 1, 2] is expected",
        ),
        ({"back.output_0": FOUR}, "there is no method back"),
    ],
)
def test_what_cannot_be_compared_fails_and_refutes_nothing(
    negated: Path, tmp_path: Path, arrays: dict[str, bytes], reason: str
) -> None:
    named = arrays if any("output" in name for name in arrays) else {**arrays, "output_1": FOUR}
    result = confirm(negated, "--expect", npz(tmp_path / "a.npz", **named), "--format", "json")
    assert result.exit_code == 1, result.output
    assert told(result)["status"] == "confirmed"
    (case,) = told(result)["evidence"]["expected"]
    assert (case["status"], case["reason"]) == ("failed", reason)


@pytest.mark.runtime
def test_the_cases_of_a_bundle_are_run(probe: object, tmp_path: Path) -> None:
    path = tmp_path / "bundle.bpte"
    shutil.copy(DATA / "clean" / "bundled_linear.bpte", path)
    result = confirm(path)
    assert result.exit_code == 0, result.output
    assert "    test case 0 of forward: 1 output is as expected\n" in result.output
    assert "    test case 1 of forward: 1 output is as expected\n" in result.output


GOOD, SHORT = DataTensor([1, 2, 3, 4], (4,)), DataTensor([1, 2, 3], (3,))


@pytest.mark.runtime
@pytest.mark.parametrize(
    ("case", "where", "reason"),
    [
        (([SHORT], [GOOD]), "inputs[0]", "the run ended with error NotSupported in set_input"),
        (
            ([GOOD], [SHORT]),
            "expected_outputs[0]",
            "output 0 is float32[4]; float32[3] is expected",
        ),
    ],
)
def test_what_a_case_and_its_program_disagree_on_is_confirmed_and_told(
    probe: object, tmp_path: Path, case: Any, where: str, reason: str
) -> None:
    b = MethodBuilder("forward")
    x, y = b.input((4,)), b.tensor((4,))
    b.kernel("aten::relu.out", x, y, y)
    b.output(y)
    path = tmp_path / "bundle.bpte"
    good = ([GOOD], [GOOD])
    path.write_bytes(build_bundle(build_program(b).bytes(), {"forward": [good, case]}).bytes())
    result = confirm(path)
    assert result.exit_code == 1
    text = " ".join(result.output.split())
    place = f"method_test_suites[0].test_cases[1].{where}"
    assert f"at {place} confirmed: test case 1 of forward: {reason}" in text
    assert "verdict: forward: runs confirmed: the run went through" in text
    assert text.endswith("Outputs are not those expected in 1 case.")


def test_arrays_of_other_orders_are_put_in_order() -> None:
    big = read_npy(npy(">i2", (2,), b"\x01\x00\x02\x00"), "a")
    assert big.data == struct.pack("<2h", 256, 512)
    fortran = read_npy(npy("<i2", (2, 2), struct.pack("<4h", 1, 3, 2, 4), fortran=True), "a")
    assert fortran.data == struct.pack("<4h", 1, 2, 3, 4)
    assert read_npy(npy("|V2", (1,), b"\x80\x3f"), "a").dtype == "bfloat16"


@pytest.mark.parametrize(
    "content",
    [b"", b"\x93NUMPY", npy("<f4", (4,), bytes(8)), npy("|O8", (1,), bytes(8)),
     npy("<f4", ("x",), b""), b"\x93NUMPY\x01\x00\x04\x00{{{{"],  # type: ignore[arg-type]
    ids=["empty", "magic", "short", "objects", "sizes", "header"],
)  # fmt: skip
def test_what_is_no_array_is_refused(content: bytes) -> None:
    with pytest.raises(NotUnderstood):
        read_npy(content, "input_0")


def test_files_that_are_no_cases_are_told(tmp_path: Path) -> None:
    not_zip = tmp_path / "a.npz"
    not_zip.write_bytes(b"no archive")
    for path, words in (
        (not_zip, "a.npz is no .npz file: File is not a zip file"),
        (npz(tmp_path / "b.npz", x=FOUR), "they are named input_0, output_0, or METHOD.input_0"),
        (npz(tmp_path / "c.npz", input_0=FOUR), "c.npz has no output to compare with (output_0)"),
    ):
        with pytest.raises(NotUnderstood) as caught:
            read_npz(path)
        assert words in str(caught.value)
        result = confirm(DATA / "clean" / "linear.pte", "--expect", path)
        assert result.exit_code == 2
        assert words in result.output.replace("\n", " ")


@pytest.mark.runtime
@pytest.mark.skipif(find_spec("torch") is None, reason="needs PyTorch")
def test_what_torch_saved(negated: Path, tmp_path: Path) -> None:
    torch = import_module("torch")
    image = torch.arange(1.0, 7.0).reshape(1, 2, 1, 3).to(memory_format=torch.channels_last)
    right, wrong, no_case = (tmp_path / f"{name}.pt" for name in ("right", "wrong", "none"))
    torch.save({"inputs": [image, 4], "outputs": [-image, 4], "method": "forward"}, right)
    torch.save(((image,), (image,)), wrong)
    torch.save([1, 2, 3], no_case)
    met = confirm(negated, "--expect", right)
    assert met.exit_code == 0, met.output
    assert "right.pt: 2 outputs are as expected" in met.output
    off = confirm(negated, "--expect", wrong, "--format", "json")
    assert off.exit_code == 1, off.output
    assert told(off)["evidence"]["expected"][0]["elements_different"] == 6
    refused = confirm(negated, "--expect", no_case)
    assert refused.exit_code == 2
    assert "neither a dictionary nor a pair" in refused.output.replace("\n", " ")


def test_a_pt_file_without_pytorch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pytorch, "find_spec", lambda name: None)
    cases = tmp_path / "a.pt"
    cases.write_bytes(b"")
    result = confirm(DATA / "clean" / "linear.pte", "--expect", cases)
    assert result.exit_code == 2
    assert 'pip install "pte-lint[reference]"' in result.output


def test_one_program_is_compared_with_a_file(tmp_path: Path) -> None:
    cases = npz(tmp_path / "a.npz", output_0=FOUR)
    linear = DATA / "clean" / "linear.pte"
    result = confirm(linear, linear.with_name("gru.pte"), "--expect", cases)
    assert result.exit_code == 2
    assert "--expect is about the outputs of one program" in result.output
