"""What the installed runtime has: its kernels and backends."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pte_lint.harness.build import build_probe
from pte_lint.harness.errors import HarnessUnavailable
from pte_lint.harness.parse import read_json, require_libraries
from pte_lint.harness.process import ProbeProcess, scratch_folder
from pte_lint.harness.wheel import LIBRARIES, find_wheel
from pte_lint.schema.frozen import dataclass


@dataclass(frozen=True, slots=True, order=True)
class RegisteredKernel:
    """One entry of the kernel registry.

    Attributes:
        name: Operator name with its overload, such as ``aten::add.out``.
        key: Kernel key: ``v1/`` and, for each tensor argument, dtype code, ``;`` and dim order,
            joined by ``|``. ``None`` for a kernel that takes whatever no key matches.
    """

    name: str
    key: str | None


@dataclass(frozen=True, slots=True, order=True)
class RegisteredBackend:
    """One entry of the backend registry.

    Attributes:
        name: The delegate id it serves.
        available: Whether it says that it can be used on this machine.
    """

    name: str
    available: bool


@dataclass(frozen=True, slots=True)
class RuntimeListing:
    """What a runtime offers to a program.

    Attributes:
        version: Its version, such as ``1.5.1``.
        full_version: The version with its local label.
        commit: Commit it was built from, if it says.
        libraries: The libraries that were loaded, by their short names.
        kernels: Its kernels, sorted.
        backends: Its backends, sorted.
    """

    version: str
    full_version: str
    commit: str | None
    libraries: tuple[str, ...]
    kernels: tuple[RegisteredKernel, ...]
    backends: tuple[RegisteredBackend, ...]


def list_runtime(libraries: Sequence[Path] = ()) -> RuntimeListing:
    """Lists the kernels and backends of the installed runtime.

    Args:
        libraries: shared libraries to load into it first; theirs are listed with its own.

    Raises:
        HarnessUnavailable: The runtime or the compiler is missing, a library cannot be loaded, or
            the probe does not answer.
    """
    wheel = find_wheel()
    words = [f"--library={path.absolute()}" for path in libraries]
    with scratch_folder() as folder, ProbeProcess(build_probe(), "list", words, folder) as process:
        record = read_json(process.read_line(60))
        console = process.console()
    if record is None or ("kernels" not in record and "library_error" not in record):
        raise HarnessUnavailable(f"The probe gave no listing: {console}.", "Reinstall executorch.")
    require_libraries(record)
    kernels = (RegisteredKernel(entry["name"], entry["key"]) for entry in record["kernels"])
    backends = (RegisteredBackend(b["name"], b["available"]) for b in record["backends"])
    return RuntimeListing(
        version=wheel.version,
        full_version=wheel.full_version,
        commit=wheel.commit,
        libraries=LIBRARIES,
        kernels=tuple(sorted(kernels, key=lambda kernel: (kernel.name, kernel.key or ""))),
        backends=tuple(sorted(backends)),
    )
