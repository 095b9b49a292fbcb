from __future__ import annotations

from tests.fuzz.payload_hunt import damaged, payloads, read


def test_a_sample_of_damaged_payloads() -> None:
    seeds = payloads()
    kinds = {read(damaged(number, 9, seeds)) for number in range(300)}
    assert {"ELF", "Vela stream", "XNNPACK graph XN01"} <= kinds


def test_sound_payloads_are_told() -> None:
    assert {read(content) for content in payloads()} >= {"ELF", "CUDA weight table 3"}
