"""Exports of OpenVINO's plug-in for CPUs, made by hand."""

from __future__ import annotations

import struct

_KEY = bytes((0x30, 0x60, 0x70, 0x02, 0x04, 0x08, 0x3F, 0x6F, 0x72, 0x74, 0x78, 0x7F))

PORT = '<port id="0" precision="{}" names="t"><dim>{}</dim><dim>3</dim></port>'
MODEL = (
    '<?xml version="1.0"?><net name="m" version="11"><layers>'
    '<layer id="1" name="x" type="Parameter"><data shape="?,3" element_type="f32" />'
    f"<output>{PORT.format('FP32', -1)}</output></layer>"
    '<layer id="0" name="w" type="Const"><data element_type="f16" shape="2, 3" size="12" /></layer>'
    '<layer id="2" name="inner" type="Subgraph"><body><layers>'
    '<layer id="0" name="y" type="Parameter" /></layers></body></layer>'
    '<layer id="3" name="r" type="Result" output_names="sum">'
    f"<input>{PORT.format('I64', 2)}</input></layer></layers></net>"
)


def hidden(text: bytes) -> bytes:
    """A model as it is stored: each byte changed by one of a short key; and back again."""
    return bytes(byte ^ _KEY[n % len(_KEY)] for n, byte in enumerate(text))


def openvino_blob(
    model: bytes = MODEL.encode(),
    needs: str | None = "meta=1.0;ov=2026.4.1;isa=Intel AVX2",
    constants: int = 12,
    version: int = 1,
    **header: int,
) -> bytes:
    """A payload; `header` replaces fields of the header by the position of their number."""
    more = b"<cnndata />"
    model_at = 48 + len(more) + constants
    fields = [48, len(more), 48 + len(more), constants, model_at, len(model)]
    for name, value in header.items():
        fields[int(name.removeprefix("field"))] = value
    told = (needs or "").encode()
    head = b"" if needs is None else struct.pack("<8sIQ", b"RR_UPCVO", version, len(told)) + told
    return head + struct.pack("<6Q", *fields) + more + bytes(constants) + hidden(model)
