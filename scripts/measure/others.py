"""Networks of timm and transformers, where these are installed: random weights, small inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from torch import Tensor, nn

Make = Callable[[], nn.Module]
_SMALL = (1, 3, 64, 64)
_EMBEDDED = (1, 7, 16)
"""Sequences of 7 tokens, embedded in 16 numbers each."""

_TIMM: tuple[str, ...] = (
    *("lcnet_050", "tinynet_e", "ghostnet_050", "mobilenetv3_small_050", "hardcorenas_a"),
    *("repvgg_a0", "regnety_002", "rexnetr_100", "resnet10t", "resnest14d", "mixnet_s"),
    *("convnext_atto", "edgenext_xx_small", "mobilevit_xxs", "mobileone_s0", "fbnetc_100"),
    *("poolformer_s12", "levit_128s", "test_vit", "test_byobnet", "test_efficientnet"),
    *("test_resnet", "test_convnext", "test_nfnet", "test_mambaout", "semnasnet_075"),
)
_OF_SIZE = frozenset({"levit_128s", "test_vit"})
"""Those that must be told the size of the image."""


def timm_networks() -> Iterator[tuple[str, Make, tuple[int, ...]]]:
    """Networks of timm; none where it is not installed."""
    try:
        import timm
    except ImportError:
        return
    for name in _TIMM:
        options: dict[str, Any] = {"num_classes": 10}
        if name in _OF_SIZE:
            options["img_size"] = 64
        yield (
            f"timm {name}",
            lambda name=name, options=options: timm.create_model(name, **options),
            _SMALL,
        )


_SIZES: dict[str, int] = {
    "hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 24,
    "vocab_size": 30, "embedding_size": 16, "d_model": 16, "d_ff": 24, "d_kv": 8, "num_layers": 1,
    "num_heads": 2, "n_embd": 16, "n_layer": 1, "n_head": 2, "dim": 16, "hidden_dim": 24,
    "n_heads": 2, "n_layers": 1, "num_key_value_heads": 1, "head_dim": 8, "ffn_dim": 24,
    "max_position_embeddings": 16, "n_positions": 16, "word_embed_proj_dim": 16, "rotary_dim": 8,
    "num_hidden_groups": 1, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
}  # fmt: skip

_LANGUAGE: tuple[str, ...] = (
    *("Bert", "Roberta", "Electra", "Albert", "DistilBert", "MobileBert", "Ernie", "Camembert"),
    *("GPT2", "GPTNeoX", "GPTJ", "OPT", "Llama", "Mistral", "Qwen2", "Phi", "Gemma", "StableLm"),
    *("Cohere", "Granite", "Olmo", "Starcoder2", "MPNet", "Nystromformer", "XLMRoberta"),
)


class _States(nn.Module):
    """The last states of a model for embedded tokens."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, x: Tensor) -> Tensor:
        """Of (batch, tokens, 16) numbers."""
        out: Tensor = self.model(inputs_embeds=x, **self.options)[0]
        return out

    options: dict[str, Any] = {}  # noqa: RUF012 - set once, by kind


class _Decoder(_States):
    options = {"use_cache": False}  # noqa: RUF012 - as above


_WITHOUT_CACHE = frozenset(_LANGUAGE[8:22])


def language_networks() -> Iterator[tuple[str, Make, tuple[int, ...]]]:
    """Language models of transformers, of one layer; none where it is not installed."""
    try:
        import transformers
    except ImportError:
        return

    def make(name: str) -> nn.Module:
        config = getattr(transformers, f"{name}Config")()
        for field, size in _SIZES.items():
            if hasattr(config, field):
                setattr(config, field, size)
        config._attn_implementation = "eager"
        model = getattr(transformers, f"{name}Model")(config)
        return (_Decoder if name in _WITHOUT_CACHE else _States)(model)

    for name in _LANGUAGE:
        yield f"transformers {name}", lambda name=name: make(name), _EMBEDDED
