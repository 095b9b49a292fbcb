"""What the real runtime does with small programs, as the driver tells it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import pytest

from pte_lint.harness import driver
from pte_lint.harness.build import Probe
from pte_lint.harness.driver import run_probe
from pte_lint.harness.errors import HarnessUnavailable
from pte_lint.harness.outcome import InstructionRef, MethodRun
from pte_lint.harness.process import ProbeProcess

pytestmark = pytest.mark.runtime


class Expected(NamedTuple):
    name: str
    stage: str
    outcome: str
    why: str | None = None  # error or signal
    instruction: InstructionRef | None = None


def at(index: int) -> InstructionRef:
    return InstructionRef(0, index)


DEFAULT = [
    Expected("linear", "execute", "ok"),
    Expected("cond", "execute", "ok"),
    Expected("mlp_xnnpack", "execute", "ok"),
    Expected("element_types", "execute", "ok"),
    Expected("add_default", "execute", "ok"),
    Expected("add_skip_both_paired", "execute", "ok"),
    Expected("chain_two_delegates_elided", "execute", "ok"),
    Expected("add_skip_both_planned_768", "set_input", "error", "NotSupported"),
    Expected("add_copies_unplanned_output", "execute", "error", "Internal", at(3)),
    Expected("operator_unknown", "load_method", "error", "OperatorMissing"),
    Expected("buffers_device_huge", "load_method", "error", "MemoryAllocationFailed"),
    Expected("jump_loop_endless", "execute", "error", "InvalidProgram", at(0)),
    Expected("h2d_dropped_host_to_delegate", "execute", "undefined"),
    Expected("device_tensor_in_host_kernel", "execute", "crash", "SIGSEGV", at(4)),
    Expected("device_tensor_as_predicate", "execute", "crash", "SIGSEGV", at(4)),
    Expected("kernel_arg_wrong_kind", "execute", "crash", "SIGABRT", at(2)),
    Expected("null_delegate_processed", "load_method", "crash", "SIGSEGV"),
    Expected("buffer_size_huge", "load_method", "crash", "SIGABRT"),
    Expected("plan_output_huge", "get_output", "crash", "SIGABRT"),
]


DEFECTS = Path(__file__).parents[1] / "fuzz" / "defects"


def default_run(path: Path, name: str = "forward", **options: Any) -> MethodRun:
    method = run_probe(path, describe=False, **options).method(name)
    assert method is not None
    run = method.run("default")
    assert run is not None
    return run


@pytest.mark.parametrize("expected", DEFAULT, ids=lambda expected: expected.name)
def test_outcome(files: Path, expected: Expected) -> None:
    run = default_run(files / f"{expected.name}.pte")
    seen = Expected(expected.name, run.stage, run.outcome, run.error or run.signal, run.instruction)
    assert seen == expected


@pytest.mark.parametrize(
    ("name", "verification", "error"),
    [
        ("text_file", "full", "InvalidProgram"),
        ("text_file", "minimal", "InvalidProgram"),
        ("size_negative", "full", "InvalidProgram"),
        ("size_negative", "minimal", None),
    ],
)
def test_program_load(files: Path, name: str, verification: str, error: str | None) -> None:
    run = run_probe(files / f"{name}.pte", verification=verification)
    assert run.program.error == error
    assert run.program.outcome == ("error" if error else "ok")
    assert run.verification == verification
    assert bool(run.methods) == (error is None)


def test_fallback_keeps_both_verdicts(files: Path) -> None:
    run = run_probe(files / "size_negative.pte", verification="fallback")
    assert run.program_full is not None
    assert run.program_full.error == "InvalidProgram"
    assert run.program.outcome == "ok"
    assert run.verification == "minimal"
    assert run.methods[0].runs[0].error == "InvalidProgram"


def test_fallback_is_not_taken_where_full_verification_loads(files: Path) -> None:
    run = run_probe(files / "linear.pte", verification="fallback")
    assert run.program_full is None
    assert run.verification == "full"


def test_refused_input_says_what_the_runtime_said(files: Path) -> None:
    run = default_run(files / "add_skip_both_planned_768.pte")
    assert run.input == 0
    assert any("Planned-buffer copy needs host memory on both sides" in line for line in run.logs)


def test_fault_names_the_device_and_the_place(files: Path) -> None:
    fault = default_run(files / "device_tensor_in_host_kernel.pte").fault
    assert fault is not None
    assert fault.address_in == "cuda:0"
    assert fault.address is not None
    assert fault.offset is not None
    assert fault.offset < 4096  # inside the arena, not merely near it


def test_abort_has_no_address_and_its_log_line(files: Path) -> None:
    run = default_run(files / "kernel_arg_wrong_kind.pte")
    assert run.fault is not None
    assert run.fault.address is None
    assert any(line.startswith("F evalue.h") for line in run.logs)


def test_copies_are_counted_and_checked(files: Path) -> None:
    run = default_run(files / "add_default.pte")
    assert [(c.op, c.bytes, c.source, c.target) for c in run.copies] == [
        ("h2d", 256, "host", "cuda:0"),
        ("h2d", 256, "host", "cuda:0"),
        ("d2h", 256, "cuda:0", "host"),
    ]
    assert [c.instruction for c in run.copies] == [0, 1, 3]
    assert (run.copied.h2d_bytes, run.copied.d2h_bytes) == (512, 256)
    paired = default_run(files / "add_skip_both_paired.pte")
    assert paired.copied.h2d_bytes + paired.copied.d2h_bytes == 0


def test_a_copy_that_cannot_work_is_explained(files: Path) -> None:
    run = default_run(files / "add_copies_unplanned_output.pte")
    assert (run.copies[-1].error, run.copies[-1].problem) == ("InvalidArgument", "source is null")


def test_delegate_arguments_are_told_one_by_one(files: Path) -> None:
    (call,) = default_run(files / "h2d_dropped_host_to_delegate.pte").delegate_calls
    assert call.expects == "cuda:0"
    assert [(a.tag, a.where, a.output) for a in call.args] == [
        ("cpu", "host", False),
        ("cuda:0", "cuda:0", False),
        ("cuda:0", "cuda:0", True),
    ]
    problem = "host pointer given to a delegate for cuda:0; tag cpu is not cuda:0"
    assert [a.problem for a in call.args] == [problem, None, None]
    assert [a.misplaced for a in call.args] == [True, False, False]


def test_a_tag_alone_is_a_remark_not_undefined(files: Path) -> None:
    run = default_run(files / "tag_index_minus_1.pte")
    assert run.outcome == "ok"
    assert "tag cuda:-1 is not cuda:0" in run.remarks


def test_methods_are_chosen_by_name(files: Path) -> None:
    path = files / "methods_one_wrong.pte"
    assert [m.name for m in run_probe(path, describe=False).methods] == ["decode", "prefill"]
    (only,) = run_probe(path, describe=False, methods=["prefill"]).methods
    assert (only.name, only.index, only.runs[0].outcome) == ("prefill", 1, "ok")


def test_equal_names_run_the_first_method(files: Path) -> None:
    run = run_probe(files / "method_name_twice.pte")
    assert run.program.methods[:2] == ("forward", "forward")
    first, second = run.methods[:2]
    assert first.runs[0].outputs == second.runs[0].outputs


def test_external_data(files: Path) -> None:
    path = files / "external_constants.pte"
    assert default_run(path).error == "InvalidState"
    assert default_run(path, data=[files / "external_constants.ptd"]).outcome == "ok"
    spoilt = run_probe(path, data=[files / "linear.pte"])
    assert (spoilt.program.stage, spoilt.program.error) == ("load_program", "InvalidExternalData")


@pytest.mark.parametrize("loader", ["file", "mmap", "buffer", "guarded"])
def test_loaders_agree_on_a_good_file(files: Path, loader: str) -> None:
    outputs = default_run(files / "linear.pte", loader=loader).outputs
    assert outputs == default_run(files / "linear.pte").outputs
    assert outputs[0].digest is not None


def test_guarded_loader_shows_a_read_past_the_end(files: Path) -> None:
    # The last 40 bytes are missing; minimal verification does not look for them.
    program = run_probe(
        files / "cut_short.pte", verification="minimal", loader="guarded", describe=False
    ).program
    assert (program.outcome, program.signal) == ("crash", "SIGSEGV")
    assert program.fault is not None
    assert program.fault.address_in == "past_end"
    assert program.fault.offset is not None
    assert program.fault.offset < 40


def test_guarded_loader_shows_a_read_of_what_was_freed() -> None:
    """A PReLU reads its slopes in the blob, which XNNPACK frees as the method loads."""
    path = DEFECTS / "PTE439.pte"
    assert default_run(path).outcome == "ok"
    run = default_run(path, loader="guarded")
    assert (run.stage, run.outcome, run.signal) == ("execute", "crash", "SIGSEGV")
    assert run.fault is not None
    assert run.fault.address_in == "freed"


@pytest.mark.parametrize("name", ["linear", "mlp_xnnpack", "cond", "add_default", "element_types"])
def test_guarded_loader_leaves_sound_programs_alone(files: Path, name: str) -> None:
    assert default_run(files / f"{name}.pte", loader="guarded").outcome == "ok"


def test_guarded_external_data(files: Path) -> None:
    path, data = files / "external_constants.pte", files / "external_constants.ptd"
    guarded = default_run(path, data=[data], loader="guarded")
    assert guarded.outputs == default_run(path, data=[data]).outputs
    with pytest.raises(ValueError, match="one data file at most"):
        run_probe(path, data=[data, data], loader="guarded")


def test_metadata(files: Path) -> None:
    meta = run_probe(files / "add_default.pte").methods[0].meta
    assert meta is not None
    assert [(a.memory_id, a.bytes, a.device) for a in meta.arenas] == [
        (1, 512, "cpu"),
        (2, 768, "cuda:0"),
    ]
    assert [(s.kind, s.dtype, s.sizes, s.planned) for s in meta.inputs] == [
        ("tensor", "Float", (8, 8), True)
    ] * 2
    assert meta.num_instructions == 4
    assert meta.backends == ("BackendWithCompilerDemo",)


def test_hidden_kernels_are_missing(files: Path) -> None:
    run = default_run(files / "linear.pte", without_kernels=["aten::"])
    assert (run.stage, run.error) == ("load_method", "OperatorMissing")


def test_strict_stand_in_refuses_as_the_cuda_backend_does(files: Path) -> None:
    path = files / "h2d_dropped_host_to_delegate.pte"
    run = default_run(path, strict_delegates=["BackendWithCompilerDemo"])
    assert (run.stage, run.error) == ("execute", "InvalidArgument")
    assert run.delegate_calls[0].returned == "InvalidArgument"
    good = default_run(files / "add_default.pte", strict_delegates=["BackendWithCompilerDemo"])
    assert good.outcome == "ok"


def test_told_outputs_replace_the_guess(files: Path) -> None:
    run = default_run(files / "add_default.pte", delegate_outputs={(0, 0, 2): 2})
    assert [a.output for a in run.delegate_calls[0].args] == [False, True, True]


def test_missing_file_and_bad_options(files: Path) -> None:
    with pytest.raises(FileNotFoundError):
        run_probe(files / "absent.pte")
    with pytest.raises(ValueError, match="unknown variants: sideways"):
        run_probe(files / "linear.pte", variants=["sideways"])


def test_real_devices_are_refused_where_there_are_none(
    files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pte_lint.harness.driver.cuda_devices", lambda _probe: 0)
    with pytest.raises(HarnessUnavailable, match="No CUDA device"):
        run_probe(files / "linear.pte", device_memory="cuda")
    assert run_probe(files / "linear.pte", device_memory="auto").device_memory == "emulated"


def test_devices_are_asked_for_once(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    modes: list[str] = []

    class Counted(ProbeProcess):
        def __init__(self, probe: Probe, mode: str, *rest: Any, **options: Any) -> None:
            modes.append(mode)
            super().__init__(probe, mode, *rest, **options)

    monkeypatch.setattr(driver, "ProbeProcess", Counted)
    # What was asked before is not known for what this names.
    monkeypatch.setenv("LD_LIBRARY_PATH", "/nowhere")
    for _ in range(3):
        default_run(files / "linear.pte", device_memory="auto")
    assert modes == ["devices", "run", "run", "run"]
