"""Makes an .npz file of cases from one of torch.save; a program of its own, since it needs PyTorch.

Called with the file and where to write. What stands in it is a dictionary with `inputs`, `outputs`
and perhaps `method`, a pair of both, or a dictionary with the names of an .npz file.
"""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Iterator
from typing import Any, Final

import torch

_CODES: Final = {
    torch.bool: "|b1", torch.uint8: "|u1", torch.int8: "|i1", torch.int16: "<i2",
    torch.int32: "<i4", torch.int64: "<i8", torch.float16: "<f2", torch.float32: "<f4",
    torch.float64: "<f8", torch.complex64: "<c8", torch.complex128: "<c16",
    torch.bfloat16: "<V2",
}  # fmt: skip


def main() -> int:
    """1 and a sentence where the file is not understood."""
    try:
        # Only tensors and plain containers: nothing of the file is run.
        loaded = torch.load(sys.argv[1], map_location="cpu", weights_only=True)
        with zipfile.ZipFile(sys.argv[2], "w") as archive:
            for name, value in named(loaded):
                archive.writestr(f"{name}.npy", array(value))
    except Exception as error:  # torch.load fails in many ways
        print(str(error).splitlines()[0] if str(error) else type(error).__name__)  # noqa: T201
        return 1
    return 0


def named(loaded: Any) -> Iterator[tuple[str, Any]]:
    """Names and values of what was saved.

    Raises:
        ValueError: it is none of the three.
    """
    if isinstance(loaded, tuple | list) and len(loaded) == 2:
        loaded = {"inputs": loaded[0], "outputs": loaded[1]}
    if not isinstance(loaded, dict):
        raise ValueError("it holds neither a dictionary nor a pair of inputs and outputs")
    if "outputs" not in loaded:
        yield from loaded.items()
        return
    prefix = f"{loaded['method']}." if loaded.get("method") else ""
    for word, key in (("input", "inputs"), ("output", "outputs")):
        values = loaded.get(key, ())
        listed = values if isinstance(values, tuple | list) else (values,)
        for position, value in enumerate(listed):
            yield f"{prefix}{word}_{position}", value


def array(value: Any) -> bytes:
    """A tensor, or a number, as an .npy file.

    Raises:
        ValueError: it is neither, or of an element type that such files lack.
    """
    if isinstance(value, bool | int | float):
        value = torch.tensor(value, dtype=torch.float64 if isinstance(value, float) else None)
    if not isinstance(value, torch.Tensor) or value.dtype not in _CODES:
        raise ValueError(f"it holds {type(value).__name__}, which is no tensor of a known type")
    flat = value.detach().resolve_conj().resolve_neg().contiguous().reshape(-1)
    data = flat.view(torch.uint8).numpy().tobytes() if flat.numel() else b""
    sizes = tuple(value.shape)
    head = f"{{'descr': '{_CODES[value.dtype]}', 'fortran_order': False, 'shape': {sizes}, }}\n"
    return b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode() + data


if __name__ == "__main__":
    sys.exit(main())
