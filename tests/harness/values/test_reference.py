"""`confirm --reference`: calls beside PyTorch's operators, and what that says about claims."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from pte_lint.cli.app import app
from pte_lint.harness.recording import RecordedCall
from pte_lint.harness.reference import pytorch
from pte_lint.harness.reference.tolerances import allowed
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.support.look import DATA

pytestmark = [pytest.mark.runtime, pytest.mark.usefixtures("probe")]

needs_torch = pytest.mark.skipif(find_spec("torch") is None, reason="needs PyTorch")

LAST = (0, 2, 3, 1)
IMAGE = (1, 2, 2, 3)

Build = Callable[[MethodBuilder], None]


def program(path: Path, build: Build) -> Path:
    b = MethodBuilder("forward")
    build(b)
    path.write_bytes(build_program(b).bytes())
    return path


def flipped(b: MethodBuilder) -> None:
    """A right call, then one that reads channels-last as row-major."""
    x = b.input(IMAGE, dim_order=LAST)
    twice, out = b.tensor(IMAGE, dim_order=LAST), b.tensor(IMAGE, dim_order=LAST)
    b.kernel("aten::add.out", x, x, b.int_value(1), twice, twice)
    b.kernel("aten::flip.out", twice, b.ints([1]), out, out)
    b.output(out)


def unflipped(b: MethodBuilder) -> None:
    """The nearest right program: the same in the default order."""
    x, twice, out = b.input(IMAGE), b.tensor(IMAGE), b.tensor(IMAGE)
    b.kernel("aten::add.out", x, x, b.int_value(1), twice, twice)
    b.kernel("aten::flip.out", twice, b.ints([1]), out, out)
    b.output(out)


def remainder(b: MethodBuilder) -> None:
    """Right for the whole numbers that are given, wrong for the negative ones it makes of them."""
    x, out, last = b.input((4,), "int64"), b.tensor((4,), "int64"), b.tensor((4,), "int64")
    b.kernel("aten::sub.Scalar_out", x, b.int_value(3), b.int_value(1), out, out)
    b.kernel("aten::remainder.Scalar_out", out, b.int_value(8), last, last)
    b.output(last)


def viewed(b: MethodBuilder) -> None:
    """A channels-last result, read through a view that takes it for row-major."""
    x = b.input(IMAGE, dim_order=LAST)
    base = b.tensor(IMAGE, dim_order=LAST, offset=0)
    view, out = b.tensor((2, 6), offset=0), b.tensor((2, 6), offset=64)
    b.kernel("aten::neg.out", x, base, base)
    b.kernel("aten::neg.out", view, out, out)
    b.output(out)


def confirm(*words: object) -> Result:
    return CliRunner().invoke(app, ["confirm", "--reference", *map(str, words)])


def artifact(result: Result) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(result.output)["artifacts"][0]
    return made


@needs_torch
def test_the_first_wrong_call_is_named_and_confirms(tmp_path: Path) -> None:
    result = confirm(program(tmp_path / "a.pte", flipped), "--format", "json")
    assert result.exit_code == 0, result.output
    (verdict,), (finding,) = artifact(result)["verdict"], artifact(result)["findings"]
    assert (verdict["outcome"], verdict["confirmation"]["status"]) == ("wrong", "confirmed")
    assert finding["confirmation"]["status"] == "confirmed"
    told = verdict["confirmation"]["evidence"]["reference"]
    assert told["inputs"] == ["ones", "ramps", "falling ramps", "normal values"]
    assert (told["calls_compared"], told["failed"], told["not_compared"]) == (8, {}, {})
    assert told["wrong_calls"] == [
        {
            "instruction": 1,
            "operator": "aten::flip.out",
            "inputs": "ramps",
            "output": 0,
            "reason": "its result is not PyTorch's: off by 0.21875 (0.16 of the largest) in 12 of "
            "12 elements, first at [0, 0, 0, 0]: 1.1875 for 1.03125",
            "element": [0, 0, 0, 0],
            "got": "1.1875",
            "expected": "1.03125",
            "max_absolute": 0.21875,
            "max_relative": pytest.approx(0.21875 / 1.34375),
            "elements_different": 12,
            "elements": 12,
        }
    ]
    assert finding["confirmation"]["evidence"]["reference"] == told["wrong_calls"][0]


@needs_torch
def test_a_right_program_is_confirmed(tmp_path: Path) -> None:
    result = confirm(program(tmp_path / "a.pte", unflipped))
    assert result.exit_code == 0, result.output
    text = " ".join(result.output.split())
    assert (
        "confirmed: the run went through, and every call that was compared gives what PyTorch's "
        "does reference: 8 calls compared with PyTorch"
    ) in text
    assert "given ones; ramps; falling ramps; normal values: none differs" in text


@needs_torch
def test_a_view_that_errs_is_a_wrong_call(tmp_path: Path) -> None:
    result = confirm(program(tmp_path / "a.pte", viewed), "--format", "json")
    (verdict,) = artifact(result)["verdict"]
    (wrong,) = verdict["confirmation"]["evidence"]["reference"]["wrong_calls"]
    assert (wrong["instruction"], wrong["operator"], wrong["output"]) == (1, "aten::neg.out", None)
    assert wrong["reason"].startswith(
        "it reads value 2 as a view of what instruction 0 (aten::neg.out) wrote, in another order: "
    )
    assert (verdict["rule"], verdict["confirmation"]["status"]) == ("PTE152", "confirmed")


@needs_torch
def test_what_an_info_tells_refutes_nothing(tmp_path: Path) -> None:
    result = confirm(program(tmp_path / "a.pte", remainder), "--format", "json")
    assert result.exit_code == 0, result.output
    (verdict,) = artifact(result)["verdict"]
    assert verdict["confirmation"]["status"] == "unsupported"
    assert verdict["confirmation"]["evidence"]["reason"] == (
        "PTE153 tells of it: instruction 1 (aten::remainder.Scalar_out) is wrong"
    )
    ignored = confirm(tmp_path / "a.pte", "--ignore", "PTE153", "--format", "json")
    assert ignored.exit_code == 1, ignored.output
    (verdict,) = artifact(ignored)["verdict"]
    assert verdict["confirmation"]["status"] == "refuted"


@needs_torch
def test_sizes_that_may_change_are_tried_too(tmp_path: Path) -> None:
    result = confirm(DATA / "clean" / "dynamic_batch.pte", "--format", "json")
    assert result.exit_code == 0, result.output
    told = artifact(result)["verdict"][0]["confirmation"]["evidence"]["reference"]
    assert [name for name in told["inputs"] if "sizes" in name] == [
        f"{contents} of {name} sizes {sizes}"
        for name, sizes in (("smallest", "[1, 8]"), ("between", "[4, 8]"))
        for contents in ("ramps", "normal values")
    ]
    assert told["wrong_calls"] == []


@needs_torch
def test_healthy_programs_have_no_difference() -> None:
    names = [
        "cache_index_put", "complex_filter", "cond", "convnet", "dynamic_size_math",
        "element_types", "gru", "max_two_outs", "mutable_buffer", "quantized_xnnpack", "reinplaced",
    ]  # fmt: skip
    result = confirm(*(DATA / "clean" / f"{name}.pte" for name in names), "--format", "json")
    assert result.exit_code == 0, result.output
    for each in json.loads(result.output)["artifacts"]:
        told = each["verdict"][0]["confirmation"]["evidence"]["reference"]
        assert (told["wrong_calls"], told["failed"], len(told["inputs"]) >= 4) == ([], {}, True)
        assert not any("XnnpackBackend" in each for each in told["not_compared"])


CORPUS = os.environ.get("PTE_LINT_CORPUS")


@needs_torch
@pytest.mark.skipif(CORPUS is None, reason="PTE_LINT_CORPUS is not set")
def test_recorded_outcomes() -> None:
    """Every file of which it is recorded that its values are wrong, and the nearest right ones."""
    folder = Path(CORPUS or "") / "found"
    known = {
        each["file"]: each["outcome"]["overall"].startswith("silent_wrong")
        for each in json.loads((folder / "truth.json").read_text())
        if each["kind"] in ("values", "values_data") and "error" not in each["outcome"]["overall"]
        and "signal" not in each["outcome"]["overall"]
    }  # fmt: skip
    assert len(known) > 15
    result = confirm(*(folder / name for name in known), "--format", "json")
    for made in json.loads(result.output)["artifacts"]:
        told = made["verdict"][0]["confirmation"]["evidence"]["reference"]
        assert bool(told["wrong_calls"]) == known[Path(made["path"]).name], made["path"]


# -- without PyTorch ------------------------------------------------------------------------------


class Answers:
    """Answers in PyTorch's place, by operator."""

    version = "none"

    def __init__(self, answers: dict[str, dict[str, Any]]) -> None:
        self.answers = answers
        self.asked: list[str] = []

    def __call__(self, recording: object) -> Answers:
        return self

    def __enter__(self) -> Answers:
        return self

    def __exit__(self, *how: object) -> None:
        pass

    def compare(self, call: RecordedCall) -> dict[str, Any]:
        self.asked.append(call.operator)
        return self.answers.get(call.operator, {"status": "equal", "tells": True})


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Answers]:
    def made(**by_operator: dict[str, Any]) -> Answers:
        told = Answers({f"aten::{name}.out": each for name, each in by_operator.items()})
        monkeypatch.setattr("pte_lint.cli.comparing_values.PyTorch", told)
        monkeypatch.setattr("pte_lint.cli.comparing_values.require_pytorch", lambda: None)
        return told

    return made


