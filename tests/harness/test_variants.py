"""The ways to call a method, and what comparing them shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from pte_lint.harness.compare import first_difference
from pte_lint.harness.driver import run_probe
from pte_lint.harness.options import VARIANTS
from pte_lint.harness.outcome import MethodRun

pytestmark = pytest.mark.runtime


def runs(path: Path, *variants: str) -> dict[str, MethodRun]:
    (method,) = run_probe(path, variants=variants, describe=False).methods
    return {run.variant: run for run in method.runs}


def test_variants_are_made_where_they_change_something(files: Path) -> None:
    memory = VARIANTS[:4]
    assert list(runs(files / "linear.pte", *memory)) == ["default"]
    assert list(runs(files / "io_unplanned.pte", *memory)) == ["default", "outputs_not_given"]
    planned = runs(files / "add_skip_both_planned_768.pte", *memory)
    assert list(planned) == ["default", "device_inputs"]
    paired = runs(files / "add_skip_both_paired.pte", *memory)
    assert list(paired) == ["default", "host_inputs", "outputs_not_given"]


def test_a_variant_asked_for_alone_is_always_made(files: Path) -> None:
    assert list(runs(files / "linear.pte", "host_inputs")) == ["host_inputs"]


def test_memory_follows_the_tag_or_does_not(files: Path) -> None:
    made = runs(files / "add_skip_both_paired.pte", *VARIANTS[:4])
    assert [g.given for g in made["default"].inputs_given] == ["cuda:0", "cuda:0"]
    assert [g.given for g in made["default"].outputs_given] == ["cuda:0"]
    assert [g.given for g in made["host_inputs"].inputs_given] == ["host", "host"]
    assert made["default"].outcome == "ok"
    assert made["host_inputs"].outcome == "undefined"
    assert made["outputs_not_given"].outcome == "undefined"
    assert "pointer is null" in made["outputs_not_given"].remarks


def test_missing_output_memory_crashes_a_host_kernel(files: Path) -> None:
    run = runs(files / "io_unplanned.pte", "outputs_not_given")["outputs_not_given"]
    assert (run.stage, run.signal) == ("execute", "SIGSEGV")
    assert run.fault is not None
    assert run.fault.address_in == "null"


def test_device_memory_for_a_planned_input_is_refused_too(files: Path) -> None:
    run = runs(files / "add_skip_both_planned_768.pte", "device_inputs")["device_inputs"]
    assert (run.stage, run.error) == ("set_input", "NotSupported")
    assert [g.given for g in run.inputs_given] == ["cuda:0"]


def test_falling_inputs_take_the_other_branch(files: Path) -> None:
    made = runs(files / "cond.pte", "rising", "falling")
    assert made["rising"].visited != made["falling"].visited
    assert made["falling"].outputs_second_run == made["falling"].outputs


def test_rising_inputs_run_twice_and_differ_from_ones(files: Path) -> None:
    made = runs(files / "linear.pte", "default", "rising")
    assert made["rising"].outputs_second_run == made["rising"].outputs
    assert made["rising"].outputs != made["default"].outputs
    assert made["default"].outputs_second_run == ()


def test_a_second_run_sees_the_state_of_the_first(files: Path) -> None:
    run = runs(files / "mutable_buffer.pte", "rising")["rising"]
    assert run.outputs_second_run != run.outputs


@pytest.mark.parametrize(
    "name", ["linear", "mlp_xnnpack", "cond", "add_default", "chain_two_delegates_elided"]
)
def test_poison_does_not_reach_a_sound_program(files: Path, name: str) -> None:
    made = runs(files / f"{name}.pte", "rising", "poisoned_device", "poisoned_host")
    assert first_difference(made["rising"], made["poisoned_device"]) is None
    assert first_difference(made["rising"], made["poisoned_host"]) is None


def test_poison_shows_device_memory_that_nothing_wrote(files: Path) -> None:
    made = runs(files / "copy_jumped_over.pte", "rising", "poisoned_device", "poisoned_host")
    found = first_difference(made["rising"], made["poisoned_device"])
    assert found is not None
    assert (found.what, found.argument, found.instruction) == ("delegate argument", 0, 3)
    assert first_difference(made["rising"], made["poisoned_host"]) is None


def test_poison_shows_that_state_starts_at_zero(files: Path) -> None:
    made = runs(files / "mutable_named.pte", "rising", "poisoned_host")
    found = first_difference(made["rising"], made["poisoned_host"])
    assert found is not None
    assert found.what == "output"


def test_stand_ins_tell_inputs_apart(files: Path) -> None:
    made = runs(files / "add_skip_both_paired.pte", "default", "rising")
    assert made["default"].outputs != made["rising"].outputs
    again = runs(files / "add_skip_both_paired.pte", "rising")
    assert again["rising"].outputs == made["rising"].outputs
