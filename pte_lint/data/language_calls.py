"""The calls that a language-model runner makes, by the names that findings and runs have for them.

A finding about a language model names the call that shows it (`call`) and how that ends (`ends`);
`confirm` makes the calls and looks (`pte_lint.harness.language`). What a runner gives to which
method: `TextPrefiller::prefill_chunk` (extension/llm/runner/text_prefiller.cpp),
`TextTokenGenerator::generate` (text_token_generator.h), `TextDecoderRunner::step`
(text_decoder_runner.cpp), `MultimodalPrefiller::prefill` (multimodal_prefiller.cpp) and
`MultimodalDecoderRunner::decode` (multimodal_decoder_runner.h).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pte_lint.claims.sign import Sign
from pte_lint.data.language_model import DYNAMIC_SHAPE, USE_KV_CACHE

if TYPE_CHECKING:
    from pte_lint.claims.finding import Json
    from pte_lint.data.language_model import LanguageModel
    from pte_lint.questions.method import Method

PROMPT: Final = 3
"""Tokens of the prompt that is tried."""

SHOWN: Final = Sign(r"^{call}: {ends}", refuted_by=r"^{call}: ok$")
"""The call ends as the finding says; it shows the contrary where it goes through otherwise."""

FAILS: Final = Sign(r"^{call}: (?:crash )?\w+ in ", refuted_by=r"^{call}: ok$")
"""The call fails, in whatever way the kernel at hand does."""


def call_name(method: str, tokens: int, position: int = 0) -> str:
    """One call of a method: `forward with 1 token at 16`."""
    count = "1 token" if tokens == 1 else f"{tokens} tokens"
    return f"{method} with {count} at {position}"


def token_call(method: str, token: int) -> str:
    """A call with this one token, at the start."""
    return f"{method} with token {token}"


def metadata_call(name: str) -> str:
    """A call of a metadata method, without inputs."""
    return f"{name} asked"


def encoder_call(decoder: str, encoder: str) -> str:
    """A call of the decoder with what an encoder returns."""
    return f"{decoder} after {encoder}"


def other_prompt(call: str) -> str:
    """The same call after two different prompts."""
    return f"{call} after two prompts"


def other_position(method: str, tokens: int, position: int) -> str:
    """All tokens so far at their latest position, and from the start."""
    return f"{call_name(method, tokens, position)} and at 0"


_TYPES: Final = {
    "float64": "Double",
    "int64": "Long",
    "int32": "Int",
    "int16": "Short",
    "int8": "Char",
    "uint8": "Byte",
    "bool": "Bool",
}


def returned_type(dtype: str) -> str:
    """How a call tells the type of its output, in the runtime's word for it."""
    return f"output 0 is a tensor of {_TYPES.get(dtype, dtype)} "


SAME_LOGITS: Final = "the same logits"
OTHER_LOGITS: Final = "other logits"

REFUSED_SHAPE: Final = "NotSupported in set_input (input {})"
REFUSED_TYPE: Final = "InvalidArgument in set_input (input {})"


def is_cached(model: LanguageModel) -> bool:
    """Whether a runner goes on from a cache: one token a call."""
    return model.number(USE_KV_CACHE) != 0


def reads_at_once(model: LanguageModel) -> bool:
    """Whether a runner reads a prompt in one call."""
    return model.is_multimodal or bool(model.number(DYNAMIC_SHAPE)) or not is_cached(model)


def first_call(model: LanguageModel, method: Method) -> str:
    """The first call of a method in a generation after a prompt of `PROMPT` tokens."""
    stages = model.takers if not model.is_multimodal else ()
    if stages and method is not stages[0]:
        return decode_call(model, method)
    return call_name(method.name, PROMPT if reads_at_once(model) else 1)


def decode_call(model: LanguageModel, method: Method) -> str:
    """The first call after the prompt."""
    return call_name(method.name, 1 if is_cached(model) else PROMPT + 1, PROMPT)


def shown_by(call: str, ends: str = "") -> dict[str, Json]:
    """What a finding names for `SHOWN`, or without an ending for `FAILS`."""
    return {"call": call, "ends": ends} if ends else {"call": call}
