"""How a program is to be run."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Literal

from pte_lint.harness.older_wheel import folders_in_environment, wheel_for
from pte_lint.harness.outcome import DeviceMemory, Verification
from pte_lint.harness.wheel import Wheel
from pte_lint.schema.frozen import dataclass, field

Loader = Literal["file", "mmap", "buffer", "guarded"]
AsRuntime = Literal["1.2", "1.3", "1.4"]

#: How a method can be called. ``default``: memory as the program's tags ask, all inputs 1.
#: ``rising``: inputs that differ by position, run twice. ``falling``: the same below zero, and
#: each condition the other way. ``host_inputs``, ``device_inputs``, ``outputs_not_given``: the
#: other kind of memory; made only where it makes a difference, and only after ``default``.
#: ``given``: as ``rising``, once, for inputs whose contents are given or not.
#: ``poisoned_device``, ``poisoned_host``: as ``rising``, with memory that holds a pattern instead
#: of zeros before the method is loaded; ``falling_...`` as ``falling``.
VARIANTS = (
    "default",
    "host_inputs",
    "device_inputs",
    "outputs_not_given",
    "rising",
    "falling",
    "given",
    "poisoned_device",
    "poisoned_host",
    "falling_poisoned_device",
    "falling_poisoned_host",
)


@dataclass(frozen=True, slots=True)
class ProbeOptions:
    """How to run a program.

    Attributes:
        variants: Ways to call each method, from `VARIANTS`, in order.
        verification: ``full`` (InternalConsistency), ``minimal``, or ``fallback``: minimal where
            full refuses.
        loader: The data loader: ``file`` is the default of an application in C++. ``guarded`` is
            ours: as ``file``, but a read past loaded bytes, or of freed ones, faults. ``buffer``
            and ``guarded`` take one data file at most.
        device_memory: ``emulated``, ``cuda`` (real, refused where there is none), or ``auto``:
            cuda where there is a device.
        devices: Devices that exist; with ``cuda`` at most the real ones.
        as_runtime: An older runtime. Its own is run where it is in `runtime_folders`; elsewhere
            its behaviour is replayed where it differs from the installed one's; the README says
            what that covers. ``None``: the installed one.
        libraries: Shared libraries with kernels and backends of the caller's own, for the
            installed runtime: loaded in each child before the program is. With any, older
            runtimes are replayed.
        runtime_folders: Where older releases are; by default what the environment names.
        timeout: Seconds for one child (one method, one variant).
        total_timeout: Seconds for one program; what is left over is ``skipped``.
        memory_limit: Address space of a child, bytes.
        methods: Method names to run; all if ``None``.
        strict_delegates: Delegate ids whose stand-in refuses bad arguments as the CUDA backend
            does; ``CudaBackend`` always does.
        delegate_outputs: Number of output arguments of delegate calls by (method index, chain,
            instruction), where the caller knows better than the stand-in's guess.
        without_kernels: Prefixes of kernel names to hide, as in a runtime that lacks them.
        first_input: Set inputs from this one on: shows what a later input does where an earlier
            one fails. Execution is refused then, for inputs are missing.
        filled_arena: The one arena, by its index, that the poisoned variants' pattern goes into;
            0: all memory of that kind.
        input_sizes: Sizes to give inputs of, by position.
        until_bad: Make no further variant of a method after one that went wrong.
        describe: Whether to read each method's metadata too (one more child a method).
        unfenced: Run programs also where the fence cannot be raised; it is raised as far as it can
            be. Nothing else switches it off, no environment variable and no configuration file.
        bare: Raise no fence at all, together with `unfenced`: for the comparison with a real device
            (scripts/hardware_run.py), which runs this project's own programs.
    """

    variants: Sequence[str] = ("default",)
    verification: Verification | Literal["fallback"] = "full"
    loader: Loader = "file"
    device_memory: DeviceMemory | Literal["auto"] = "emulated"
    devices: int = 2
    as_runtime: AsRuntime | None = None
    libraries: Sequence[Path] = ()
    runtime_folders: Sequence[Path] = field(default_factory=folders_in_environment)
    timeout: float = 20.0
    total_timeout: float = 600.0
    memory_limit: int = 4 << 30
    methods: Collection[str] | None = None
    strict_delegates: Collection[str] = ()
    delegate_outputs: Mapping[tuple[int, int, int], int] = field(default_factory=dict)
    without_kernels: Collection[str] = ()
    first_input: int = 0
    filled_arena: int = 0
    input_sizes: Mapping[int, Sequence[int]] = field(default_factory=dict)
    until_bad: bool = False
    describe: bool = True
    unfenced: bool = False
    bare: bool = False

    def __post_init__(self) -> None:
        unknown = [name for name in self.variants if name not in VARIANTS]
        if unknown:
            raise ValueError(f"unknown variants: {', '.join(unknown)}")
        if not 1 <= self.devices <= 16:
            raise ValueError("devices must be 1 to 16")
        if min(self.timeout, self.total_timeout, self.memory_limit) <= 0:
            raise ValueError("timeouts and the memory limit must be above 0")
        if self.methods is not None and not self.methods:
            raise ValueError("methods must name at least one method, or be None for all")

    def runtime(self) -> Wheel:
        """The runtime that is to be run.

        Raises:
            HarnessUnavailable: None is installed, or an older one is not for this machine.
        """
        folders = () if self.libraries else self.runtime_folders
        return wheel_for(self.as_runtime, folders)

    def check_data_files(self, count: int) -> None:
        """Whether a program with `count` data files can be loaded.

        Raises:
            ValueError: The loader takes fewer.
        """
        if count > 1 and self.loader in {"buffer", "guarded"}:
            raise ValueError(f"the loader {self.loader!r} takes one data file at most")

    def arguments(self, memory: DeviceMemory, replays: bool = False) -> list[str]:
        """The options in the probe's own notation.

        Args:
            memory: The kind of device memory.
            replays: Whether the probe is to replay `as_runtime`, and is not linked to it.
        """
        words = [
            f"--verification={self.verification}",
            f"--loader={self.loader}",
            f"--device-memory={memory}",
            f"--devices={self.devices}",
            f"--seconds={self.timeout}",
            f"--total-seconds={self.total_timeout}",
            f"--memory={self.memory_limit}",
            f"--describe={'yes' if self.describe else 'no'}",
            f"--until-bad={'yes' if self.until_bad else 'no'}",
            f"--unfenced={'bare' if self.bare else 'yes' if self.unfenced else 'no'}",
        ]
        words += [f"--library={path.absolute()}" for path in self.libraries]
        if replays and self.as_runtime is not None:
            words.append(f"--as-runtime={self.as_runtime}")
        if self.first_input:
            words.append(f"--first-input={self.first_input}")
        if self.filled_arena:
            words.append(f"--filled-arena={self.filled_arena}")
        for position, sizes in sorted(self.input_sizes.items()):
            words.append(f"--input-sizes={position}:{','.join(map(str, sizes))}")
        words += [f"--variant={name}" for name in self.variants]
        words += [f"--strict={name}" for name in sorted(self.strict_delegates)]
        words += [f"--without-kernel={name}" for name in sorted(self.without_kernels)]
        for (method, chain, instruction), count in sorted(self.delegate_outputs.items()):
            words.append(f"--delegate-outputs={method}:{chain}:{instruction}:{count}")
        if self.methods is not None:
            words += [f"--method={name}" for name in sorted(self.methods)]
        return words
