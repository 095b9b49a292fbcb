from __future__ import annotations

import pytest

from pte_lint.claims.finding import Severity
from pte_lint.claims.profile import Profile
from pte_lint.claims.target import Target
from tests.rules.checks import found, only
from tests.support.vulkan import vulkan_program

RULE = "PTE437"
BUFFER, TEXTURE_2D = 0, 2
HEIGHT, CHANNELS, INT8 = 1, 2, 8


def limits(**vulkan: int) -> Target:
    profile = Profile("mine", "1.5.1", {}, ("VulkanBackend",), vulkan=vulkan)
    return Target(profile=profile, explicit_profile=True)


def test_a_texture_of_one_texel_too_many() -> None:
    program = vulkan_program((2049, 4))
    finding = only(program, RULE, target=limits(maxImageDimension3D=2048))
    assert finding.message == (
        "Delegate 0 (VulkanBackend): value 0, float32[2049, 4], is a texture 3D (width packed) of "
        "1 x 2049 x 1 texels, and the target's maxImageDimension3D is 2048. 1 more tensor of it "
        "too."
    )
    assert finding.severity is Severity.WARNING
    assert finding.evidence == {"limit": "maxImageDimension3D", "tensors": 2}
    assert finding.subject == "delegates[0] maxImageDimension3D"
    assert found(program, RULE, target=limits(maxImageDimension3D=2049)) == ()


def test_other_limits_and_no_limits() -> None:
    program = vulkan_program((2049, 4))
    assert found(program, RULE, target=limits(maxImageDimension2D=1, maxStorageBufferRange=1)) == ()
    assert found(program, RULE) == ()


@pytest.mark.parametrize(
    ("sizes", "fields", "longest"),
    [
        ((9,), {}, 3),
        ((5, 9), {}, 5),
        ((5, 9), {"memory_layout": HEIGHT}, 9),
        ((6, 2, 3), {"memory_layout": CHANNELS}, 3),
        ((3, 6, 2, 1), {"memory_layout": CHANNELS}, 6),
        ((3, 6, 2, 1), {}, 18),
        ((5, 9), {"memory_layout": 255}, 5),
        ((9, 2, 3), {"memory_layout": 255, "storage_type": 255}, 3),
        ((1, 2, 9), {"memory_layout": 255}, 3),
    ],
)
def test_the_longest_side_of_a_texture(
    sizes: tuple[int, ...], fields: dict[str, int], longest: int
) -> None:
    program = vulkan_program(sizes, **fields)
    assert found(program, RULE, target=limits(maxImageDimension3D=longest)) == ()
    assert len(found(program, RULE, target=limits(maxImageDimension3D=longest - 1))) == 1


def test_a_flat_texture_has_two_sides() -> None:
    program = vulkan_program((7, 2, 3), storage_type=TEXTURE_2D)
    assert found(program, RULE, target=limits(maxImageDimension2D=2, maxImageDimension3D=1)) == ()
    assert len(found(program, RULE, target=limits(maxImageDimension2D=1))) == 1


def test_a_buffer_counts_its_elements() -> None:
    program = vulkan_program((2, 3), storage_type=BUFFER)
    assert found(program, RULE, target=limits(maxStorageBufferRange=6, maxImageDimension3D=1)) == ()
    finding = only(program, RULE, target=limits(maxStorageBufferRange=5))
    assert "is a buffer of 6 elements, and the target's maxStorageBufferRange is 5" in (
        finding.message
    )


@pytest.mark.parametrize("fields", [{"memory_layout": INT8}, {"constant_id": 0}])
def test_what_is_not_known_or_gets_no_memory(fields: dict[str, int]) -> None:
    program = vulkan_program((64, 64), **fields)
    assert found(program, RULE, target=limits(maxImageDimension3D=1)) == ()
