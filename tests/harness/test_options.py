"""Options and their notation."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from pte_lint.harness.options import VARIANTS, ProbeOptions


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"variants": ["default", "upside_down"]}, "unknown variants: upside_down"),
        ({"devices": 0}, "devices must be 1 to 16"),
        ({"devices": 17}, "devices must be 1 to 16"),
        ({"methods": []}, "methods must name at least one"),
        ({"timeout": 0}, "timeouts and the memory limit must be above 0"),
        ({"total_timeout": -1}, "timeouts and the memory limit must be above 0"),
        ({"memory_limit": 0}, "timeouts and the memory limit must be above 0"),
    ],
)
def test_options_that_make_no_sense(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        ProbeOptions(**changes)
    with pytest.raises(ValueError, match=words):
        replace(ProbeOptions(), **changes)


def test_every_variant_is_accepted() -> None:
    assert ProbeOptions(variants=VARIANTS).arguments("emulated").count("--variant=default") == 1


def test_notation() -> None:
    options = ProbeOptions(
        variants=("default", "rising"),
        verification="minimal",
        methods=["b", "a"],
        strict_delegates=["X"],
        without_kernels=["aten::"],
        delegate_outputs={(0, 0, 3): 2},
        input_sizes={1: (2, 3), 0: ()},
        as_runtime="1.4",
        timeout=2,
    )
    assert not [w for w in options.arguments("cuda") if w.startswith("--as-runtime")]
    words = options.arguments("cuda", replays=True)
    assert words[:3] == ["--verification=minimal", "--loader=file", "--device-memory=cuda"]
    assert "--as-runtime=1.4" in words
    assert "--seconds=2" in words
    assert words[-9:] == [
        "--input-sizes=0:",
        "--input-sizes=1:2,3",
        "--variant=default",
        "--variant=rising",
        "--strict=X",
        "--without-kernel=aten::",
        "--delegate-outputs=0:0:3:2",
        "--method=a",
        "--method=b",
    ]


def test_no_replay_by_default() -> None:
    words = ProbeOptions().arguments("emulated", replays=True)
    assert not [word for word in words if word.startswith("--as-runtime")]
