from __future__ import annotations

from collections.abc import Iterable

from tests.fuzz.payload_hunt import damaged, payloads, read


def kinds(contents: Iterable[bytes]) -> set[str]:
    """What any reader took any of them for."""
    return {kind for content in contents for kind in read(content).split(" or ")}


def test_a_sample_of_damaged_payloads() -> None:
    seeds = payloads()
    told = kinds(damaged(number, 9, seeds) for number in range(300))
    assert {"ELF", "Vela stream", "XNNPACK graph XN01"} <= told


def test_sound_payloads_are_told() -> None:
    assert {"ELF", "Vela stream", "CUDA weight table 3"} <= kinds(payloads())
