from __future__ import annotations

from pte_lint.inspection.build import inspect_artifact
from pte_lint.report import inspection_text
from tests.support.cuda_libraries import cuda_program
from tests.support.tensorrt import tensorrt_blob, tensorrt_program
from tests.support.vela import vela_program, vela_stream


def lines(program: bytes, *, delegates: bool) -> list[str]:
    """The lines below the first delegate."""
    text = inspection_text.render(inspect_artifact(program), delegates=delegates).splitlines()
    first = next(n for n, line in enumerate(text) if line.startswith("    #0"))
    last = next(n for n, line in enumerate(text) if line.startswith("  instructions"))
    return [line.strip() for line in text[first:last]]


def test_a_library() -> None:
    program = cuda_program("model_without_run.so")
    assert lines(program, delegates=False) == [
        "#0 CudaBackend: 1 call, 1 in, 1 out, blob 24 bytes, AOTI key lines",
        "ELF library 0_so_blob: x86_64, 1 kernel for sm_80",
        "does not export AOTInductorModelContainerRun",
        "target_device = cuda:0",
    ]
    full = lines(program, delegates=True)
    assert full[2].startswith("loaded with libstdc++.so.6, libgcc_s.so.1, libc.so.6")
    assert "needs 0_weights_blob" in full


def test_a_stream_of_vela() -> None:
    assert lines(vela_program(vela_stream()), delegates=True)[1:] == [
        "made for accelerator ethos-u55-128",
        "working memory 64 bytes",
        "takes 0: 1-byte elements[1, 1, 1, 2, 2, 3], offset 0",
        "gives 1: 1-byte elements[1, 1, 1, 1, 2, 2], offset 16",
        "holds commands, 16 bytes",
        "holds weights, 32 bytes",
        "compile_flags = --accelerator-config=ethos-u55-128 --verbose",
    ]


def test_names_of_what_goes_in_and_out() -> None:
    found = lines(tensorrt_program(tensorrt_blob()), delegates=True)[1:]
    assert found == [
        "made for TensorRT 10.13.3.9",
        "made for platform linux_x86_64",
        "made for CUDA device 0",
        "takes 0: ?, x",
        "gives 1: ?, output0",
        "holds metadata, 242 bytes",
        "holds engine, 64 bytes",
    ]
