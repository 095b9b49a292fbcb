"""Keys of named data: which method uses which, and every place that has it, with size and hash."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

from pte_lint.data.blobs import blobs
from pte_lint.data.context import Context
from pte_lint.data.externals import externals
from pte_lint.files.artifact import Artifact
from pte_lint.inspection.labels import label
from pte_lint.inspection.layout import named_bytes, named_of
from pte_lint.inspection.model import KeyPlace, KeyUse, NamedBytes

_CHUNK = 1 << 20
PROGRAM = "program"


def key_uses(
    context: Context, files: Sequence[Artifact] = (), *, hashes: bool = False
) -> tuple[KeyUse, ...]:
    """Every key that a method asks for or a file has, by name.

    Args:
        context: the program, opened with the data files.
        files: the data files as they were opened, in the order of `context.data`.
        hashes: whether to read and hash the bytes of each.

    Raises:
        NotFetchedError: `hashes` asks for more than may be fetched of a file far away.
    """
    places: dict[str, list[KeyPlace]] = {}
    for where, artifact, named in _named(context, files):
        digest = _hash(artifact, named) if hashes else None
        places.setdefault(named.key, []).append(KeyPlace(where, named.size, digest))
    users: dict[str, dict[tuple[str, str], None]] = {}
    for method in context.methods:
        name = label(method.name)
        for external in externals(method):
            if external.key is not None:
                users.setdefault(label(external.key), {})[name, "tensor"] = None
        for blob in blobs(method, context):
            for want in blob.facts.wants:
                users.setdefault(label(want.key), {})[name, label(blob.backend)] = None
    return tuple(
        KeyUse(
            key,
            tuple(dict.fromkeys(method for method, _ in users.get(key, ()))),
            tuple(dict.fromkeys(by for _, by in users.get(key, ()))),
            tuple(places.get(key, ())),
        )
        for key in sorted(places.keys() | users.keys())
    )


def _named(
    context: Context, files: Sequence[Artifact]
) -> Iterator[tuple[str, Artifact, NamedBytes]]:
    for named in named_bytes(context):
        yield PROGRAM, context.artifact, named
    for loaded, artifact in zip(context.data, files, strict=False):
        for named in named_of(loaded):
            yield label(loaded.name), artifact, named


def _hash(artifact: Artifact, named: NamedBytes) -> str | None:
    if named.start is None or named.size is None:
        return None
    digest = hashlib.sha256()
    end = named.start + named.size
    for at in range(named.start, end, _CHUNK):
        digest.update(artifact.buffer[at : min(at + _CHUNK, end)])
    return digest.hexdigest()
