"""Exports language models of many architectures, checks and drives them, and writes a table.

    PYTHONPATH=. python scripts/measure/language_models.py FOLDER [--write docs/language_models.md]

Weights are random and configurations tiny; how the models are wrapped, lowered and described is
what real exports have. Exporting wants `torch`, `executorch` and `transformers` (`--only MODEL` and
`--forms xnnpack` for some of them), a process of its own for each, and what is in FOLDER already is
not exported again. `--write` checks what is there, drives it as a runner does, and compares the
memory that `inspect` tells with what the runtime's allocators are asked for; it wants pte-lint and
its tests only. Rows of programs that are not in FOLDER stay.
"""

from __future__ import annotations

import argparse
import multiprocessing
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from struct import pack
from typing import Any

CONTEXT, VOCABULARY = 32, 64
SMALL = {
    "vocab_size": VOCABULARY,
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 1,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "max_position_embeddings": CONTEXT,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "pad_token_id": 0,
}
Made = tuple[dict[str, Any], dict[str, Any]]
"""Exported methods, and the metadata."""


def metadata(**changes: Any) -> dict[str, Any]:
    """What runners read, `changes` applied."""
    return {
        "get_bos_id": 1,
        "get_eos_ids": [2],
        "get_max_seq_len": CONTEXT,
        "get_max_context_len": CONTEXT,
        "get_vocab_size": VOCABULARY,
        "use_kv_cache": True,
        "use_sdpa_with_kv_cache": False,
        "enable_dynamic_shape": True,
        **changes,
    }


def causal(kind: str, **changes: Any) -> Any:
    """A decoder of this kind of transformers', with random weights and a static cache."""
    import torch
    import transformers as t

    torch.manual_seed(0)
    config = t.AutoConfig.for_model(kind, **{**SMALL, **changes})
    config._attn_implementation = "eager"
    model = t.AutoModelForCausalLM.from_config(config).eval().requires_grad_(False)
    model.generation_config = t.GenerationConfig(
        use_cache=True,
        cache_implementation="static",
        max_length=CONTEXT,
        cache_config={"batch_size": 1, "max_cache_len": CONTEXT},
    )
    return model


def cached(kind: str, dynamic: bool = True, **changes: Any) -> Made:
    """Tokens and positions to logits, as optimum-executorch exports them."""
    from transformers.integrations.executorch import TorchExportableModuleForDecoderOnlyLM

    wrapped = TorchExportableModuleForDecoderOnlyLM(causal(kind, **changes), 1, CONTEXT).model
    return {"forward": positioned(wrapped, "input_ids", dynamic)}, metadata(
        enable_dynamic_shape=dynamic
    )


