from __future__ import annotations

import pytest

from tests.rules.checks import found, only
from tests.support.language_models import decoder, embedding, multimodal, program

RULE = "PTE615"


@pytest.mark.parametrize("sizes", [(1, 1, 32), (1, 5, 32), (1, 32), (32,)])
def test_logits_that_fit(sizes: tuple[int, ...]) -> None:
    assert found(program(decoder(logits=sizes)), RULE) == ()


@pytest.mark.parametrize("size", [31, 33])
def test_another_vocabulary(size: int) -> None:
    finding = only(program(get_vocab_size=size), RULE)
    assert finding.message == (f"forward returns 32 logits a token, but get_vocab_size is {size}.")
    assert finding.method == "forward"
    assert found(program(get_vocab_size=None), RULE) == ()


@pytest.mark.parametrize(
    ("dtype", "count"), [("float16", 0), ("bfloat16", 0), ("float64", 1), ("int64", 1)]
)
def test_types_that_can_be_sampled(dtype: str, count: int) -> None:
    assert len(found(program(decoder(logits_dtype=dtype)), RULE)) == count


def test_rows_in_another_rank() -> None:
    assert "the first row" in only(program(decoder(logits=(5, 32))), RULE).message
    assert len(found(program(decoder(logits=(1, 1, 5, 32))), RULE)) == 1


@pytest.mark.parametrize("outputs", [0, 2])
def test_another_number_of_outputs(outputs: int) -> None:
    finding = only(program(decoder(outputs=outputs)), RULE)
    assert "end the process" in finding.message


def test_an_output_that_is_no_tensor() -> None:
    b = decoder(outputs=0)
    b.output(b.int_value(3))
    assert "returns no logits" in only(program(b), RULE).message


@pytest.mark.parametrize(
    ("ids", "count"), [([31], 0), ([0], 0), ([32], 1), ([-1], 1), ([40, 2], 0), ([40, 41], 1)]
)
def test_an_end_token_that_can_come(ids: list[int], count: int) -> None:
    findings = found(program(get_eos_ids=ids), RULE)
    assert [f.subject for f in findings] == ["metadata get_eos_ids"] * count


def test_end_tokens_that_are_no_numbers_are_left_to_another_rule() -> None:
    assert found(program(get_eos_ids=[40, "41"]), RULE) == ()


def test_each_method_that_returns_logits() -> None:
    both = program(decoder("prefill"), decoder("decode", logits=(1, 1, 16)))
    assert only(both, RULE).method == "decode"
    assert only(multimodal(embedding(), logits=(1, 1, 16)), RULE).method == "text_decoder"
