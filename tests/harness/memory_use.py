"""What the runtime's allocators are asked for, beside what `method_memory` says.

`python -m tests.harness.memory_use FILE...` runs programs, each with the data files of its folder
that begin with its name, and prints every method where the two differ.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pte_lint.data.blobs import blobs
from pte_lint.data.method_memory import MethodMemory, method_memory
from pte_lint.harness.batch import BatchItem, run_batch
from pte_lint.harness.driver import run_probe
from pte_lint.harness.options import ProbeOptions
from pte_lint.harness.outcome import ProbeRun
from tests.support.look import opened


@dataclass(frozen=True)
class Compared:
    """One method that loaded and ran: what was said, and what the runtime asked for, in bytes."""

    file: str
    method: str
    said: MethodMemory
    allocator: int
    temporary: int

    @property
    def is_equal(self) -> bool:
        """Whether the two agree, where everything that asks is known."""
        asked = self.said.allocator, self.said.most_temporary
        return bool(self.said.unknown) or asked == (self.allocator, self.temporary)


def compared(
    files: Sequence[Path], contents: Mapping[int, bytes] | None = None
) -> Iterator[Compared]:
    """Runs programs and yields their methods, those left out that do not run.

    Args:
        files: The programs.
        contents: Bytes to give inputs of all methods, by position; ones where none are given.
    """
    pairs = [(file, _data_of(file)) for file in files]
    runs: Iterable[ProbeRun]
    if contents:
        how = ProbeOptions(variants=("given",))
        runs = (run_probe(file, data=d, options=how, contents=contents) for file, d in pairs)
    else:
        runs = run_batch(BatchItem(file, tuple(data)) for file, data in pairs)
    for (file, data), run in zip(pairs, runs, strict=True):
        said = _said(file, data)
        for report in run.methods:
            ended = report.runs[0] if report.runs else None
            if ended is None or ended.allocators is None or report.name not in said:
                continue
            yield Compared(file.name, report.name, said[report.name], *ended.allocators)


def _data_of(file: Path) -> list[Path]:
    return sorted(file.parent.glob(f"{file.stem}*.ptd"))


def _said(file: Path, data: Iterable[Path]) -> dict[str, MethodMemory]:
    with opened(file, data) as context:
        has_keys = context.program is not None and bool(context.program.named_data)
        return {
            method.name: method_memory(
                method, blobs(method, context), has_data=bool(context.data), has_keys=has_keys
            )
            for method in context.methods
        }


def main() -> None:
    """Prints differences and how many methods were compared."""
    found = list(compared([Path(name) for name in sys.argv[1:]]))
    for each in found:
        if not each.is_equal:
            asked = f"{each.allocator} and {each.temporary}"
            said = f"{each.said.allocator} and {each.said.most_temporary}"
            print(f"{each.file} {each.method}: said {said}, asked {asked}")
    known = [each for each in found if not each.said.unknown]
    equal = sum(each.is_equal for each in known)
    files = len({each.file for each in known})
    print(f"{equal} of {len(known)} methods of {files} programs agree; ", end="")
    print(f"of {len(found) - len(known)} more not all can be told")


if __name__ == "__main__":
    main()
