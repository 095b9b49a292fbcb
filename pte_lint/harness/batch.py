"""Runs many programs through one probe that stays alive: for fuzzing and for corpora."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

from pte_lint.harness.build import Probe, build_probe
from pte_lint.harness.driver import choose_memory, existing_file
from pte_lint.harness.fence import require_fence
from pte_lint.harness.older_wheel import OlderWheel
from pte_lint.harness.options import ProbeOptions
from pte_lint.harness.outcome import DeviceMemory, ProbeRun
from pte_lint.harness.parse import probe_run
from pte_lint.harness.process import ProbeProcess, scratch_folder
from pte_lint.harness.wheel import Wheel
from pte_lint.schema.frozen import dataclass

#: Programs sent ahead of the answer that is being read, so that neither side waits.
_AHEAD = 4


@dataclass(frozen=True, slots=True)
class BatchItem:
    """A program to run: a file, or bytes that are put into one for as long as it takes.

    Attributes:
        program: Path or contents.
        data: Its external data files.
        name: What `ProbeRun.path` will say; the path if not given.
    """

    program: str | os.PathLike[str] | bytes
    data: tuple[str | os.PathLike[str], ...] = ()
    name: str | None = None


#: A program to run: described, a path, or its bytes.
Program: TypeAlias = BatchItem | str | os.PathLike[str] | bytes


def run_batch(
    items: Iterable[Program],
    *,
    options: ProbeOptions | None = None,
    **changes: Any,
) -> Iterator[ProbeRun]:
    """Runs programs one after the other; yields one result for each, in order.

    A probe that dies or hangs is started anew; the program it was at comes back ``skipped``.
    Close the iterator, or exhaust it, to end the probe.

    Args:
        items: The programs.
        options: How to run them; by default one variant, without describing methods.
        **changes: Fields of `ProbeOptions` to change.

    Raises:
        HarnessUnavailable: The runtime, the compiler or the device asked for is missing, or the
            fence cannot be raised.
        FileNotFoundError: A file does not exist.
        ValueError: Options that make no sense.
    """
    chosen = replace(options or ProbeOptions(describe=False), **changes)
    wheel = chosen.runtime()
    probe = build_probe(wheel)
    return _results(probe, wheel, iter(items), chosen, choose_memory(probe, chosen))


def _results(
    probe: Probe,
    wheel: Wheel,
    items: Iterator[Program],
    options: ProbeOptions,
    memory: DeviceMemory,
) -> Iterator[ProbeRun]:
    arguments = options.arguments(memory, replays=not isinstance(wheel, OlderWheel))
    with scratch_folder() as folder:
        queue = _Queue(items, folder, options)
        while queue.fill():
            with (
                scratch_folder() as home,
                ProbeProcess(probe, "batch", arguments, home, stdin=True) as process,
            ):
                yield from _serve(process, queue, options, memory, wheel)


def _serve(
    process: ProbeProcess,
    queue: _Queue,
    options: ProbeOptions,
    memory: DeviceMemory,
    wheel: Wheel,
) -> Iterator[ProbeRun]:
    """Takes from the queue until it is empty or the probe is gone; at least one program."""
    sent = 0
    while queue.fill():
        for program in islice(queue.waiting, sent, None):
            # A probe that is gone shows when its answer is awaited.
            with suppress(OSError):
                process.send(program.message)
        sent = len(queue.waiting)
        line = process.read_line(options.total_timeout + options.timeout + 30)
        first = queue.waiting.popleft()
        sent -= 1
        first.forget()
        run = probe_run(first.name, line, process.console(), options, memory, wheel=wheel)
        require_fence(run.fence, unfenced=options.unfenced)
        yield run
        if line is None:
            return


class _Queue:
    """Programs that have not been answered for, a few of them at a time."""

    def __init__(self, items: Iterator[Program], folder: Path, options: ProbeOptions) -> None:
        self.waiting: deque[_Sent] = deque()
        self._stream = (
            _prepare(item, folder, number, options) for number, item in enumerate(items)
        )

    def fill(self) -> bool:
        """Takes more programs if there is room; whether any is waiting."""
        room = _AHEAD - len(self.waiting)
        self.waiting.extend(islice(self._stream, room))
        return bool(self.waiting)


@dataclass(frozen=True, slots=True)
class _Sent:
    name: str
    message: bytes
    temporary: Path | None

    def forget(self) -> None:
        if self.temporary is not None:
            self.temporary.unlink(missing_ok=True)


def _prepare(item: Program, folder: Path, number: int, options: ProbeOptions) -> _Sent:
    if not isinstance(item, BatchItem):
        item = BatchItem(item)
    temporary = None
    if isinstance(item.program, bytes):
        temporary = folder / f"program-{number}.pte"
        temporary.write_bytes(item.program)
        path = str(temporary)
    else:
        path = existing_file(item.program)
    options.check_data_files(len(item.data))
    files = [path, *(existing_file(name) for name in item.data)]
    message = b"".join(os.fsencode(name) + b"\0" for name in files) + b"\0"
    name = item.name or (path if temporary is None else f"<bytes {number}>")
    return _Sent(name, message, temporary)
