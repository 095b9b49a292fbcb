"""What became of the changes: kept line by line, told by package and by kind."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pte_lint.text.toml import loads
from tests.mutation.changes import Mutant
from tests.mutation.places import KEPT, package
from tests.mutation.trial import Ending

EQUIVALENT = Path(__file__).parent / "equivalent.toml"
"""Changes that change nothing, each with the reason."""

_Key = tuple[str, ...]
_FIELDS = ("file", "function", "kind", "old", "new")


class Results:
    """A file with one line for each trial; the last one of a change counts."""

    def __init__(self, name: str) -> None:
        self._path = KEPT / f"{name}.jsonl"

    def add(self, mutant: Mutant, ending: Ending) -> None:
        """Writes down what became of a change."""
        said = dict(zip(_FIELDS, mutant.key, strict=True))
        line = {
            "line": mutant.line,
            "status": ending.status,
            "by": ending.by,
            "tests": ending.tests,
        }
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as out:
            out.write(json.dumps(said | line) + "\n")

    def endings(self) -> dict[_Key, str]:
        """The status of each change; `equivalent` where a file says that nothing changes."""
        same = equivalent()
        return {
            k: "equivalent" if k in same else each["status"] for k, each in self._last().items()
        }

    def survivors(self) -> Iterator[Mapping[str, Any]]:
        """Those that no test noticed, in the order of their places."""
        last = self._last()
        for key in sorted(k for k, status in self.endings().items() if status == "survived"):
            yield last[key]

    def _last(self) -> dict[_Key, Mapping[str, Any]]:
        if not self._path.is_file():
            return {}
        lines = map(json.loads, self._path.read_text("utf-8").splitlines())
        return {tuple(each[name] for name in _FIELDS): each for each in lines}


def equivalent(path: Path = EQUIVALENT) -> dict[_Key, str]:
    """The reason for each change that changes nothing."""
    listed = loads(path.read_text("utf-8")).get("change", [])
    return {tuple(each[name] for name in _FIELDS): each["reason"] for each in listed}


def report(results: Results) -> str:
    """Scores by package and by kind, and the survivors."""
    endings = results.endings()
    lines = [f"{_score(list(endings.values()))} in all"]
    for title, of in (("package", lambda key: package(key[0])), ("kind", lambda key: key[2])):
        groups: dict[str, list[str]] = defaultdict(list)
        for key, status in endings.items():
            groups[of(key)].append(status)
        lines += ["", f"By {title}:"]
        lines += [f"{_score(groups[name])}  {name}" for name in sorted(groups)]
    lines += ["", "Survivors:"]
    for each in results.survivors():
        lines.append(f"{each['file']}:{each['line']} {each['kind']} ({each['tests']} tests)")
        lines.append(f"    - {each['old']}\n    + {each['new'].strip()}")
    return "\n".join(lines)


def _score(statuses: list[str]) -> str:
    same = statuses.count("equivalent")
    counted = len(statuses) - same
    killed = statuses.count("killed")
    part = f"{100 * killed / counted:5.1f} %" if counted else "      - "
    return f"{part} {killed:4} of {counted:4} killed, {same:3} equivalent"
