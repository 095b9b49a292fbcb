"""Language models driven as a runner does: each rule's finding is shown by its call, or refuted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from struct import pack

import pytest

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.result import ArtifactReport
from pte_lint.claims.target import Target
from pte_lint.data.reading import open_context
from pte_lint.files.artifact import open_artifact
from pte_lint.harness.confirm import ConfirmOptions, confirm
from pte_lint.harness.language import Driven, drive
from pte_lint.harness.options import ProbeOptions
from pte_lint.judging.engine import Settings, judge
from pte_lint.rulebook.registry import load_rules
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import BuiltProgram
from tests.support.language_models import (
    CONTEXT,
    VOCABULARY,
    WIDTH,
    decoder,
    embedding,
    multimodal,
    program,
    update_cache,
)

pytestmark = [pytest.mark.runtime, pytest.mark.usefixtures("probe")]

FAMILY = ("PTE611", "PTE612", "PTE613", "PTE614", "PTE615", "PTE616", "PTE617", "PTE637", "PTE638")
OPTIONS = ConfirmOptions(ProbeOptions(device_memory="emulated"))


def remembering(name: str = "forward", most: int = 1) -> MethodBuilder:
    """Logits that are the last token at each position so far; up to `most` tokens a call."""
    b = MethodBuilder(name)
    last = b.input((1, most), "int64", dynamism=1 if most > 1 else 0)
    position = b.input((1,), "int64")
    cache = b.state((1, CONTEXT), "int64", initial=bytes(8 * CONTEXT))
    if most > 1:
        minus, end, one = b.int_value(-1), b.int_value((1 << 63) - 1), b.int_value(1)
        last = b.call(
            "aten::slice_copy.Tensor_out", last, one, minus, end, one, out=(1, 1), dtype="int64"
        )
    indices = b.optional_list([None, position])
    b.kernel("aten::index_put_", cache, indices, last, b.bool_value(False), cache)
    out = b.tensor((1, CONTEXT), "float32")
    b.kernel(
        "dim_order_ops::_to_dim_order_copy.out", cache, b.bool_value(False), b.null(), out, out
    )
    b.output(b.call("aten::unsqueeze_copy.out", out, b.int_value(0), out=(1, 1, CONTEXT)))
    return b


def lookup(rows: int, *, is_cached: bool = True) -> MethodBuilder:
    """Logits [1, 1, 32] of tokens that are looked up in a table of so many rows."""
    b = MethodBuilder()
    tokens = b.input((1, 1), "int64")
    if is_cached:
        update_cache(b, b.input((1,), "int64"), CONTEXT)
    count = rows * VOCABULARY
    table = b.constant(pack(f"<{count}f", *range(count)), (rows, VOCABULARY))
    none, false = b.int_value(-1), b.bool_value(False)
    out = (1, 1, VOCABULARY)
    b.output(b.call("aten::embedding.out", table, tokens, none, false, false, out=out))
    return b


def judged(built: BuiltProgram, folder: Path) -> ArtifactReport:
    path = folder / "model.pte"
    path.write_bytes(built.bytes())
    return confirmed(path)


def confirmed(path: Path, *extra: Finding) -> ArtifactReport:
    settings = Settings(rules=load_rules(isolated=True), target=Target())
    with open_artifact(path) as artifact:
        context = open_context(artifact, settings.target, (), {})
        report = judge(context, settings)
        report = replace(report, findings=(*report.findings, *extra))
        return confirm(report, context, (), OPTIONS)


def of_family(report: ArtifactReport) -> list[tuple[str, str, str]]:
    return [
        (f.rule, f.confirmation.status, str(f.confirmation.evidence.get("sign")))
        for f in report.findings
        if f.rule in FAMILY and f.confirmation is not None
    ]


def driven(built: BuiltProgram, folder: Path, *wanted: str) -> Driven:
    path = folder / "model.pte"
    path.write_bytes(built.bytes())
    with open_artifact(path) as artifact:
        context = open_context(artifact, Target(), (), {})
        found = drive(context, path, (), OPTIONS.probe, wanted)
    assert found is not None
    return found


def _bad() -> Iterator[tuple[str, BuiltProgram, str]]:
    b, first = decoder, "forward with 1 token at 0"
    yield (
        "PTE611",
        program(get_max_seq_len=None),
        ("get_max_seq_len asked: InvalidArgument in load_method"),
    )
    yield "PTE611", program(use_kv_cache=1.0), "use_kv_cache asked: output 0 is a double"
    yield "PTE611", program(get_max_seq_len="16"), "get_max_seq_len asked: output 0 is a string"
    yield "PTE611", program(get_max_context_len=8), "get_max_context_len asked: output 0 is 8"
    yield "PTE611", program(get_eos_ids=[2, 2.0]), "get_eos_ids asked: output 1 is a double"
    yield "PTE612", program(b(dtype="int32")), f"{first}: InvalidArgument in set_input (input 0)"
    yield "PTE612", program(b(tokens=(1,))), f"{first}: NotSupported in set_input (input 0)"
    yield (
        "PTE613",
        program(enable_dynamic_shape=True),
        ("forward with 3 tokens at 0: NotSupported in set_input (input 0)"),
    )
    yield "PTE613", program(b(tokens=(1, 4))), f"{first}: NotSupported in set_input (input 0)"
    dynamic = b(tokens=(1, 8), dynamism=1)
    yield (
        "PTE613",
        program(dynamic, enable_dynamic_shape=True),
        ("forward with 15 tokens at 0: NotSupported in set_input (input 0)"),
    )
    yield "PTE613", program(b(tokens=(1, CONTEXT), dynamism=1)), "forward with 3 tokens at 0: ok"
    yield (
        "PTE614",
        program(b(position_dtype="int32")),
        (f"{first}: InvalidArgument in set_input (input 1)"),
    )
    yield "PTE614", program(b(positions=(1, 2))), f"{first}: NotSupported in set_input (input 1)"
    yield (
        "PTE614",
        program(lookup(VOCABULARY, is_cached=False)),
        ("forward with 1 token at 3 after two prompts: the same logits"),
    )
    again = remembering(most=CONTEXT)
    yield (
        "PTE614",
        program(again, use_kv_cache=False, get_vocab_size=CONTEXT),
        ("forward with 4 tokens at 3 and at 0: other logits"),
    )
    yield "PTE615", program(b(outputs=2)), f"{first}: 2 outputs"
    yield (
        "PTE615",
        program(b(logits_dtype="int64")),
        (f"{first}: output 0 is a tensor of Long (1, 1, 32)"),
    )
    yield "PTE615", program(get_vocab_size=31), f"{first}: 32 logits a token"
    yield "PTE615", program(b(logits=(3, VOCABULARY))), f"{first}: output 0 has rank 2"
    yield "PTE615", program(get_eos_ids=[32, 99]), "get_eos_ids asked: 32, 99 of 32 logits"
    yield (
        "PTE616",
        program(get_max_context_len=24),
        ("forward with 1 token at 16: InvalidArgument in execute"),
    )
    yield (
        "PTE617",
        multimodal(embedding(width=2 * WIDTH)),
        ("text_decoder after token_embedding: NotSupported in set_input (input 0)"),
    )
    yield (
        "PTE617",
        multimodal(embedding(dtype="float64")),
        ("text_decoder after token_embedding: InvalidArgument in set_input (input 0)"),
    )
    stages = decoder("prefill"), decoder("decode", logits=(1, 1, VOCABULARY - 1))
    yield "PTE617", program(*stages), "decode with 1 token at 3: 31 logits a token"
    apart = remembering("prefill"), remembering("decode")
    yield (
        "PTE637",
        program(*apart, get_vocab_size=CONTEXT),
        ("decode with 1 token at 3 after two prompts: the same logits"),
    )
    yield "PTE638", program(lookup(31)), "forward with token 31: InvalidArgument in execute"
    yield "PTE638", program(get_eos_ids=[2, 32]), "get_eos_ids asked: 32 of 32 logits"


@pytest.mark.parametrize(("rule", "built", "sign"), list(_bad()))
def test_the_call_shows_it(rule: str, built: BuiltProgram, sign: str, tmp_path: Path) -> None:
    found = of_family(judged(built, tmp_path))
    assert (rule, "confirmed", sign) in found
    assert {status for _, status, _ in found} <= {"confirmed", "not_reached"}


@pytest.mark.parametrize(
    ("built", "calls"),
    [
        (program(), "15 calls up to forward with 1 token at 14"),
        (
            program(decoder(tokens=(1, CONTEXT), dynamism=1), enable_dynamic_shape=True),
            "13 calls up to forward with 1 token at 14",
        ),
        (
            program(decoder(tokens=(1, CONTEXT), dynamism=1, positions=None), use_kv_cache=False),
            "13 calls up to forward with 15 tokens at 14",
        ),
        (
            program(decoder("prefill"), decoder("decode")),
            "15 calls up to decode with 1 token at 14",
        ),
        (multimodal(embedding()), "13 calls up to text_decoder with 1 token at 14"),
    ],
)
def test_good_models_go_through(built: BuiltProgram, calls: str, tmp_path: Path) -> None:
    """And the verdict of the method that a prompt goes to says so."""
    report = judged(built, tmp_path)
    told = [
        v.confirmation.evidence["driven"]
        for v in report.verdict
        if v.confirmation is not None and "driven" in v.confirmation.evidence
    ]
    assert set(told) == {f"driven as a runner does: {calls}, all logits finite"}


def test_a_run_with_what_no_runner_gives_refutes_nothing(tmp_path: Path) -> None:
    """Token 1 at position 1, as the harness gives it, looks up a row that is not there."""
    report = judged(program(_particular()), tmp_path)
    (told,) = [v.confirmation for v in report.verdict if v.method == "forward"]
    assert told is not None
    assert told.runtime["error"] == "InvalidArgument"
    assert told.status == "confirmed"
    assert str(told.evidence["reason"]).startswith("called as a runner does it goes through; ")
    spoilt = judged(program(_particular(), get_max_context_len=24), tmp_path)
    (told,) = [v.confirmation for v in spoilt.verdict if v.method == "forward"]
    assert told is not None
    assert told.status == "refuted"


def _particular() -> MethodBuilder:
    b = MethodBuilder()
    tokens, position = b.input((1, 1), "int64"), b.input((1,), "int64")
    update_cache(b, position, CONTEXT)
    same = b.call("aten::eq.Tensor_out", tokens, position, out=(1, 1), dtype="bool")
    row = b.tensor((1, 1), "int64")
    false, none = b.bool_value(False), b.null()
    b.kernel("dim_order_ops::_to_dim_order_copy.out", same, false, none, row, row)
    table = b.constant(bytes(4 * VOCABULARY), (1, VOCABULARY))
    out = (1, 1, VOCABULARY)
    b.output(b.call("aten::embedding.out", table, row, b.int_value(-1), false, false, out=out))
    return b


@pytest.mark.parametrize(
    ("rule", "call", "ends"),
    [
        ("PTE611", "get_max_seq_len asked", "output 0 is 17"),
        ("PTE612", "forward with 1 token at 0", "NotSupported in set_input (input 0)"),
        ("PTE615", "forward with 1 token at 0", "31 logits a token"),
        ("PTE616", "forward with 1 token at 14", None),
        ("PTE638", "forward with token 31", "InvalidArgument in execute"),
    ],
)
def test_what_is_not_so_is_refuted(rule: str, call: str, ends: str | None, tmp_path: Path) -> None:
    path = tmp_path / "model.pte"
    path.write_bytes(program().bytes())
    planted = Finding(
        message="", remediation="", evidence={"call": call, **({"ends": ends} if ends else {})}
    )
    planted = replace(planted, rule=rule, severity=Severity.WARNING, method="forward")
    found = [f for f in confirmed(path, planted).findings if f.rule == rule]
    assert [f.confirmation.status for f in found if f.confirmation is not None] == ["refuted"]


def test_what_comes_later_is_not_reached(tmp_path: Path) -> None:
    """A model whose tokens cannot be set never gets to the end of its cache."""
    found = of_family(judged(program(decoder(dtype="int32"), get_max_context_len=24), tmp_path))
    assert ("PTE612", "confirmed") in [each[:2] for each in found]
    assert ("PTE616", "not_reached", "None") in found


def test_long_contexts_are_tried_at_both_ends_and_where_a_finding_asks(tmp_path: Path) -> None:
    rows = 1000
    built = program(decoder(cache=rows), get_max_seq_len=rows, get_max_context_len=rows)
    named = driven(built, tmp_path, "forward with 1 token at 500").lines
    assert "forward with 1 token at 500: ok" in named
    plain = driven(built, tmp_path).lines
    assert "forward with 1 token at 500: ok" not in plain
    assert "forward with 1 token at 998: ok" in plain
    assert "forward with 1 token at 999: ok" not in plain
    assert "forward with 1 token at 130: ok" in plain
    assert "forward with 1 token at 131: ok" not in plain


@pytest.mark.parametrize("is_cached", [True, False])
def test_a_context_beyond_all_bounds_ends_where_the_model_does(
    is_cached: bool, tmp_path: Path
) -> None:
    positions = (1,) if is_cached else None
    method = decoder(tokens=(1, CONTEXT), dynamism=1, positions=positions)
    long = (1 << 63) - 1
    built = program(method, use_kv_cache=is_cached, get_max_seq_len=long, get_max_context_len=long)
    last = f"forward with 1 token at {CONTEXT}" if is_cached else "forward with 17 tokens at 16"
    assert f"then {last}: " in driven(built, tmp_path).generation


def test_logits_that_are_no_numbers(tmp_path: Path) -> None:
    found = driven(program(_not_finite()), tmp_path)
    assert "forward with 1 token at 0: 32 logits are not finite" in found.lines
    assert found.generation.endswith("logits not finite in 15 calls")


def _not_finite() -> MethodBuilder:
    b = MethodBuilder()
    b.input((1, 1), "int64")
    update_cache(b, b.input((1,), "int64"), CONTEXT)
    sizes = b.ints((1, 1, VOCABULARY))
    value = b.double_value(float("inf"))
    b.output(b.call("aten::full.out", sizes, value, out=(1, 1, VOCABULARY), dtype="float32"))
    return b
