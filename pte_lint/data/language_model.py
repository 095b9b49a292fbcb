"""A program as ExecuTorch's language-model runners see it: metadata methods, tokens, positions.

The names are those of extension/llm/runner/constants.h. What a runner reads from a file and what it
gives to which method: `get_llm_metadata` and `get_eos_ids` (llm_runner_helper.cpp),
`TextPrefiller::prefill_chunk`, `TextTokenGenerator::generate`, `TextDecoderRunner::step`,
`MultimodalPrefiller::prefill` and `MultimodalDecoderRunner::decode`, read at the tags 1.0 to 1.4.
The Android and Apple bindings and the Python module call these same classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from pte_lint.schema.enums import ShapeDynamism
from pte_lint.schema.frozen import dataclass
from pte_lint.schema.program import Bool, Double, Int, Tensor
from pte_lint.text.c_strings import c_string

if TYPE_CHECKING:
    from pte_lint.data.context import Context
    from pte_lint.questions.method import Method

Number = int | float | None
"""A metadata method's output; None where it is no number or is only known at run time."""

MAX_SEQ_LEN: Final = "get_max_seq_len"
MAX_CONTEXT_LEN: Final = "get_max_context_len"
USE_KV_CACHE: Final = "use_kv_cache"
USE_SDPA: Final = "use_sdpa_with_kv_cache"
DYNAMIC_SHAPE: Final = "enable_dynamic_shape"
EOS_IDS: Final = "get_eos_ids"
BOS_ID: Final = "get_bos_id"
VOCAB_SIZE: Final = "get_vocab_size"

READ: Final = (MAX_SEQ_LEN, MAX_CONTEXT_LEN, USE_KV_CACHE, USE_SDPA, DYNAMIC_SHAPE, EOS_IDS)
"""The metadata methods that a runner calls if they are there."""

SHORTER_CHUNKS: Final = ("sliding_window", "get_max_prefill_chunk")
"""Metadata by which exporters say that a call takes fewer tokens than `get_max_seq_len`."""

_OF_GENERATORS: Final = frozenset({MAX_CONTEXT_LEN, USE_KV_CACHE, EOS_IDS})
"""Exporters write the others for encoders, too (optimum-executorch, utils.py)."""

_KNOWN: Final = frozenset({*READ, VOCAB_SIZE, BOS_ID})
_ENOUGH: Final = 3
_MOST_INPUTS: Final = 2
_DEFAULTS: Final = {USE_KV_CACHE: 1, USE_SDPA: 0, DYNAMIC_SHAPE: 0}
_FLOATING: Final = frozenset({5, 6, 7, 15})
_GIVEN_INT32: Final = ("EthosU", "TOSA", "Vgf")
INT32: Final = 3
INT64: Final = 4
_EMBEDDED: Final = 3
"""The rank of embeddings: batch, tokens, width."""


@dataclass(frozen=True, slots=True)
class LanguageModel:
    """The methods that a runner uses, in the order in which it first does."""

    metadata: dict[str, Method]
    names: frozenset[str]
    """All names of methods that the program has, of those that could not be read as well."""
    takers: tuple[Method, ...]
    """Methods that are given tokens [1, n] as input 0."""
    decoders: tuple[Method, ...]
    """Methods that are given positions as input 1 and return logits; `takers` unless multimodal."""
    encoders: tuple[Method, ...] = ()
    """Methods whose output 0 becomes input 0 of the decoder: for tokens, images, sound."""

    @property
    def is_multimodal(self) -> bool:
        """Whether tokens are embedded by a method of their own."""
        return bool(self.encoders)

    def results(self, name: str) -> tuple[Number, ...]:
        """What a metadata method returns; empty where there is none, or where it takes inputs."""
        method = self.metadata.get(name)
        if method is None or method.inputs:
            return ()
        return tuple(_number(method, v) for v in method.outputs)

    def number(self, name: str) -> int | None:
        """The whole number that a runner takes for `name`, its default where there is no method.

        None where runners refuse the program: without `get_max_seq_len`, or for other results.
        """
        if name not in self.names:
            if name == MAX_CONTEXT_LEN:
                return self.number(MAX_SEQ_LEN)
            return _DEFAULTS.get(name)
        result = next(iter(self.results(name)), None)
        return int(result) if isinstance(result, int) else None


