"""Runs an exported program on the Python package's runtime and compares with PyTorch."""

from __future__ import annotations

import torch
from executorch.extension.pybindings.portable_lib import _load_for_executorch_from_buffer

from .registry import Exported


def run(exported: Exported, intent: str) -> str:
    """Runs every method of ``exported.calls`` and compares the outputs.

    Returns:
        ``"as PyTorch"``; ``"not run"`` where the recipe names no calls; the runtime's message
        where it refuses a file that is not meant to be clean.

    Raises:
        AssertionError: An output differs from PyTorch's.
        RuntimeError: The runtime refused a file that is meant to be clean.
    """
    if not exported.calls:
        return "not run"
    try:
        _compare(exported)
    except RuntimeError as refusal:
        if intent == "clean":
            raise
        return str(refusal)
    return "as PyTorch"


def _compare(exported: Exported) -> None:
    data = [content for suffix, content in exported.files.items() if suffix.endswith(".ptd")]
    for method, (inputs, expected) in exported.calls.items():
        # A fresh module each: state must be the initial one, as it was for PyTorch.
        module = _load_for_executorch_from_buffer(exported.files[".pte"], *data[:1])
        flat, _ = torch.utils._pytree.tree_flatten(inputs)
        outputs = module.run_method(method, tuple(flat))
        assert len(outputs) == len(expected), f"{method}: {len(outputs)} outputs"
        for index, (got, want) in enumerate(zip(outputs, expected, strict=True)):
            if isinstance(want, torch.Tensor):
                torch.testing.assert_close(
                    got, want, rtol=exported.tolerance, atol=exported.tolerance
                )
            else:
                assert got == want, f"{method} output {index}: {got} is not {want}"