def positioned(wrapped: Any, name: str, dynamic: bool) -> Any:
    """An exported method of tokens or embeddings, and positions."""
    import torch

    class Positioned(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.wrapped = wrapped

        def forward(self, tokens: Any, positions: Any) -> Any:
            return self.wrapped(**{name: tokens}, cache_position=positions)

    count = 3 if dynamic else 1
    tokens = torch.zeros(1, count, dtype=torch.long)
    if name == "inputs_embeds":
        tokens = torch.rand(1, count, SMALL["hidden_size"])
    shapes = None
    if dynamic:
        length = torch.export.Dim("length", max=CONTEXT)
        shapes = ({1: length}, {0: length})
    with torch.no_grad():
        return torch.export.export(
            Positioned(), (tokens, torch.arange(count)), dynamic_shapes=shapes, strict=True
        )


def without_cache(kind: str) -> Made:
    """Tokens to logits, all of them in every call."""
    import torch

    model = causal(kind)

    class Logits(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, tokens: Any) -> Any:
            return self.model(input_ids=tokens, use_cache=False).logits

    length = torch.export.Dim("length", max=CONTEXT)
    tokens = torch.zeros(1, 3, dtype=torch.long)
    with torch.no_grad():
        made = torch.export.export(Logits(), (tokens,), dynamic_shapes=({1: length},), strict=False)
    return {"forward": made}, metadata(use_kv_cache=False)


def custom_attention() -> Made:
    """ExecuTorch's own llama with llama::sdpa_with_kv_cache, as export_llama makes it."""
    import torch
    from executorch.examples.models.llama.llama_transformer import construct_transformer
    from executorch.examples.models.llama.model_args import ModelArgs
    from executorch.examples.models.llama.source_transformation.custom_kv_cache import (
        replace_kv_cache_with_custom_kv_cache,
    )
    from executorch.examples.models.llama.source_transformation.sdpa import (
        replace_sdpa_with_custom_op,
    )

    torch.manual_seed(0)
    args = ModelArgs(
        dim=32, hidden_dim=64, n_layers=1, n_heads=4, n_kv_heads=2, vocab_size=VOCABULARY,
        max_seq_len=CONTEXT, max_context_len=CONTEXT, use_kv_cache=True,
        use_sdpa_with_kv_cache_op=True, enable_dynamic_shape=True,
    )  # fmt: skip
    model = construct_transformer(args).eval().requires_grad_(False)
    model = replace_sdpa_with_custom_op(replace_kv_cache_with_custom_kv_cache(model))
    length = torch.export.Dim("token_dim", max=CONTEXT - 1)
    tokens, position = torch.tensor([[2, 3, 4]]), {"input_pos": torch.tensor([0])}
    with torch.no_grad():
        made = torch.export.export(
            model,
            (tokens, position),
            dynamic_shapes=({1: length}, {"input_pos": {0: 1}}),
            strict=False,
        )
    return {"forward": made}, metadata(use_sdpa_with_kv_cache=True)


def sequence_to_sequence(kind: str) -> Made:
    """Encoder and decoder, for runners of their own."""
    import torch
    import transformers as t
    from transformers.integrations.executorch import (
        Seq2SeqLMDecoderExportableModuleWithStaticCache as Decoder,
    )

    torch.manual_seed(0)
    if kind == "t5":
        config = t.T5Config(
            vocab_size=VOCABULARY, d_model=32, d_kv=8, d_ff=64, num_layers=1, num_heads=4,
            decoder_start_token_id=0,
        )  # fmt: skip
        model, given = (
            t.T5ForConditionalGeneration(config).eval().requires_grad_(False),
            torch.zeros(1, 10).long(),
        )
        head = None
    else:
        config = t.WhisperConfig(
            vocab_size=VOCABULARY, d_model=32, encoder_layers=1, decoder_layers=1,
            encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=64,
            decoder_ffn_dim=64, num_mel_bins=8, max_source_positions=20,
            max_target_positions=CONTEXT, pad_token_id=0, bos_token_id=1, eos_token_id=2,
            decoder_start_token_id=1, suppress_tokens=None, begin_suppress_tokens=None,
        )  # fmt: skip
        model, given = (
            t.WhisperForConditionalGeneration(config).eval().requires_grad_(False),
            torch.rand(1, 8, 40),
        )
        head = model.proj_out

    class Encoder(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.encoder = model.get_encoder()

        def forward(self, x: Any) -> Any:
            return self.encoder(x).last_hidden_state

    if head is not None:
        model.lm_head = head
    decoder = Decoder(model, CONTEXT, 1).eval().requires_grad_(False)
    with torch.no_grad():
        hidden = Encoder()(given)
        inputs = (torch.zeros(1, 1).long(), hidden, torch.zeros(1).long())
        methods = {
            "encoder": torch.export.export(Encoder(), (given,), strict=False),
            "text_decoder": torch.export.export(decoder, inputs, strict=True),
        }
    return methods, metadata(enable_dynamic_shape=False)


def vision_language() -> Made:
    """LLaVA's three methods, as MultimodalRunner calls them."""
    import torch
    import transformers as t
    from transformers.integrations.executorch import TorchExportableModuleForDecoderOnlyLM

    torch.manual_seed(0)
    vision = t.CLIPVisionConfig(
        hidden_size=32, intermediate_size=64, num_hidden_layers=1, num_attention_heads=4,
        image_size=16, patch_size=8, projection_dim=32,
    )  # fmt: skip
    config = t.LlavaConfig(
        vision_config=vision,
        text_config=t.LlamaConfig(**SMALL),
        image_token_index=3,
        vision_feature_layer=-1,
    )
    model = t.LlavaForConditionalGeneration(config).eval().requires_grad_(False)

    class Vision(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.tower = model.model.vision_tower
            self.projector = model.model.multi_modal_projector

        def forward(self, pixels: Any) -> Any:
            return self.projector(self.tower(pixels).last_hidden_state[:, 1:])

    text = causal("llama")
    wrapped = TorchExportableModuleForDecoderOnlyLM(text, 1, CONTEXT).model
    length = torch.export.Dim("length", max=CONTEXT)
    embedding = text.get_input_embeddings()
    tokens = torch.zeros(1, 3, dtype=torch.long)
    with torch.no_grad():
        methods = {
            "vision_encoder": torch.export.export(
                Vision(), (torch.rand(1, 3, 16, 16),), strict=False
            ),
            "token_embedding": torch.export.export(
                embedding, (tokens,), dynamic_shapes=({1: length},), strict=False
            ),
            "text_decoder": positioned(wrapped, "inputs_embeds", True),
        }
    return methods, metadata()


MODELS: dict[str, Callable[[], Made]] = {
    "llama": lambda: cached("llama"),
    "llama without cache": lambda: without_cache("llama"),
    "llama, custom attention": custom_attention,
    "llama, one token a call": lambda: cached("llama", dynamic=False),
    "qwen3": lambda: cached("qwen3"),
    "gemma": lambda: cached("gemma"),
    "phi3": lambda: cached("phi3"),
    "whisper": lambda: sequence_to_sequence("whisper"),
    "t5": lambda: sequence_to_sequence("t5"),
    "llava": vision_language,
    "gemma3": lambda: cached("gemma3_text", sliding_window=16, num_hidden_layers=2),
    "qwen2": lambda: cached("qwen2"),
    "phi": lambda: cached("phi"),
    "smollm3": lambda: cached("smollm3"),
}
MARKS = ("<!-- language models -->", "<!-- end -->")
FORMS = ("portable", "xnnpack")


def export(name: str, form: str, path: Path) -> None:
    """Lowers a model and writes its program."""
    import torch

    with torch.no_grad():
        methods, told = MODELS[name]()
        program = lowered(methods, told, form)
    path.write_bytes(program)


def lowered(methods: dict[str, Any], told: dict[str, Any], form: str) -> bytes:
    """The program's file."""
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
    from executorch.exir import (
        EdgeCompileConfig,
        ExecutorchBackendConfig,
        to_edge_transform_and_lower,
    )

    edge = to_edge_transform_and_lower(
        methods,
        partitioner=[XnnpackPartitioner()] if form == "xnnpack" else None,
        constant_methods=told,
        compile_config=EdgeCompileConfig(_check_ir_validity=False),
    )
    return bytes(edge.to_executorch(ExecutorchBackendConfig()).buffer)


def _attempt(name: str, form: str, path: Path) -> None:
    try:
        export(name, form, path)
    except Exception:
        path.with_suffix(".log").write_text(traceback.format_exc())
        raise SystemExit(1) from None


def export_all(folder: Path, names: Sequence[str], forms: Sequence[str]) -> None:
    """What is not in the folder yet, each in a process of its own."""
    import executorch.exir  # loaded once for all
    import transformers.integrations.executorch

    assert executorch.exir
    assert transformers
    fork = multiprocessing.get_context("fork")
    for form in forms:
        for name in names:
            path = folder / f"{name.replace(', ', '_').replace(' ', '_')}-{form}.pte"
            if not path.exists():
                start = time.monotonic()
                child = fork.Process(target=_attempt, args=(name, form, path))
                child.start()
                child.join()
                print(path.name, child.exitcode, f"{time.monotonic() - start:.0f} s", flush=True)


def measured(path: Path) -> str:
    """One row of the table."""
    import pte_lint
    from pte_lint.claims.target import Target
    from pte_lint.data.reading import open_context
    from pte_lint.files.artifact import open_artifact
    from pte_lint.harness.language import drive
    from pte_lint.harness.options import ProbeOptions
    from tests.harness.memory_use import compared

    found = pte_lint.check(path).artifacts[0].findings
    with open_artifact(path) as artifact:
        context = open_context(artifact, Target(), (), {})
        instructions = sum(len(method.steps) for method in context.methods)
        driven = drive(context, path, (), ProbeOptions())
    told = driven.generation.partition(": ")[2] if driven is not None else "runs of their own"
    # One position after the other: ones at all of them run past the end of a cache.
    used = list(compared([path], {1: pack(f"<{CONTEXT}q", *range(CONTEXT))}))
    known = [each for each in used if not each.said.unknown]
    equal = sum(each.is_equal for each in known)
    most = max((each.allocator + each.temporary for each in known), default=0)
    rules = ", ".join(sorted({finding.rule for finding in found})) or "none"
    name = path.stem.replace("_", " ").replace("-", ", ")
    return f"| {name} | {instructions} | {rules} | {told} | {equal} of {len(known)} | {most:,} |"


def write(page: Path, folder: Path) -> None:
    """Puts rows of all programs in the folder into the page's table; others stay."""
    before, _, rest = page.read_text("utf-8").partition(MARKS[0])
    old, _, after = rest.partition(MARKS[1])
    head, *rows = old.strip().split("\n| --- | --- | --- | --- | --- | --- |\n")
    rows = [*"".join(rows).split("\n"), *map(measured, sorted(folder.glob("*.pte")))]
    by_model = {row.partition(" | ")[0]: row for row in rows if row}
    table = [
        head,
        "| --- | --- | --- | --- | --- | --- |",
        *(by_model[n] for n in sorted(by_model)),
    ]
    text = "\n".join(table)
    page.write_text(f"{before}{MARKS[0]}\n{text}\n{MARKS[1]}{after}", "utf-8")


def main() -> int:
    """Exports, or writes the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="*", default=list(MODELS), choices=list(MODELS))
    parser.add_argument("--forms", nargs="*", default=list(FORMS), choices=FORMS)
    parser.add_argument("--write", type=Path)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    if given.write is not None:
        write(given.write, given.folder)
    else:
        export_all(given.folder, given.only, given.forms)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
