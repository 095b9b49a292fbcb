from __future__ import annotations

from typing import Any

import pytest

from pte_lint.testing.builder import MethodBuilder
from tests.rules.checks import found, only
from tests.support.language_models import VOCABULARY, WIDTH, decoder, program

RULE = "PTE638"


@pytest.mark.parametrize(
    ("ids", "wrong", "end"),
    [
        ([VOCABULARY - 1], None, ""),
        ([2, VOCABULARY], [VOCABULARY], "only the others end a text."),
        ([-1, 99], [-1, 99], "no text ends."),
        ([2.0], None, ""),
    ],
)
def test_end_tokens(ids: list[Any], wrong: list[int] | None, end: str) -> None:
    findings = found(program(get_eos_ids=ids), RULE)
    assert [f.evidence["ids"] for f in findings] == ([] if wrong is None else [wrong])
    for finding in findings:
        listed = ", ".join(map(str, wrong or ()))
        assert (
            finding.message == f"get_eos_ids returns {listed}, and the model has 32 tokens: {end}"
        )
        assert finding.method == "get_eos_ids"


def test_what_takes_no_tokens_has_none() -> None:
    assert found(program(decoder(dtype="float32"), get_eos_ids=[99]), RULE) == ()
    assert len(found(program(decoder(dtype="int32"), get_eos_ids=[99]), RULE)) == 1


def _embedded(rows: int) -> MethodBuilder:
    b = decoder()
    weight = b.constant(bytes(4 * rows * WIDTH), (rows, WIDTH))
    no, padding = b.bool_value(False), b.int_value(-1)
    b.call("aten::embedding.out", weight, b.inputs[0], padding, no, no, out=(1, 1, WIDTH))
    return b


@pytest.mark.parametrize(("rows", "count"), [(31, 1), (32, 0), (40, 0)])
def test_rows_of_the_embedding(rows: int, count: int) -> None:
    findings = found(program(_embedded(rows)), RULE)
    shown = {"call": f"forward with token {rows}", "ends": "InvalidArgument in execute"}
    assert [f.evidence for f in findings] == [{"logits": 32, "rows": rows, **shown}] * count


def test_what_it_says_and_a_smaller_vocabulary_than_logits() -> None:
    finding = only(program(_embedded(31)), RULE)
    assert finding.message == (
        "forward returns 32 logits a token, but its embedding has 31 rows: token 31 is "
        "refused with InvalidArgument as the next input."
    )
    assert finding.location.operator == "aten::embedding.out"
    assert found(program(_embedded(31), get_vocab_size=31), RULE) == ()
