"""A file of another format in place of a program, or of a .ptd.

What it finds:
    ONNX, TensorFlow Lite, safetensors, GGUF, zip, torch.save and torch.export archives, gzip,
    pickles, executables, delegate blobs, ETDump traces, HTML pages, JSON, plain text, and bytes of
    no known format, each with the evidence that gave it away.

What the runtime does:
    Below 64 bytes the loader refuses with InvalidArgument; otherwise the identifier at byte 4 is
    not ET12 and Program::load gives InvalidProgram, in every version
    (runtime/executor/program.cpp). A .ptd is refused with InvalidExternalData
    (extension/flat_tensor/flat_tensor_data_map.cpp: FlatTensorDataMap::load).

Why it happens:
    The wrong file was copied or uploaded: the input of the export (.pt2, .onnx) instead of its
    result, an archive that still holds the program, or an error page instead of a download.

How to fix it:
    Give the file that the export wrote:

        from executorch.exir import to_edge_transform_and_lower
        edge = to_edge_transform_and_lower(torch.export.export(model, inputs))
        edge.to_executorch().save("model.pte")

How it is confirmed:
    Loading the file gives the error named.

Seen in:
    executorch#2533, executorch#18824
"""

from __future__ import annotations

from typing import Final

from pte_lint.schema.container import Kind

from pte_lint.claims.finding import Finding, Severity
from pte_lint.claims.sign import Sign
from pte_lint.data.context import Context
from pte_lint.data.refusal import Role, read_identifier, refused, role
from pte_lint.rulebook.rule import Yields, artifact_rule

_EXPORT = (
    "Convert the model and give the result:\n\n"
    "    from executorch.exir import to_edge_transform_and_lower\n\n"
    "    edge = to_edge_transform_and_lower(torch.export.export(model, inputs))\n"
    '    edge.to_executorch().save("model.pte")'
)
_UNPACK = "Unpack it and give the .pte inside."
_DOWNLOAD = "Look at the text: the download or the upload went wrong. Fetch the file again."
_OTHER_RUNTIME = (
    "This format is for another runtime. Export the original model with ExecuTorch instead."
)

_WHAT: Final[dict[Kind, tuple[str, str]]] = {
    Kind.TORCH_ARCHIVE: ("a PyTorch archive (torch.save or torch.export)", _EXPORT),
    Kind.ZIP: ("a zip archive", _UNPACK),
    Kind.GZIP: ("a gzip file", _UNPACK),
    Kind.COMPRESSED: ("a compressed file", _UNPACK),
    Kind.TAR: ("a tar archive", _UNPACK),
    Kind.TFLITE: ("a TensorFlow Lite model", _OTHER_RUNTIME),
    Kind.ONNX: ("an ONNX model", _OTHER_RUNTIME),
    Kind.GGUF: ("a GGUF model", _OTHER_RUNTIME),
    Kind.SAFETENSORS: ("a safetensors file, weights without a program", _EXPORT),
    Kind.NUMPY: ("a NumPy array", _EXPORT),
    Kind.PICKLE: ("a Python pickle", _EXPORT),
    Kind.DELEGATE_BLOB: (
        "a delegate's blob",
        "Give the whole program that the blob was taken from.",
    ),
    Kind.ETDUMP: ("an ETDump trace", "Give the program that was traced."),
    Kind.ELF: ("an ELF binary", "Give the .pte, not the program that runs it."),
    Kind.EXECUTABLE: ("an executable", "Give the .pte, not the program that runs it."),
    Kind.HTML: ("an HTML page", _DOWNLOAD),
    Kind.XML: ("XML text", _DOWNLOAD),
    Kind.JSON: ("JSON text", _DOWNLOAD),
    Kind.BASE64: ("base64 text", "Decode it:\n\n    base64 -d FILE > model.pte"),
    Kind.TEXT: ("plain text", _DOWNLOAD),
    Kind.UNKNOWN: ("of no format that is known", "Export the program again."),
}


@artifact_rule(
    "PTE003",
    "other-format",
    Severity.ERROR,
    "files of another format",
    sign=(
        Sign("Program identifier '{identifier}' != expected"),
        Sign(r"offset 0 \+ size \d+ > file_size_ {size}\b"),
        Sign(r"Program data size {size} is too small"),
    ),
)
def check(ctx: Context) -> Yields:
    """Asks the sniffer alone."""
    known = _WHAT.get(ctx.container.kind)
    if known is None:
        return
    what, advice = known
    meant = {Role.DATA: "a .ptd", Role.BUNDLE: "a bundled program"}.get(role(ctx), "a program")
    forecast, order = refused(ctx)
    evidence = ctx.container.sniffed.evidence
    how = "" if evidence == what else f": {evidence}"
    yield Finding(
        message=f"The file is {what}, not {meant}{how}.",
        remediation=advice,
        forecast=forecast,
        order=order,
        evidence={
            "kind": str(ctx.container.kind),
            "size": ctx.artifact.size,
            "identifier": read_identifier(ctx),
        },
        subject="file",
    )
