"""Keeps what the runtime did with the mutants of a run, so that they can be judged anew without it.

One compressed file a chunk, keyed by what a mutant's files hold: an edit that is drawn differently
by now is run again, and so is everything once the probe has changed.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any

from pte_lint.harness.build import build_probe
from tests.fuzz.oracle import OPTIONS, Ending, MethodSeen, Observation, Seen

#: Raised when an observation holds something else than before.
_FORMAT = 4


def digest_of(program: bytes, data: Sequence[bytes]) -> str:
    """The start of the hash of a program and its data files."""
    return sha256(b"\0".join((program, *data))).hexdigest()[:16]


class Memory(Mapping[str, Observation]):
    """What was seen of the mutants of one chunk, by `digest_of` their files."""

    def __init__(self, path: Path) -> None:
        """Reads a file; one that is missing, damaged or of another probe counts as empty."""
        self._path = path
        self._records: dict[str, Any] = {}
        self._probe = f"{_FORMAT} {build_probe().path.parent.name} {OPTIONS}"
        try:
            content = json.loads(zlib.decompress(path.read_bytes()))
        except (OSError, ValueError, zlib.error):
            return
        if content["probe"] == self._probe:
            self._records = content["seen"]

    def __getitem__(self, digest: str) -> Observation:
        return _observation(self._records[digest])

    def __iter__(self) -> Iterator[str]:
        return iter(self._records)

    def __len__(self) -> int:
        return len(self._records)

    def keep(self, digest: str, observation: Observation) -> None:
        """Remembers, in place of what was remembered of the same files."""
        full = asdict(observation.full)
        self._records[digest] = [full] if observation.same else [full, asdict(observation.minimal)]

    def save(self) -> None:
        """Writes the file."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        content = json.dumps({"probe": self._probe, "seen": self._records})
        self._path.write_bytes(zlib.compress(content.encode()))


def _observation(record: list[dict[str, Any]]) -> Observation:
    full, minimal = _seen(record[0]), record[1:]
    return Observation(full, _seen(minimal[0]) if minimal else full)


def _seen(record: dict[str, Any]) -> Seen:
    methods = tuple(
        MethodSeen(
            each["index"],
            each["name"],
            tuple(map(_ending, each["endings"])),
            tuple((memory, where) for memory, where in each["unwritten"]),
            tuple((memory, where) for memory, where in each["passed_on"]),
        )
        for each in record["methods"]
    )
    return Seen(_ending(record["program"]), methods, record["known"])


def _ending(record: dict[str, Any]) -> Ending:
    lists = {name: tuple(record[name]) for name in ("logs", "outputs", "remarks")}
    visited = tuple((chain, first, last) for chain, first, last in record["visited"])
    turned_back = tuple((chain, index) for chain, index in record["turned_back"])
    return Ending(**{**record, **lists, "visited": visited, "turned_back": turned_back})
