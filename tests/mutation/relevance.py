"""Which tests are asked about a change, and in which order: from what the recorder wrote down."""

from __future__ import annotations

import base64
import json
import zlib
from collections import defaultdict
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path, PurePosixPath

from tests.mutation.changes import Mutant
from tests.mutation.recorder import FOLDER


class CoverageMap:
    """What is recorded; a test that was recorded twice counts as the last time.

    Attributes:
        tests: By node id, the seconds of CPU each takes, and how many lines it runs.
    """

    def __init__(self, folder: Path = FOLDER) -> None:
        parts = [json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*.json"))]
        self.tests: dict[str, tuple[float, int]] = {}
        self._names = [[name for name, _, _ in part["tests"]] for part in parts]
        self._lines = [part["lines"] for part in parts]
        self._newest = {name: at for at, names in enumerate(self._names) for name in names}
        for part in parts:
            self.tests |= {name: (seconds, lines) for name, seconds, lines in part["tests"]}

    def is_seen(self, mutant: Mutant) -> bool:
        """Whether a test ran its lines, in the process of the tests."""
        return bool(self._seeing(mutant))

    def chosen(self, mutant: Mutant, budget: float) -> list[tuple[str, float]]:
        """The tests to ask, each with the seconds it takes by itself; those most relevant first.

        A test file in turn, in each first what runs the fewest lines beside; as many as take
        `budget` seconds of CPU together. Where no test ran the line, it is run when the module is
        imported or in another process: then all tests of the file, and those that its place names.
        """
        home = _home(mutant.file)
        tests = self._seeing(mutant)
        if not tests:
            tests = self._of(mutant.file) | {t for t in self.tests if _distance(t, home) < 2}
        by_file: dict[str, list[str]] = defaultdict(list)
        for test in sorted(tests, key=lambda test: (self.tests[test][1], test)):
            by_file[test.partition("::")[0]].append(test)
        order = sorted(by_file, key=lambda f: (_distance(f, home), self.tests[by_file[f][0]][1], f))
        chosen: list[tuple[str, float]] = []
        spent = 0.0
        for row in zip_longest(*(by_file[name] for name in order)):
            for test in filter(None, row):
                seconds, _ = self.tests[test]
                if spent + seconds <= budget or len(chosen) < 5:
                    chosen.append((test, seconds))
                    spent += seconds
        return chosen

    def _seeing(self, mutant: Mutant) -> set[str]:
        """The tests that ran the changed lines, or where those are within one, its statement."""
        first, last = mutant.statement
        return self._of(mutant.file, mutant.lines) or self._of(mutant.file, range(first, last + 1))

    def _of(self, file: str, wanted: range | None = None) -> set[str]:
        """The tests that ran some lines of a file, or any."""
        found = set()
        for at, (names, lines) in enumerate(zip(self._names, self._lines, strict=True)):
            ran = lines.get(file, {})
            for line in ran if wanted is None else map(str, wanted):
                if line in ran:
                    numbers = _bits(zlib.decompress(base64.b85decode(ran[line])))
                    found |= {names[n] for n in numbers if self._newest[names[n]] == at}
        return found


def _home(file: str) -> tuple[str, str]:
    """The folder of tests that mirrors a file's, and the name that its own test would have."""
    path = PurePosixPath(file)
    return f"tests/{path.parent}/", f"test_{path.stem}.py"


def _distance(test: str, home: tuple[str, str]) -> int:
    folder, name = home
    mirrored = test.partition("::")[0] == folder + name
    return 0 if mirrored else 1 if test.startswith(folder) else 2


def _bits(packed: bytes) -> Iterator[int]:
    for at, byte in enumerate(packed):
        for bit in range(8):
            if byte >> bit & 1:
                yield at * 8 + bit
