from __future__ import annotations

import pytest

from tests.rules.checks import found, only
from tests.support.language_models import decoder, embedding, multimodal, program

RULE = "PTE614"


def test_positions_with_a_cache_and_none_without() -> None:
    assert found(program(), RULE) == ()
    assert found(program(use_kv_cache=None), RULE) == ()
    assert found(program(decoder(positions=None), use_kv_cache=False), RULE) == ()


def test_no_positions_for_a_cache() -> None:
    finding = only(program(decoder(positions=None)), RULE)
    assert finding.subject == "forward use_kv_cache"
    assert "latest token alone" in finding.message
    assert finding.evidence == {
        "use_kv_cache": True,
        "inputs": 1,
        "call": "forward with 1 token at 3 after two prompts",
        "ends": "the same logits",
    }


def test_positions_without_a_cache() -> None:
    finding = only(program(use_kv_cache=False), RULE)
    assert "as if they came after themselves" in finding.message
    assert finding.evidence == {
        "use_kv_cache": False,
        "inputs": 2,
        "call": "forward with 4 tokens at 3 and at 0",
        "ends": "other logits",
    }


def test_another_type() -> None:
    finding = only(program(decoder(position_dtype="int32")), RULE)
    assert finding.message == (
        "The positions of forward are int32 [1]; runners give int64, and set_input refuses that "
        "with InvalidArgument."
    )
    assert finding.location.value == 1


@pytest.mark.parametrize(("sizes", "what"), [((), "no dimension"), ((1, 2), "one dimension")])
def test_another_rank(sizes: tuple[int, ...], what: str) -> None:
    assert what in only(program(decoder(positions=sizes)), RULE).message


@pytest.mark.parametrize(("count", "findings"), [(1, 0), (3, 1), (4, 0), (5, 1)])
def test_as_many_positions_as_tokens(count: int, findings: int) -> None:
    b = decoder(tokens=(1, 4), positions=(count,))
    assert len(found(program(b), RULE)) == findings


@pytest.mark.parametrize(("count", "findings"), [(1, 0), (14, 1), (15, 0), (16, 0)])
def test_dynamic_positions(count: int, findings: int) -> None:
    b = decoder(tokens=(1, 15), dynamism=1, positions=(count,), position_dynamism=1)
    assert len(found(program(b), RULE)) == findings


def test_an_attention_mask_is_no_position() -> None:
    """A masked language model takes two inputs of one shape, and no runner calls it."""
    b = decoder(tokens=(1, 16), dynamism=1, positions=(1, 16), position_dtype="int32")
    assert found(program(b), RULE) == ()


def test_the_decoder_of_a_multimodal_model() -> None:
    assert found(multimodal(embedding()), RULE) == ()
    finding = only(multimodal(embedding(), positions=(16,)), RULE)
    assert finding.method == "text_decoder"
    assert found(multimodal(embedding(), positions=(16,), position_dynamism=1), RULE) == ()


def test_both_stages() -> None:
    both = program(decoder("prefill"), decoder("decode", position_dtype="int32"))
    assert only(both, RULE).method == "decode"
