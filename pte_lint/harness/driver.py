"""Runs one program through the probe and returns what happened.

Nothing a program does reaches the caller but through the returned value: the probe runs it in
children of its own, and this module treats the probe itself as something that may die, hang or
talk nonsense.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from pte_lint.harness.build import Probe, build_probe
from pte_lint.harness.errors import HarnessUnavailable
from pte_lint.harness.fence import require_fence
from pte_lint.harness.older_wheel import OlderWheel
from pte_lint.harness.options import ProbeOptions
from pte_lint.harness.outcome import DeviceMemory, ProbeRun
from pte_lint.harness.parse import probe_run, read_json
from pte_lint.harness.process import ProbeProcess, passed_on, scratch_folder
from pte_lint.harness.wheel import Wheel
from pte_lint.schema.frozen import dataclass


def run_probe(
    path: str | os.PathLike[str],
    *,
    data: Sequence[str | os.PathLike[str]] = (),
    options: ProbeOptions | None = None,
    contents: Mapping[int, bytes] | None = None,
    recorded: Sequence[str] = (),
    shared: Sequence[int] = (),
    **changes: Any,
) -> ProbeRun:
    """Runs one program on the installed runtime.

    Args:
        path: The program.
        data: Its external data files (``.ptd``), in order.
        options: How to run it; the defaults of `ProbeOptions` if not given.
        contents: Bytes to give inputs, by position, as they are to lie in memory.
        recorded: Words that have the probe record calls (`Recording.arguments`).
        shared: Descriptors that these name.
        **changes: Fields of `ProbeOptions` to change.

    Raises:
        HarnessUnavailable: The runtime, the compiler or the device asked for is missing, or the
            fence cannot be raised.
        FileNotFoundError: A file does not exist.
        ValueError: Options that make no sense.
    """
    chosen = replace(options or ProbeOptions(), **changes)
    asked = ask_probe(
        path, data=data, options=chosen, contents=contents, words=recorded, shared=shared
    )
    run = probe_run(
        os.fspath(path), asked.line, asked.console, chosen, asked.memory, wheel=asked.wheel
    )
    require_fence(run.fence, unfenced=chosen.unfenced)
    return run


@dataclass(frozen=True, slots=True)
class Asked:
    """What a probe answered: a line of its own, not looked at yet, and what was printed."""

    line: bytes | None
    console: str
    memory: DeviceMemory
    wheel: Wheel


def ask_probe(
    path: str | os.PathLike[str],
    *,
    data: Sequence[str | os.PathLike[str]],
    options: ProbeOptions,
    contents: Mapping[int, bytes] | None = None,
    words: Sequence[str] = (),
    file_words: Sequence[str] = (),
    shared: Sequence[int] = (),
) -> Asked:
    """Starts a probe on one program; `file_words` are too many for a command line.

    Raises:
        As `run_probe`.
    """
    files = [existing_file(name) for name in (path, *data)]
    options.check_data_files(len(data))
    wheel = options.runtime()
    probe = build_probe(wheel)
    memory = choose_memory(probe, options)
    arguments = options.arguments(memory, replays=not isinstance(wheel, OlderWheel))
    arguments.append(f"--program={files[0]}")
    arguments += [f"--data={name}" for name in files[1:]]
    arguments += words
    with scratch_folder() as folder:
        for position, content in (contents or {}).items():
            place = folder / f"input-{position}"
            place.write_bytes(content)
            arguments.append(f"--input-data={position}:{place}")
        if file_words:
            place = folder / "words"
            place.write_bytes(b"".join(word.encode() + b"\0" for word in file_words))
            arguments.append(f"--arguments={place}")
        with ProbeProcess(probe, "run", arguments, folder, shared=shared) as process:
            # The probe keeps the time itself; this only catches a probe that does not.
            line = process.read_line(options.total_timeout + options.timeout + 30)
            console = process.console()
    if line is None and "error while loading shared libraries" in console:
        raise HarnessUnavailable(f"The probe does not start: {console}.", "Reinstall executorch.")
    return Asked(line, console, memory, wheel)


def existing_file(name: str | os.PathLike[str]) -> str:
    """The absolute path of a file.

    Raises:
        FileNotFoundError: It does not exist, or is no file.
    """
    path = Path(name).absolute()
    if not path.is_file():
        raise FileNotFoundError(f"no such file: {path}")
    return str(path)


def choose_memory(probe: Probe, options: ProbeOptions) -> DeviceMemory:
    """The kind of device memory that `options` mean on this machine.

    Raises:
        HarnessUnavailable: Real devices were asked for and there are none.
    """
    if options.device_memory == "emulated":
        return "emulated"
    if _has_cuda(probe, tuple(passed_on().items())):
        return "cuda"
    if options.device_memory == "cuda":
        problem = cuda_problem(probe)
        raise HarnessUnavailable(
            f"No CUDA device can be used on this machine{f': {problem}' if problem else ''}.",
            "Use device_memory='emulated', or a machine with an NVIDIA GPU and its driver.",
        )
    return "emulated"


@lru_cache(maxsize=8)
def _has_cuda(probe: Probe, _environment: tuple[tuple[str, str], ...]) -> bool:
    """Whether there is a device, asked once: a confirmation starts dozens of probes."""
    return cuda_devices(probe) > 0


def cuda_devices(probe: Probe | None = None) -> int:
    """Number of CUDA devices that the driver library of this machine offers; 0 without one.

    Raises:
        HarnessUnavailable: The probe cannot be built.
    """
    count = _devices(probe).get("cuda_devices", 0)
    return count if isinstance(count, int) else 0


def cuda_problem(probe: Probe | None = None) -> str:
    """What keeps devices from being used: the driver's call, its number and words; "" for none.

    Raises:
        HarnessUnavailable: The probe cannot be built.
    """
    return str(_devices(probe).get("problem") or "")


def starts() -> bool:
    """Whether the probe starts at all.

    Raises:
        HarnessUnavailable: It cannot be built.
    """
    return bool(_devices(None))


def _devices(probe: Probe | None) -> Mapping[str, Any]:
    arguments = ["--devices=16", "--seconds=60"]
    with (
        scratch_folder() as folder,
        ProbeProcess(probe or build_probe(), "devices", arguments, folder) as process,
    ):
        return read_json(process.read_line(90)) or {}
