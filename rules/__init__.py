"""The built-in rules: one judgement a file.

`RULES` is the value of the entry point `builtin` in the group `pte_lint.rules`.
"""

from __future__ import annotations

from pte_lint.rules.device import (
    copy_contract,
    device_input_planned,
    device_output_on_host_contract,
    device_output_planned,
    device_tag_in_host_arena,
    device_tensor_without_memory,
    host_tag_in_device_arena,
    missing_d2h_copy,
    missing_h2d_copy,
)

from pte_lint.rule import Rule

RULES: tuple[Rule, ...] = (
    device_input_planned.check,
    device_output_planned.check,
    device_output_on_host_contract.check,
    missing_h2d_copy.check,
    missing_d2h_copy.check,
    copy_contract.check,
    device_tag_in_host_arena.check,
    host_tag_in_device_arena.check,
    device_tensor_without_memory.check,
)
