"""Finds the runtimes of older releases, each in a folder, and what they lack to be linked.

Before 1.5 a wheel has its runtime in one extension of Python, ``_portable_lib``, that is linked to
PyTorch's libraries. Running programs needs next to nothing of them: a small library stands for all
(`probe/torchless`). The headers of what lies around the runtime (`Module`, loaders of data) are not
in those wheels. They are the installed release's: from 1.3.1 to 1.5.1 they declare the same public
members and the same data members (extension/module/module.h, extension/data_loader/*.h,
extension/memory_allocator/*.h; the version control's history of them).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from pte_lint.harness.errors import HarnessUnavailable
from pte_lint.harness.wheel import Wheel, find_wheel, stated_versions
from pte_lint.schema.frozen import dataclass

#: Folders that older releases were installed into, or that have such folders in them; separated as
#: in ``PATH``.
ENV_RUNTIME_FOLDER = "PTE_LINT_RUNTIME_FOLDER"

#: Versions whose own runtime can be used, with the release that this is known of.
OWN = {"1.4": "1.4.1", "1.3": "1.3.1"}

#: Libraries that the extension asks the system's loader for, and that one of ours stands for.
TORCH_LIBRARIES = ("libtorch.so", "libtorch_cpu.so", "libtorch_python.so", "libc10.so")

_EXTENSION = "extension/pybindings/_portable_lib.*.so"
_QNN = "backends/qualcomm/libqnn_executorch_backend.so"
"""Has the platform's functions and the registry of backends, for all of the extension."""
_DATA_ENDS = ("_Type", "Struct", "10_singletonE")
_NAMESPACES = ("2at", "3c10", "5torch", "6caffe2", "8pybind11")
_TAKEN = (
    "Py", "_Py", "cpuinfo_", "pthreadpool_",
    *(f"_Z{kind}{name}" for kind in ("N", "NK") for name in _NAMESPACES),
)  # fmt: skip
"""How names begin that Python and PyTorch have."""


def install_command(version: str) -> str:
    """What installs a release of that version so that it is found."""
    return f"pip install --no-deps --target DIR executorch=={OWN[version]}"


@dataclass(frozen=True, slots=True)
class OlderWheel(Wheel):
    """A release whose runtime is an extension of Python.

    Attributes:
        installed: The installed release, which has what this one lacks.
    """

    installed: Wheel

    @property
    def minor(self) -> int:
        """The x of its version 1.x."""
        return int(self.version.split(".")[1])

    def libraries(self) -> tuple[Path, ...]:
        """The extension and the library that it takes the platform's functions from."""
        return (_extension(self.root), self.root / _QNN)

    def compile_words(self) -> list[str]:
        """Its own headers first, and the installed release's for those that it lacks."""
        return [
            f"-DPTE_RUNTIME_MINOR={self.minor}",
            *Wheel.compile_words(self),
            *self.installed.compile_words()[:2],
        ]

    def link_words(self, built: Path) -> list[str]:
        """What links the probe to it, with the library that stands for PyTorch's."""
        paths = [str(built / "libtorch.so"), *(str(path) for path in self.libraries())]
        folders = [f"-Wl,-rpath,{path.parent}" for path in self.libraries()]
        return ["-Wl,--allow-shlib-undefined", "-Wl,--no-as-needed", *paths, *folders, "-ldl"]

    def torchless_words(self) -> list[str]:
        """What makes `probe/torchless` a library by the name of PyTorch's."""
        pool = self.installed.library_folder / "libexecutorch_threadpool.so"
        return [
            "-shared",
            "-fPIC",
            "-Wl,-soname,libtorch.so",
            "-Wl,-z,noexecstack",
            f'-DPTE_LINT_THREADPOOL="{pool}"',
            "-ldl",
        ]

    def torchless_symbols(self) -> str:
        """Assembly with everything that its libraries want of PyTorch and of Python.

        Raises:
            HarnessUnavailable: A library is none.
        """
        from pte_lint.schema.blob.elf import ElfImage, read_image
        from pte_lint.schema.blob.window import OutsideError, Window
        from pte_lint.schema.program import Span

        def image(path: Path) -> ElfImage:
            try:
                content = path.read_bytes()
                return read_image(Window(content, Span(0, len(content))))
            except (OSError, OutsideError) as error:
                raise HarnessUnavailable(f"{path} cannot be read.", "Install it anew.") from error

        images = [image(path) for path in self.libraries()]
        own = {symbol.name for each in images for symbol in each.symbols or ()}
        wanted = {name for each in images for name in each.imports} - own
        return _assembly(sorted(name for name in wanted if name.startswith(_TAKEN)))


