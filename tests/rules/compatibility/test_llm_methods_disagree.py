from __future__ import annotations

import pytest

from tests.rules.checks import found, only
from tests.support.language_models import decoder, embedding, multimodal, program

RULE = "PTE617"


def test_one_method_agrees_with_itself() -> None:
    assert found(program(), RULE) == ()


def test_caches_of_both_stages() -> None:
    assert found(program(decoder("prefill"), decoder("decode")), RULE) == ()
    finding = only(program(decoder("prefill", cache=32), decoder("decode")), RULE)
    assert finding.message == (
        "The caches differ: prefill has 1 such as float32 [1, 32, 4], decode 1 such as "
        "float32 [1, 16, 4]."
    )
    assert finding.method == "decode"
    assert finding.subject == "prefill and decode: caches"


def test_logits_of_both_stages() -> None:
    built = program(decoder("prefill", logits=(1, 7, 32)), decoder("decode"))
    assert found(built, RULE) == ()
    built = program(decoder("prefill", logits=(1, 1, 16)), decoder("decode"))
    assert only(built, RULE).evidence == {
        "difference": "logits",
        "methods": ["prefill", "decode"],
        "call": "decode with 1 token at 3",
        "ends": "32 logits a token",
    }


def test_forward_comes_before_prefill() -> None:
    """Runners take prefill only where forward is missing."""
    built = program(decoder("forward"), decoder("prefill", cache=32), decoder("decode"))
    assert found(built, RULE) == ()


def test_embeddings() -> None:
    image = embedding("vision_encoder", (1, 9), takes="float32", dynamism=0)
    assert found(multimodal(embedding(), image), RULE) == ()


@pytest.mark.parametrize("changes", [{"width": 5}, {"dtype": "float16"}])
def test_embeddings_of_another_kind(changes: dict[str, object]) -> None:
    other = embedding("audio_encoder", (1, 9), **changes)  # type: ignore[arg-type]
    finding = only(multimodal(embedding(), other), RULE)
    assert finding.subject == "audio_encoder and text_decoder: embeddings"
    assert finding.method == "text_decoder"


@pytest.mark.parametrize(("count", "findings"), [(16, 0), (17, 1)])
def test_an_image_of_more_tokens_than_the_decoder_takes(count: int, findings: int) -> None:
    image = embedding("vision_encoder", (1, count), dynamism=0)
    assert len(found(multimodal(embedding(), image), RULE)) == findings