SIZES = {"status": "differs", "output": 0, "reason": "sizes are [2], PyTorch gives [3]"}


def test_a_difference_that_nobody_tells_of_refutes(
    tmp_path: Path, answers: Callable[..., Answers]
) -> None:
    told = answers(flip=SIZES)
    result = confirm(program(tmp_path / "a.pte", unflipped))
    assert result.exit_code == 1, result.output
    text = " ".join(result.output.split())
    assert "refuted: the run went through, but instruction 1 (aten::flip.out) is wrong" in text
    assert (
        "first wrong call: instruction 1 (aten::flip.out), given ones: its result is not "
        "PyTorch's: sizes are [2], PyTorch gives [3]"
    ) in text
    assert told.asked == ["aten::add.out", "aten::flip.out"] * 4


def test_a_claim_that_does_not_show_is_refuted(
    tmp_path: Path, answers: Callable[..., Answers]
) -> None:
    answers()
    result = confirm(program(tmp_path / "a.pte", flipped), "--format", "json")
    assert result.exit_code == 1, result.output
    (verdict,), (finding,) = artifact(result)["verdict"], artifact(result)["findings"]
    for each in (verdict, finding):
        assert each["confirmation"]["status"] == "refuted"
        assert each["confirmation"]["evidence"]["reason"] == (
            "the call gives what PyTorch's operator gives for ones, ramps, falling ramps, "
            "normal values"
        )


