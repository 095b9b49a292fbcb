from __future__ import annotations

from tests.rules.checks import found, only
from tests.support.language_models import decoder, program

RULE = "PTE637"


def test_prefill_and_decode_with_a_cache_each() -> None:
    finding = only(program(decoder("prefill"), decoder("decode")), RULE)
    assert finding.message == (
        "prefill fills value 2 and decode reads value 2: the text runner gives each method memory "
        "of its own, so that decode goes on from an empty cache."
    )
    assert (finding.method, finding.location.value) == ("decode", 2)


def test_one_method_or_one_cache_is_right() -> None:
    assert found(program(), RULE) == ()
    assert found(program(decoder("prefill"), decoder("decode", positions=None)), RULE) == ()
    assert found(program(decoder("prefill")), RULE) == ()
    # The method that is asked for wins over prefill: forward does both.
    assert found(program(decoder("forward"), decoder("decode")), RULE) == ()
