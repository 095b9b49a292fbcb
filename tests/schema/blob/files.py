"""Code for GPUs and libraries that compilers wrote, from archives beside this file.

`data/README.md` says how they were made.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from zipfile import ZipFile

_FOLDER = Path(__file__).with_name("data")


@cache
def gpu_code(name: str) -> bytes:
    """A cubin, a fat binary, PTX, or what `cuobjdump` says about them (`cuobjdump.json`)."""
    with ZipFile(_FOLDER / "gpu_code.zip") as archive:
        return archive.read(name)


@cache
def library(name: str) -> bytes:
    """A shared library with the functions of a compiled model and a kernel inside."""
    with ZipFile(_FOLDER / "libraries.zip") as archive:
        return archive.read(name)
