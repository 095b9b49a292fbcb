"""Programs with CUDA delegates whose libraries are real ones, and targets that have the backend."""

from __future__ import annotations

from pte_lint.claims.profile import Profile
from pte_lint.claims.target import Target
from pte_lint.testing.builder import MethodBuilder
from pte_lint.testing.program_builder import build_program
from tests.schema.blob.files import library


def cuda_program(*contents: bytes | str, backend: str = "CudaBackend") -> bytes:
    """A chain of delegates, each with its own library.

    Args:
        contents: Bytes, or names in `tests/schema/blob/data/libraries.zip`.
        backend: The backend of all of them.
    """
    b = MethodBuilder()
    device = "cuda:0" if backend == "CudaBackend" else None
    kept = {"device": device, "planned": False} if device else {}
    x = b.input((4,), **kept)
    data = {}
    for n, content in enumerate(contents):
        blob = f"{n}_so_blob\n{n}_weights_blob".encode()
        given = {"device": device} if device else {}
        (x,) = b.delegate(backend, [x], [(4,)], blob=blob, **given)
        data[f"{n}_so_blob"] = library(content) if isinstance(content, str) else content
        data[f"{n}_weights_blob"] = bytes(16)
    b.output(x)
    return build_program(b, named_data=data).bytes()


def cuda_target(*, backends: tuple[str, ...] = ("CudaBackend",), **machine: str) -> Target:
    """A target with the backend and what is told of the machine: `gpu`, `machine`, `glibc`, ..."""
    profile = Profile("mine", "1.5.1", {}, backends, **machine)
    return Target(profile=profile, explicit_profile=True)
