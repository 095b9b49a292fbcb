"""Opens artifacts for the rules: decides what a file is and decodes it as that."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

from pte_lint.analysis.method import Method
from pte_lint.artifact import Artifact, Source, open_artifact
from pte_lint.clock import STAGE, timed
from pte_lint.context import Context
from pte_lint.data.blobs import Blob, arity, describe_delegates
from pte_lint.data.constant_bytes import MOST_CONSTANT_BYTES, constant_bytes
from pte_lint.data.damage import SHARED_TOO_OFTEN
from pte_lint.data.refusal import Role, role_of
from pte_lint.finding import Unchecked
from pte_lint.finish import printable
from pte_lint.schema.container import Kind, sniff
from pte_lint.schema.errors import NotFetchedError
from pte_lint.schema.loaded import (
    LoadedFlatTensor,
    LoadedProgram,
    read_bundled_program,
    read_flat_tensor,
    read_program,
)
from pte_lint.schema.violations import is_exhausted
from pte_lint.target import Target

if TYPE_CHECKING:
    from pte_lint.remote.caps import Caps

MAX_METHODS = 500
"""Methods that are judged. A method costs some milliseconds however little is in it, and a file of
a few kilobytes can refer to the same one thousands of times."""


def open_data(artifact: Artifact) -> LoadedFlatTensor:
    """Decodes a .ptd given beside a program; what is wrong with it is left to the rules."""
    with timed(STAGE, "data"):
        return read_flat_tensor(artifact.buffer, artifact.path)


def open_all_data(
    stack: ExitStack, sources: Iterable[Source], caps: Caps | None = None
) -> tuple[LoadedFlatTensor, ...]:
    """Opens and decodes the .ptd files that programs are loaded with, for as long as `stack` lives.

    Raises:
        ArtifactError: one of them cannot be read.
    """
    opened = [stack.enter_context(open_artifact(source, caps=caps)) for source in sources]
    return tuple(open_data(artifact) for artifact in opened)


def open_context(
    artifact: Artifact,
    target: Target,
    data: Sequence[LoadedFlatTensor],
    options: Mapping[str, object],
) -> Context:
    """Sniffs and decodes `artifact` and indexes its methods. Never raises for what is in it.

    Data files are what a program is loaded with, and before it. A .ptd is judged by itself: it may
    well be one of them.
    """
    loaded = flat_tensor = bundle = None
    with timed(STAGE, "read"):
        container = sniff(artifact.buffer)
        if container.kind is Kind.FLAT_TENSOR:
            flat_tensor = read_flat_tensor(artifact.buffer, artifact.path)
        elif container.kind is Kind.BUNDLED_PROGRAM:
            bundle = read_bundled_program(artifact.buffer)
            loaded = bundle.inner
        else:
            loaded = read_program(artifact.buffer)
    exhausted = []
    if loaded is not None and is_exhausted(loaded.violations):
        loaded = replace(loaded, program=None)
        exhausted.append("the program's tables")
    if bundle is not None and is_exhausted(bundle.violations):
        bundle = None
        exhausted.append("the bundle's tables")
    is_data = flat_tensor is not None and role_of(artifact, container) is Role.DATA
    with timed(STAGE, "blobs"):
        described = describe_delegates(loaded, artifact.buffer) if loaded is not None else ()
    with timed(STAGE, "index"):
        methods, unread = _methods(loaded, described, artifact)
    return Context(
        artifact=artifact,
        container=container,
        target=target,
        loaded=loaded,
        flat_tensor=flat_tensor,
        bundle=bundle,
        methods=tuple(m for m in methods if m.is_followed),
        unfollowed=tuple(m.name for m in methods if not m.is_followed),
        data=() if is_data else tuple(data),
        blobs=described,
        options=dict(options),
        unread=(*(Unchecked(what, SHARED_TOO_OFTEN) for what in exhausted), *unread),
    )


def _methods(
    loaded: LoadedProgram | None, described: Sequence[Sequence[Blob]], artifact: Artifact
) -> tuple[tuple[Method, ...], tuple[Unchecked, ...]]:
    """The methods, and those that cannot be made.

    A constant that a jump tests sends every run the same way. Where its content is not known, what
    happens on either way may never happen, and nothing about the method is proven.
    """
    if loaded is None or loaded.program is None:
        return (), ()
    base = loaded.container.program_start
    read = constant_bytes(loaded, artifact.buffer)
    gaps: list[str] = []

    def read_or_note(entry: int, nbytes: int) -> bytes | None:
        if nbytes > MOST_CONSTANT_BYTES:
            gaps.append(f"a constant that decides where it goes has {nbytes} bytes")
            return None
        try:
            return read(entry, nbytes)
        except NotFetchedError as exc:
            gaps.append(f"a constant that decides where it goes was not fetched: {exc}")
            return None

    methods: list[Method] = []
    unread: dict[str, Unchecked] = {}
    for index, blobs in enumerate(described[:MAX_METHODS]):
        gaps.clear()
        method = Method(loaded.program, index, base, arity(blobs), read_or_note)
        # The runtime takes the first of equal names: of a later one nothing is known either.
        if gaps or method.name in unread:
            name = printable(method.name) or "(no name)"
            why = gaps[0] if gaps else "an earlier method of this name was not judged"
            unread.setdefault(method.name, Unchecked(f"method {name}", why))
        else:
            methods.append(method)
    left = []
    if len(described) > MAX_METHODS:
        what = f"the methods from number {MAX_METHODS} on, {len(described)} in all"
        why = "exporters write a handful; judging so many takes longer than the file's size allows"
        left.append(Unchecked(what, why))
    return tuple(methods), (*unread.values(), *left)
