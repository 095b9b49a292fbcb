from __future__ import annotations

from dataclasses import replace

import pytest

from pte_lint.claims.profile import Profile, default_profile
from pte_lint.claims.target import Target
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import BuiltProgram, build_program
from tests.rules.checks import found, only, report
from tests.support.examples import delegated

RULE = "PTE635"


def _target(bits: int = 64, **memory: int) -> Target:
    by_device = {name.replace("_", ":"): nbytes for name, nbytes in memory.items()}
    profile = replace(default_profile(), memory=by_device, pointer_bits=bits)
    return Target(profile=profile, explicit_profile=True)


def _sum() -> BuiltProgram:
    b = MethodBuilder()
    x = b.input((256,))
    b.output(b.add(b.add(x, x), x))
    return build_program(b)


def test_the_budget_is_compared_to_the_byte() -> None:
    needed = only(_sum(), RULE, target=_target(cpu=0)).evidence["needed"]
    assert found(_sum(), RULE, target=_target(cpu=needed)) == ()
    finding = only(_sum(), RULE, target=_target(cpu=needed - 1))
    allocator = finding.evidence["method_allocator"]
    assert needed == 3 * 1024 + allocator
    assert finding.message == (
        f"forward needs {needed} bytes on cpu, and the target has {needed - 1} bytes: 3072 bytes "
        f"in arenas, {allocator} bytes of the method allocator. No plan of arena 1 takes less than "
        "3072 bytes, at instruction 1 (aten::add.out)."
    )
    assert (finding.location.instruction, finding.subject) == (1, "memory on cpu")


def test_without_a_budget_nothing_is_said() -> None:
    assert found(_sum(), RULE) == ()


def test_devices_have_budgets_of_their_own() -> None:
    b = MethodBuilder()
    (z,) = b.delegate("CudaBackend", [b.h2d(b.input((64,)))], [(64,)], device="cuda:0")
    b.output(b.d2h(z))
    program = build_program(b)
    assert found(program, RULE, target=_target(cuda_0=512)) == ()
    finding = only(program, RULE, target=_target(cuda_0=511))
    assert finding.evidence["needed"] == 512
    assert "512 bytes on cuda:0, and the target has 511 bytes: 512 bytes in arenas." in (
        finding.message
    )


def test_what_cannot_be_told_is_not_checked() -> None:
    said = report(build_program(delegated("CudaBackend")), RULE, target=_target(cpu=10**6))
    assert [each.what for each in said.unchecked] == ["the memory of backend CudaBackend"]
    said = report(_sum(), RULE, target=_target(32, cpu=10**6))
    assert [each.what for each in said.unchecked] == ["the method allocator"]
    finding = only(_sum(), RULE, target=_target(32, cpu=3071))
    assert finding.evidence["needed"] == 3072


def test_a_profile_says_how_much_there_is() -> None:
    data = {"name": "board", "runtime": "1.5.1", "kernels": {}, "backends": []}
    profile = Profile.from_json({**data, "memory": "512 KiB", "pointer_bits": 32})
    assert (profile.memory, profile.pointer_bits) == ({"cpu": 524288}, 32)
    assert Profile.from_json(data).memory == {}
    by_device = Profile.from_json({**data, "memory": {"cpu": 7, "cuda:0": "1 GiB"}})
    assert by_device.memory == {"cpu": 7, "cuda:0": 1 << 30}
    import json

    assert Profile.from_json(json.loads(by_device.to_json())) == by_device


@pytest.mark.parametrize("wrong", [{"memory": "much"}, {"memory": -1}, {"pointer_bits": 16}])
def test_a_profile_with_a_wrong_budget(wrong: dict[str, object]) -> None:
    data = {"name": "board", "runtime": "1.5.1", "kernels": {}, "backends": []}
    with pytest.raises(ValueError, match=r"size|memory|bits"):
        Profile.from_json({**data, **wrong})