def find_older(version: str, folders: Sequence[Path], installed: Wheel) -> OlderWheel | None:
    """The newest release of a version, such as ``1.4``, in some folders; None where there is none.

    Raises:
        HarnessUnavailable: There is one, and it has no runtime for this machine.
    """
    found: list[tuple[tuple[int, ...], OlderWheel]] = []
    for root in _packages(folders):
        full, commit = stated_versions(root)
        number = full.partition("+")[0]
        if number.startswith(version + ".") and all(x.isdigit() for x in number.split(".")):
            wheel = OlderWheel(root, number, full, commit, installed)
            found.append((tuple(map(int, number.split("."))), wheel))
    if not found:
        return None
    wheel = max(found, key=lambda each: each[0])[1]
    import platform

    if platform.machine() != "x86_64" or not (wheel.root / _QNN).is_file():
        raise HarnessUnavailable(
            f"The runtime in {wheel.root} is not for this machine.",
            "The own runtimes of releases before 1.5 are used on Linux on x86-64 only.",
        )
    return wheel


def wheel_for(version: str | None, folders: Sequence[Path]) -> Wheel:
    """The runtime for a version: its own where it is there, else the installed one.

    Raises:
        HarnessUnavailable: No runtime is installed, or the own one is not for this machine.
    """
    installed = find_wheel()
    own = find_older(version, folders, installed) if version in OWN else None
    return own or installed


def folders_in_environment() -> tuple[Path, ...]:
    """What ``PTE_LINT_RUNTIME_FOLDER`` names."""
    words = os.environ.get(ENV_RUNTIME_FOLDER, "").split(os.pathsep)
    return tuple(Path(word) for word in words if word)


def _packages(folders: Sequence[Path]) -> Iterator[Path]:
    for folder in folders:
        inner = sorted(folder.iterdir()) if folder.is_dir() else []
        for place in (folder, *inner):
            if (place / "executorch" / "version.py").is_file():
                yield place / "executorch"


def _extension(root: Path) -> Path:
    for path in sorted(root.glob(_EXTENSION)):
        return path
    raise HarnessUnavailable(f"{root} has no runtime.", "Install it anew.")


def _assembly(names: Sequence[str]) -> str:
    """Functions that go where their slot says, at first to `pte_lint_absent`; data are zeros."""
    data = [name for name in names if name.startswith("PyExc_") or name.endswith(_DATA_ENDS)]
    data += [name for name in names if name == "cpuinfo_isa"]
    functions = [name for name in names if name not in data]
    text, slots, absent, strings, table = [".text"], [".data"], [".text"], [".section .rodata"], []
    slots += [".globl pte_lint_slots", "pte_lint_slots:"]
    for number, name in enumerate(functions):
        text += [f".globl {name}", f".type {name},@function"]
        text += [f"{name}: jmp *pte_lint_slot_{number}(%rip)"]
        slots += [f"pte_lint_slot_{number}: .quad pte_lint_absent_{number}"]
        absent += [f"pte_lint_absent_{number}: lea pte_lint_name_{number}(%rip), %rdi"]
        absent += ["and $-16, %rsp", "call pte_lint_absent@PLT"]
        strings += [f'pte_lint_name_{number}: .asciz "{name}"']
        table += [f".quad pte_lint_name_{number}"]
    table = ['.section .data.rel.ro,"aw"', ".globl pte_lint_names", "pte_lint_names:", *table]
    zeros = [".bss"]
    for name in data:
        zeros += [".balign 64", f".globl {name}", f".type {name},@object", f".size {name}, 1024"]
        zeros += [f"{name}: .zero 1024"]
    parts = (text, slots, absent, strings, [*table, ".quad 0"], zeros)
    return "\n".join(line for part in parts for line in part) + "\n"
