from __future__ import annotations

import pytest

from tests.rules.checks import found, only
from tests.support.language_models import decoder, embedding, multimodal, program

RULE = "PTE612"


@pytest.mark.parametrize("sizes", [(1, 1), (1, 16)])
def test_one_sequence_in_int64(sizes: tuple[int, ...]) -> None:
    assert found(program(decoder(tokens=sizes)), RULE) == ()
    assert found(program(decoder(tokens=sizes, dynamism=1)), RULE) == ()


def test_another_type() -> None:
    finding = only(program(decoder(dtype="int32")), RULE)
    assert finding.message == (
        "The tokens of forward are int32 [1, 1]; runners give int64 [1, n], which set_input "
        "refuses with InvalidArgument."
    )
    assert (finding.method, finding.location.value) == ("forward", 0)
    assert found(program(decoder(dtype="float32")), RULE) != ()


@pytest.mark.parametrize("sizes", [(1,), (1, 1, 1), (2, 1), (0, 1), ()])
def test_another_shape(sizes: tuple[int, ...]) -> None:
    assert only(program(decoder(tokens=sizes)), RULE).evidence["error"] == "NotSupported"


def test_a_batch_that_may_be_one() -> None:
    assert found(program(decoder(tokens=(2, 8), dynamism=1)), RULE) == ()


def test_int32_where_its_runner_gives_that() -> None:
    b = decoder(dtype="int32", position_dtype="int32")
    b.delegate("EthosUBackend", [b.constant([1.0], (1,))], outputs=[(1,)])
    assert found(program(b), RULE) == ()


def test_each_method_that_takes_tokens() -> None:
    both = program(decoder("prefill"), decoder("decode", dtype="int32"))
    assert only(both, RULE).method == "decode"
    assert found(multimodal(embedding()), RULE) == ()
    assert only(multimodal(embedding(takes="int32")), RULE).method == "token_embedding"
