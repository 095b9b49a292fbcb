"""Drives a language model as ExecuTorch's runners do, without a tokenizer, and tells what it shows.

The calls are those of `pte_lint.data.language_calls`, on one module whose arenas live on: the
metadata methods, a prompt of three tokens, then one token a call up to the end of the context. Ids
of tokens are given instead of sampled. Each call leaves lines:

    forward with 1 token at 15: ok
    forward with 1 token at 15: 32 logits a token
    forward with 1 token at 15: output 0 is a tensor of Float (1, 1, 32)
    forward with 1 token at 16: InvalidArgument in execute
    get_eos_ids asked: output 0 is 2
    forward with 1 token at 3 after two prompts: other logits

What a session did not get to leaves none.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from struct import pack
from typing import Final

from pte_lint.data.context import Context
from pte_lint.data.language_calls import (
    OTHER_LOGITS,
    PROMPT,
    SAME_LOGITS,
    call_name,
    encoder_call,
    is_cached,
    metadata_call,
    other_position,
    other_prompt,
    reads_at_once,
)
from pte_lint.data.language_model import (
    EOS_IDS,
    INT64,
    MAX_CONTEXT_LEN,
    READ,
    LanguageModel,
    input_tensor,
    language_model,
    output_tensor,
    sizes,
)
from pte_lint.harness.options import ProbeOptions
from pte_lint.harness.outcome import TensorFacts
from pte_lint.harness.sessions import (
    Call,
    EarlierOutput,
    HostTensor,
    Output,
    Session,
    SessionRun,
    run_sessions,
)
from pte_lint.questions.method import Method
from pte_lint.schema.frozen import dataclass
from pte_lint.text.printable import printable

_EDGE: Final = 128
"""Of longer contexts the positions at both ends are tried, so many at each."""
_MOST_TOKENS: Final = 1 << 16
_MOST_AGAIN: Final = 1 << 12
"""Tokens of a call, where each call has all tokens so far."""
_PROMPT_IDS: Final = (1, 2, 3)
_OTHER_IDS: Final = (4, 6, 5)
_NEXT_ID: Final = 1
_CALLED: Final = re.compile(r"(.+) with (\d+) tokens? at (\d+)")
_TOKEN: Final = re.compile(r"(.+) with token (\d+)")


@dataclass(frozen=True, slots=True)
class Driven:
    """What driving a language model showed.

    Attributes:
        lines: The record.
        generation: How far a generation got, one sentence.
        methods: The methods that a prompt and the tokens after it go to.
        went_through: Whether it got to the end of the context.
    """

    lines: tuple[str, ...]
    generation: str
    methods: tuple[str, ...]
    went_through: bool


def drive(
    context: Context,
    path: Path,
    data: Sequence[Path],
    options: ProbeOptions,
    wanted: Collection[str] = (),
) -> Driven | None:
    """Drives the program; None where it is no language model.

    Args:
        context: The program.
        path: Its file.
        data: Its data files.
        options: How it is run.
        wanted: Calls that findings name; those of a generation are made in any case.

    Raises:
        HarnessUnavailable: the runtime or the compiler is missing, or there is no fence.
    """
    model = language_model(context)
    if model is None:
        return None
    plan = _Plan(model, wanted)
    chosen = replace(options, variants=(), methods=(model.takers[0].name,), describe=False)
    runs = run_sessions(path, plan.sessions, data=data, options=chosen)
    return _told(plan, runs)


class _Plan:
    """The sessions with one model; the first is a generation."""

    def __init__(self, model: LanguageModel, wanted: Collection[str]) -> None:
        self.model, self.wanted = model, frozenset(wanted)
        self.sessions: list[Session] = [self.generation]
        names = [name for name in (*READ, *model.metadata) if name in model.names]
        names += [name for name in READ if metadata_call(name) in self.wanted]
        self.sessions += [(Call(metadata_call(name), name),) for name in dict.fromkeys(names)]
        known = {call.name for call in self.generation}
        for name in sorted(self.wanted - known):
            made = self._wanted(name)
            if made:
                self.sessions.append(made)
        self.pairs = [pair for name in sorted(self.wanted) if (pair := self._pair(name))]
        self.sessions += [session for _, *both in self.pairs for session in both]

    @cached_property
    def vocabulary(self) -> int:
        """How many ids there are to give."""
        logits = output_tensor(self.model.decoders[0])
        return max(1, (tuple(sizes(logits)) or (1,))[-1]) if logits is not None else 1

    @cached_property
    def generation(self) -> Session:
        """The prompt, then positions up to two below the context."""
        return self._prompt(_PROMPT_IDS) + tuple(
            call for position in self._positions() for call in self._decode(position)
        )

    def _positions(self) -> Sequence[int]:
        """TextLLMRunner::generate (text_llm_runner.cpp) gives these and no more."""
        context = self.model.number(MAX_CONTEXT_LEN) or 0
        if not is_cached(self.model):
            context = min(context, _MOST_AGAIN)
        every = range(PROMPT, context - 1)
        if len(every) <= 2 * _EDGE:
            return every
        named = (_CALLED.fullmatch(name) for name in self.wanted)
        asked = {int(match[3]) for match in named if match is not None}
        between = sorted(position for position in asked if position in every[_EDGE:-_EDGE])
        return [*every[:_EDGE], *between[:_EDGE], *every[-_EDGE:]]

    def _prompt(self, ids: Sequence[int]) -> Session:
        method = self.model.decoders[0]
        if reads_at_once(self.model):
            return self._step(method, ids, 0)
        return tuple(call for at, one in enumerate(ids) for call in self._step(method, (one,), at))

    def _decode(self, position: int) -> Session:
        method = self.model.decoders[-1]
        if is_cached(self.model):
            return self._step(method, (_NEXT_ID,), position)
        ids = (*_PROMPT_IDS, *(_NEXT_ID for _ in range(position + 1 - PROMPT)))
        return self._step(method, ids, position)

    def _step(self, method: Method, ids: Sequence[int], start: int) -> Session:
        """One call of the decoder, with that of the embedding before it where there is one."""
        tokens = self._tokens(ids)
        name = call_name(method.name, len(ids), start)
        if not self.model.is_multimodal:
            return (Call(name, method.name, (tokens, *self._places(method, len(ids), start))),)
        embedding = self.model.takers[0].name
        return (
            Call(call_name(embedding, len(ids), start), embedding, (tokens,)),
            Call(name, method.name, (EarlierOutput(-1), *self._places(method, len(ids), start))),
        )

    def _tokens(self, ids: Sequence[int]) -> HostTensor:
        held = [one % self.vocabulary for one in ids]
        return HostTensor(INT64, (1, len(ids)), pack(f"<{len(ids)}q", *held))

    def _places(self, method: Method, count: int, start: int) -> tuple[HostTensor, ...]:
        """Positions where the method takes any (util.h: populate_start_pos_or_cache_position)."""
        if len(method.inputs) < 2:
            return ()
        tensor = input_tensor(method, 1)
        each = tensor is not None and (tuple(sizes(tensor)) or (1,))[0] > 1
        if self.model.is_multimodal and start > 0:
            each = False  # MultimodalDecoderRunner::decode
        places = range(start, start + count) if each else (start,)
        return (HostTensor(INT64, (len(places),), pack(f"<{len(places)}q", *places)),)

    def _wanted(self, name: str) -> Session:
        """A session of its own for a call that no generation makes."""
        methods = {each.name: each for each in (*self.model.decoders, *self.model.encoders)}
        if (match := _TOKEN.fullmatch(name)) is not None and match[1] in methods:
            return self._with_token(methods[match[1]], int(match[2]), name)
        if (match := _CALLED.fullmatch(name)) is not None and match[1] in methods:
            count, start = int(match[2]), int(match[3])
            if count <= _MOST_TOKENS:
                method = methods[match[1]]
                decoder = method if method in self.model.decoders else self.model.decoders[0]
                return self._step(decoder, range(count), start)
        for encoder in self.model.encoders:
            decoder = self.model.decoders[0]
            if name == encoder_call(decoder.name, encoder.name):
                return self._encoded(encoder, decoder, name)
        return ()

    def _with_token(self, method: Method, token: int, name: str) -> Session:
        ids = HostTensor(INT64, (1, 1), pack("<q", token))
        if method in self.model.decoders:
            return (Call(name, method.name, (ids, *self._places(method, 1, 0))),)
        return (Call(name, method.name, (ids,)),)

    def _encoded(self, encoder: Method, decoder: Method, name: str) -> Session:
        if encoder is self.model.takers[0]:
            return tuple(
                replace(call, name=name) if call.method == decoder.name else call
                for call in self._step(decoder, _PROMPT_IDS, 0)
            )
        given = [input_tensor(encoder, i) for i in range(len(encoder.inputs))]
        tensors = tuple(
            HostTensor(each.scalar_type, tuple(sizes(each)), b"")
            for each in given
            if each is not None
        )
        returned = output_tensor(encoder)
        dims = tuple(sizes(returned)) if returned is not None else ()
        places = self._places(decoder, dims[1] if len(dims) > 1 else 1, 0)
        return (
            Call(f"{encoder.name} called", encoder.name, tensors),
            Call(name, decoder.name, (EarlierOutput(-1), *places)),
        )

    def _pair(self, name: str) -> tuple[str, Session, Session] | None:
        """Two sessions whose last calls are compared."""
        method = self.model.decoders[-1]
        last = self._decode(PROMPT)
        if name == other_prompt(last[-1].name):
            return name, self._prompt(_PROMPT_IDS) + last, self._prompt(_OTHER_IDS) + last
        if name == other_position(method.name, PROMPT + 1, PROMPT):
            start = self._step(method, (*_PROMPT_IDS, _NEXT_ID), 0)
            return name, self._prompt(_PROMPT_IDS) + last, start
        return None


def _told(plan: _Plan, runs: Sequence[SessionRun]) -> Driven:
    lines: list[str] = []
    decoders = {method.name for method in plan.model.decoders}
    compared = 2 * len(plan.pairs)
    alone = len(runs) - compared
    for session, run in zip(plan.sessions[:alone], runs[:alone], strict=True):
        lines += _lines(session, run, decoders)
    for number, (name, *_) in enumerate(plan.pairs):
        first, second = runs[alone + 2 * number : alone + 2 * number + 2]
        lines += _comparison(name, first, second, plan)
    lines += _end_tokens(plan, runs)
    generation, run = plan.generation, runs[0]
    return Driven(
        tuple(dict.fromkeys(lines)),
        _summary(generation, run, decoders),
        tuple(printable(method.name) for method in plan.model.decoders),
        run.outcome == "ok" and not run.damaged,
    )


def _lines(session: Session, run: SessionRun, decoders: Collection[str]) -> Iterator[str]:
    if run.damaged:
        return
    for call, outputs in zip(session, run.results, strict=False):
        name = printable(call.name)
        yield f"{name}: ok"
        if len(outputs) != 1:
            yield f"{name}: {len(outputs)} outputs"
        for index, output in enumerate(outputs):
            yield f"{name}: output {index} is {_described(output.value)}"
        if call.method in decoders and outputs and outputs[0].value.kind == "tensor":
            dims = outputs[0].value.sizes
            yield f"{name}: output 0 has rank {len(dims)}"
            yield f"{name}: {dims[-1] if dims else 1} logits a token"
            if outputs[0].not_finite:
                yield f"{name}: {outputs[0].not_finite} logits are not finite"
    if run.outcome in ("error", "crash") and len(run.results) < len(session):
        yield f"{printable(session[len(run.results)].name)}: {_ending(run)}"


def _ending(run: SessionRun) -> str:
    """`NotSupported in set_input (input 0)`, `crash SIGSEGV in execute`."""
    if run.outcome not in ("error", "crash"):
        return f"{run.outcome} in {run.stage}"
    how = run.error or f"crash {run.signal or run.exit_code}"
    place = f" (input {run.input})" if run.stage == "set_input" and run.input is not None else ""
    return f"{how} in {run.stage}{place}"


def _described(value: TensorFacts) -> str:
    if value.kind == "tensor":
        return f"a tensor of {value.dtype} ({', '.join(map(str, value.sizes))})"
    if value.kind in ("int", "bool") and value.value is not None:
        return str(int(value.value))
    return f"a {value.kind}"


def _comparison(name: str, first: SessionRun, second: SessionRun, plan: _Plan) -> Iterator[str]:
    if any(run.outcome != "ok" or run.damaged for run in (first, second)):
        return
    by_start = name.endswith(" and at 0")
    if not by_start and _logits(first.results[:-1]) == _logits(second.results[:-1]):
        return  # it answers both prompts alike: what comes after them tells nothing
    same = _logits(first.results[-1:]) == _logits(second.results[-1:])
    yield f"{printable(name)}: {SAME_LOGITS if same else OTHER_LOGITS}"


def _logits(results: Sequence[Sequence[Output]]) -> list[object]:
    return [[(output.value.sizes, output.value.digest) for output in each] for each in results]


def _end_tokens(plan: _Plan, runs: Sequence[SessionRun]) -> Iterator[str]:
    """Which end tokens are no logits of the calls that were made."""
    logits = [
        result[0].value.sizes[-1]
        for call, result in zip(plan.generation, runs[0].results, strict=False)
        if call.method == plan.model.decoders[0].name and result and result[0].value.sizes
    ]
    asked = metadata_call(EOS_IDS)
    for session, run in zip(plan.sessions, runs, strict=True):
        if logits and session[0].name == asked and run.results:
            ids = [each.value.value for each in run.results[0]]
            beyond = [each for each in ids if type(each) is int and not 0 <= each < logits[0]]
            if beyond:
                listed = ", ".join(map(str, beyond))
                yield f"{asked}: {listed} of {logits[0]} logits"


def _summary(session: Session, run: SessionRun, decoders: Collection[str]) -> str:
    made = [call for call in session[: len(run.results)] if call.method in decoders]
    if run.damaged:
        return "driven as a runner does: the report was damaged by the program"
    if run.outcome == "ok":
        odd = sum(
            result[0].not_finite > 0
            for call, result in zip(session, run.results, strict=False)
            if call.method in decoders and result
        )
        told = f", logits not finite in {odd} calls" if odd else ", all logits finite"
        return f"driven as a runner does: {len(made)} calls up to {made[-1].name}{told}"
    ends = session[len(run.results)].name if len(run.results) < len(session) else "the end"
    return f"driven as a runner does: {len(made)} calls, then {printable(ends)}: {_ending(run)}"