def language_model(context: Context) -> LanguageModel | None:
    """The program's methods as a runner uses them; None for any other program.

    A language model has three at least of the metadata methods, one of which only generators have,
    and methods that a runner can call: `token_embedding` with `text_decoder`, or `forward`, or
    `prefill` (since 1.5), of one or two inputs. Programs of more inputs, which take caches or masks
    from their caller, belong to runners of their own.
    """
    program = context.program
    if program is None:
        return None
    names = frozenset(
        c_string(plan.name) for plan in program.execution_plan or () if plan.name is not None
    )
    if len(names & _KNOWN) < _ENOUGH or not names & _OF_GENERATORS:
        return None
    methods: dict[str, Method] = {}
    for method in context.methods:
        methods.setdefault(method.name, method)
    known = {name: methods[name] for name in methods.keys() & {*_KNOWN, *SHORTER_CHUNKS}}
    embedding, decoder = methods.get("token_embedding"), methods.get("text_decoder")
    if embedding is not None and decoder is not None:
        if len(embedding.inputs) != 1 or len(decoder.inputs) != _MOST_INPUTS:
            return None
        others = (methods.get(name) for name in ("vision_encoder", "audio_encoder"))
        encoders = (embedding, *(each for each in others if each is not None))
        return LanguageModel(known, names, (embedding,), (decoder,), encoders)
    first = methods.get("forward") or methods.get("prefill")
    if first is None or not _takes_tokens(first):
        return None
    decode = methods.get("decode")
    takers = (first,) if decode is None or not _takes_tokens(decode) else (first, decode)
    return LanguageModel(known, names, takers, takers)


def input_tensor(method: Method, position: int) -> Tensor | None:
    """The tensor that is an input; None for anything else."""
    return method.tensor(method.inputs[position]) if position < len(method.inputs) else None


def output_tensor(method: Method, position: int = 0) -> Tensor | None:
    """The tensor that is an output; None for anything else."""
    return method.tensor(method.outputs[position]) if position < len(method.outputs) else None


def is_dynamic(tensor: Tensor) -> bool:
    """Whether the sizes are upper bounds."""
    return tensor.shape_dynamism != ShapeDynamism.STATIC


def sizes(tensor: Tensor) -> Sequence[int]:
    """The sizes, outermost first."""
    return tensor.sizes or ()


def is_of_integers(method: Method, tensor: Tensor) -> bool:
    """Whether a tensor of tokens or positions takes what its runner gives it.

    That is int64; int32 where a delegate is there whose runner gives int32
    (examples/models/llama/model.py: `get_example_inputs`).
    """
    if tensor.scalar_type == INT32:
        delegates = [method.delegate_id(i) or "" for i in range(len(method.plan.delegates or ()))]
        return any(name.startswith(_GIVEN_INT32) for name in delegates)
    return tensor.scalar_type == INT64


def shape(tensor: Tensor) -> str:
    """Sizes for readers: `[1, 1]`, or `[1, 16] at most`."""
    text = f"[{', '.join(map(str, sizes(tensor)))}]"
    return f"{text} at most" if is_dynamic(tensor) else text


def metadata_snippet(*lines: str) -> str:
    """How the metadata of a program is set, with these entries of the dict."""
    entries = "\n".join(f"        {line}," for line in lines)
    return f"    to_edge(exported, constant_methods={{\n{entries}\n    }})"


def _takes_tokens(method: Method) -> bool:
    """Whether inputs look like tokens and positions: no embeddings, no attention mask."""
    if not 1 <= len(method.inputs) <= _MOST_INPUTS:
        return False
    tokens, positions = input_tensor(method, 0), input_tensor(method, 1)
    if tokens is None or (len(sizes(tokens)) >= _EMBEDDED and tokens.scalar_type in _FLOATING):
        return False
    if len(method.inputs) == 1:
        return True
    if positions is None:
        return False
    return len(sizes(positions)) < 2 or positions.sizes != tokens.sizes


def _number(method: Method, v: int) -> Number:
    value = method.value(v)
    if value is None or method.is_written[v]:
        return None
    val = value.val
    if isinstance(val, Int):
        return val.int_val
    if isinstance(val, Bool):
        return bool(val.bool_val)
    return val.double_val if isinstance(val, Double) else None
