"""Programs that are too new for the target."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.fuzz.odd.defect import OddDefect
from tests.support.examples import adder
from tests.support.language_models import decoder, program


def _too_new() -> OddDefect:
    b = MethodBuilder()
    b.output(b.d2h(b.h2d(b.input((2, 2)))))
    good = build_program(adder()).bytes()
    what = "boundary copies for a 1.3 target"
    return OddDefect(what, build_program(b).bytes(), good, options={"target": "1.3"})


def _model(what: str, *methods: MethodBuilder, **changes: Any) -> Callable[[], OddDefect]:
    """A language model with other methods or metadata than the right one."""
    return lambda: OddDefect(what, program(*methods, **changes).bytes(), program().bytes())


def _stages() -> OddDefect:
    good = program(decoder("prefill"), decoder("decode")).bytes()
    bad = program(decoder("prefill", cache=32), decoder("decode")).bytes()
    return OddDefect("prefill with a longer cache than decode", bad, good)


def _apart() -> OddDefect:
    good = program(decoder("prefill"), decoder("decode", positions=None)).bytes()
    bad = program(decoder("prefill"), decoder("decode")).bytes()
    return OddDefect("a cache in prefill and one in decode", bad, good)


COMPATIBILITY: dict[str, Callable[[], OddDefect]] = {
    "PTE601": _too_new,
    "PTE611": _model("a length that is a double", get_max_seq_len=16.0),
    "PTE612": _model("tokens of int32", decoder(dtype="int32")),
    "PTE613": _model("static tokens that are said to be dynamic", enable_dynamic_shape=True),
    "PTE614": _model("positions beside metadata without a cache", use_kv_cache=False),
    "PTE615": _model("twice the vocabulary of the logits", get_vocab_size=64),
    "PTE616": _model("a context four times the cache", get_max_context_len=64),
    "PTE617": _stages,
    "PTE637": _apart,
    "PTE638": _model("an end token beyond the vocabulary", get_eos_ids=[99]),
}