@pytest.mark.parametrize(
    "answer",
    [{"status": "none", "reason": "PyTorch has no operator of this name"},
     {"status": "equal", "tells": False}],
    ids=["not compared", "all elements equal"],
)  # fmt: skip
def test_what_shows_nothing_decides_nothing(
    tmp_path: Path, answers: Callable[..., Answers], answer: dict[str, Any]
) -> None:
    answers(flip=answer)
    result = confirm(program(tmp_path / "a.pte", flipped), "--format", "json")
    assert result.exit_code == 0, result.output
    (verdict,), (finding,) = artifact(result)["verdict"], artifact(result)["findings"]
    # The reference decides nothing; the program without its layouts does.
    assert verdict["confirmation"]["status"] == "confirmed"
    reason = verdict["confirmation"]["evidence"]["reason"]
    assert reason.endswith("which the same program gives with all tensors contiguous")
    assert finding["confirmation"]["status"] == "confirmed_by_repair"
    not_compared = verdict["confirmation"]["evidence"]["reference"]["not_compared"]
    assert not_compared == (
        {"aten::flip.out": answer["reason"]} if answer["status"] == "none" else {}
    )


def test_an_error_ends_the_comparison_and_is_told(
    tmp_path: Path, answers: Callable[..., Answers]
) -> None:
    def refused(b: MethodBuilder) -> None:
        x, out = b.input((2, 3)), b.tensor((4, 3))
        b.kernel("aten::neg.out", x, out, out)
        b.output(out)

    answers()
    result = confirm(program(tmp_path / "a.pte", refused), "--format", "json")
    told = artifact(result)["verdict"][0]["confirmation"]["evidence"]["reference"]
    assert told["inputs"] == []
    assert told["failed"]["ones"] == (
        "the run ended with error InvalidArgument in execute (instruction 0)"
    )


def test_without_pytorch_it_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pytorch, "find_spec", lambda name: None)
    result = confirm(DATA / "clean" / "linear.pte")
    assert result.exit_code == 2
    assert 'pip install "pte-lint[reference]"' in result.output


@pytest.mark.parametrize(
    ("operator", "dtype", "want"),
    [
        ("aten::add.out", "float32", (2e-4, 2e-5, False)),
        ("aten::mm.out", "float32", (2e-4, 2e-5, True)),
        ("aten::sum.IntList_out", "float64", (2e-4, 2e-5, True)),
        ("aten::mm.out", "float64", (1e-9, 1e-10, True)),
        ("aten::add.out", "int64", (0.0, 0.0, False)),
        ("quantized_decomposed::quantize_per_tensor.out", "uint8", (0.0, 1.0, False)),
    ],
)
def test_tolerances(operator: str, dtype: str, want: Sequence[object]) -> None:
    assert allowed(operator, dtype) == want
