from __future__ import annotations

from typing import Any

import pytest

from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.rules.checks import found, only
from tests.support.language_models import constant, decoder, metadata, program

RULE = "PTE611"


def test_a_model_that_fits_is_silent() -> None:
    assert found(program(), RULE) == ()
    assert found(program(get_eos_ids=[2, 7]), RULE) == ()
    # Defaults stand in for what is left out.
    assert found(program(get_max_context_len=None, enable_dynamic_shape=None), RULE) == ()


def test_a_program_without_a_length_is_refused() -> None:
    finding = only(program(get_max_seq_len=None), RULE)
    assert finding.subject == "metadata get_max_seq_len"
    assert finding.method == "forward"
    assert "refuse it with InvalidArgument" in finding.message


@pytest.mark.parametrize(
    ("value", "kind"),
    [(16.0, "Double"), ("16", "String"), (bytes([16, 0, 0, 0, 0, 0, 0, 0]), "Tensor")],
)
def test_lengths_that_are_no_whole_numbers(value: Any, kind: str) -> None:
    finding = only(program(get_max_seq_len=value), RULE)
    assert finding.message == (
        f"Metadata method get_max_seq_len returns a {kind}, which ends the process of a runner."
    )
    assert finding.location.value == 0


def test_every_end_token_is_read_but_of_the_others_the_first_result() -> None:
    finding = only(program(get_eos_ids=[2, 3.0]), RULE)
    assert (finding.method, finding.location.value) == ("get_eos_ids", 1)
    assert found(program(use_kv_cache=[True, 3.0]), RULE) == ()


def test_what_readers_other_than_the_runner_want() -> None:
    finding = only(program(get_vocab_size="32"), RULE)
    assert "no whole number to a reader" in finding.message


def test_metadata_with_inputs_or_without_results() -> None:
    asks = constant("get_max_context_len", 16)
    asks.input((1,))
    methods = [decoder(), *metadata(get_max_context_len=None), asks]
    assert "takes 1 inputs" in only(build_program(*methods), RULE).message
    methods[-1] = MethodBuilder("get_max_context_len")
    assert "returns nothing" in only(build_program(*methods), RULE).message


@pytest.mark.parametrize(("length", "count"), [(-1, 1), (0, 1), (15, 1), (16, 0), (17, 0)])
def test_the_context_is_no_shorter_than_a_call(length: int, count: int) -> None:
    findings = found(program(get_max_context_len=length), RULE)
    assert [f.method for f in findings] == ["get_max_context_len"] * count


def test_other_programs_are_left_alone() -> None:
    few = dict.fromkeys(
        ("get_max_seq_len", "get_max_context_len", "get_vocab_size", "use_kv_cache"), None
    )
    assert found(program(**few, use_sdpa_with_kv_cache=None, get_bos_id=None), RULE) == ()
    # Encoders have some of the metadata, but not what belongs to generating.
    encoder = program(use_kv_cache=None, get_eos_ids=None, get_max_context_len=None)
    assert found(encoder, RULE) == ()
    assert found(program(decoder("encode"), get_max_seq_len=16.0), RULE) == ()
