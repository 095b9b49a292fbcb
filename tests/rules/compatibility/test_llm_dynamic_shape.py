from __future__ import annotations

import pytest

from pte_lint.claims.finding import Severity
from pte_lint.testing.builder import MethodBuilder
from tests.rules.checks import found, only
from tests.support.language_models import decoder, embedding, multimodal, program

RULE = "PTE613"


def dynamic(most: int, name: str = "forward", **options: tuple[int, ...] | None) -> MethodBuilder:
    return decoder(name, tokens=(1, most), dynamism=1, **options)  # type: ignore[arg-type]


def test_static_tokens_that_are_said_to_be_static() -> None:
    assert found(program(), RULE) == ()
    assert found(program(enable_dynamic_shape=None), RULE) == ()


@pytest.mark.parametrize("most", [1, 8])
def test_static_tokens_that_are_said_to_be_dynamic(most: int) -> None:
    finding = only(program(decoder(tokens=(1, most)), enable_dynamic_shape=True), RULE)
    assert finding.message == (
        f"Input 0 of forward is [1, {most}], and enable_dynamic_shape is true: runners send a "
        "prompt of 3 tokens as [1, 3], which set_input refuses with NotSupported."
    )
    assert (finding.severity, finding.method) == (Severity.WARNING, "forward")
    assert finding.location.value == 0


def test_several_static_tokens_where_runners_send_one() -> None:
    assert "runners send [1, 1]" in only(program(decoder(tokens=(1, 8))), RULE).message


def test_a_model_without_a_cache_contradicts_nothing() -> None:
    fixed = decoder(tokens=(1, 8), positions=None)
    assert found(program(fixed, use_kv_cache=False), RULE) == ()
    assert len(found(program(fixed, use_kv_cache=False, enable_dynamic_shape=True), RULE)) == 1


def test_dynamic_tokens_that_are_said_to_be_static_cost_calls() -> None:
    finding = only(program(dynamic(15)), RULE)
    assert finding.severity is Severity.INFO
    assert "one token at a time" in finding.message
    # Without a cache all tokens are sent, whatever the metadata says.
    assert found(program(dynamic(15, positions=None), use_kv_cache=False), RULE) == ()


@pytest.mark.parametrize(("most", "count"), [(14, 1), (15, 0), (16, 0), (17, 0)])
@pytest.mark.parametrize("cached", [True, False])
def test_the_most_tokens_of_a_call(most: int, count: int, cached: bool) -> None:
    model = dynamic(most, positions=(1,) if cached else None)
    findings = found(program(model, use_kv_cache=cached, enable_dynamic_shape=True), RULE)
    assert [f.severity for f in findings] == [Severity.WARNING] * count


@pytest.mark.parametrize(
    ("most", "severities"), [(6, [Severity.WARNING]), (7, [Severity.INFO]), (8, [])]
)
def test_pieces_of_a_longer_prompt(most: int, severities: list[Severity]) -> None:
    built = program(dynamic(most), enable_dynamic_shape=True, get_max_seq_len=8)
    assert [f.severity for f in found(built, RULE)] == severities


@pytest.mark.parametrize("name", ["sliding_window", "get_max_prefill_chunk"])
def test_models_that_say_they_take_less(name: str) -> None:
    changes = {"enable_dynamic_shape": True, name: 4}
    assert found(program(dynamic(3), **changes), RULE) == ()


def test_prefill_and_decode() -> None:
    stages = dynamic(15, "prefill"), decoder("decode")
    assert found(program(*stages, enable_dynamic_shape=True), RULE) == ()
    stages = dynamic(15, "prefill"), decoder("decode", tokens=(1, 2))
    finding = only(program(*stages, enable_dynamic_shape=True), RULE)
    assert finding.method == "decode"
    assert "one token a call" in finding.message


def test_a_multimodal_model_takes_a_whole_prompt() -> None:
    assert found(multimodal(embedding()), RULE) == ()
    assert only(multimodal(embedding(dynamism=0)), RULE).method == "token_embedding"
    assert only(multimodal(embedding(), dynamism=0), RULE).method == "text_decoder"
    assert only(multimodal(embedding(sizes=(1, 14))), RULE).severity is Severity.WARNING


def test_metadata_that_is_no_number_is_left_to_another_rule() -> None:
    assert found(program(decoder(tokens=(1, 8)), enable_dynamic_shape="yes"), RULE) == ()
