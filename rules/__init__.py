"""The built-in rules: one judgement a file.

`RULES` is the value of the entry point `builtin` in the group `pte_lint.rules`.
"""

from __future__ import annotations

from pte_lint.rules.device import (
    arena_device_entry,
    constant_on_device,
    copy_contract,
    copy_mismatch,
    copy_order,
    device_condition,
    device_index_disagrees,
    device_input_planned,
    device_output_on_host_contract,
    device_output_planned,
    device_tag_in_host_arena,
    device_tensor_without_memory,
    host_tag_in_device_arena,
    initial_state_on_device,
    methods_disagree_on_device,
    missing_d2h_copy,
    missing_h2d_copy,
    per_method_flags_as_dict,
    redundant_round_trip,
    repeated_copy,
    runner_needs_device_memory,
    tag_only_program,
    target_device_spec,
)

from pte_lint.rule import Rule

RULES: tuple[Rule, ...] = (
    device_input_planned.check,
    device_output_planned.check,
    device_output_on_host_contract.check,
    missing_h2d_copy.check,
    missing_d2h_copy.check,
    copy_contract.check,
    copy_mismatch.check,
    device_tag_in_host_arena.check,
    host_tag_in_device_arena.check,
    arena_device_entry.check,
    device_index_disagrees.check,
    target_device_spec.check,
    device_condition.check,
    constant_on_device.check,
    initial_state_on_device.check,
    device_tensor_without_memory.check,
    copy_order.check,
    redundant_round_trip.check,
    repeated_copy.check,
    runner_needs_device_memory.check,
    tag_only_program.check,
    methods_disagree_on_device.check,
    per_method_flags_as_dict.check,
)
