"""The runs of one artifact on the runtime: made once, shared by all that is claimed about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from pte_lint.claims.finding import Finding, Json
from pte_lint.claims.forecast import NEWEST
from pte_lint.data.context import Context
from pte_lint.harness.driver import run_probe
from pte_lint.harness.fence import fence_notes
from pte_lint.harness.older_wheel import OWN, OlderWheel, install_command
from pte_lint.harness.options import AsRuntime, Loader, ProbeOptions
from pte_lint.harness.outcome import ProbeRun, Verification
from pte_lint.harness.running import delegate_outputs
from pte_lint.harness.wheel import Wheel
from pte_lint.schema.frozen import dataclass, field

REPLAYED: dict[str, AsRuntime] = {"1.4": "1.4", "1.3": "1.3", "1.2": "1.2"}

_TRIES: Final = 16
_TRIED_BYTES: Final = 2 << 20
"""Ways in which a program is run: so many, and more where it is small. What is told of an input, or
of sizes, asks for a way of its own, and a crafted program has thousands of inputs."""

_OWN_HINT = {
    version: f" (--runtime-folder DIR runs it itself, after {install_command(version)})"
    for version in OWN
}

Sizes = tuple[tuple[int, tuple[int, ...]], ...]
"""Sizes by position of the input."""


def sizes_of(finding: Finding) -> Sizes:
    """Sizes of inputs that a finding is about, where it is about others than the largest."""
    given = finding.evidence.get("given") or {}
    return tuple((int(position), tuple(sizes)) for position, sizes in sorted(given.items()))


@dataclass(frozen=True, slots=True)
class How:
    """How a program is run; runs that are alike in it are one."""

    runtime: str = NEWEST
    full: bool = True
    first_input: int = 0
    sizes: Sizes = ()
    filled_arena: int = 0
    loader: Loader = "file"
    variants: tuple[str, ...] = ("default",)


class TooManyRuns(Exception):  # noqa: N818 - an answer about a finding, not a fault of ours
    """The program was run in as many ways as it is."""


@dataclass(slots=True)
class Runs:
    """Runs one program, each way once."""

    path: Path
    context: Context
    data: Sequence[Path]
    options: ProbeOptions
    run: Callable[..., ProbeRun] = run_probe
    _known: dict[How, ProbeRun] = field(default_factory=dict)
    _unloaded: dict[tuple[str, bool, Loader], ProbeRun] = field(default_factory=dict)
    """Runs that end before any method is called: how it would be called makes no difference."""

    def get(self, how: How) -> ProbeRun:
        """The program run that way; after many ways, with the inputs in their own order.

        Raises:
            HarnessUnavailable: the runtime or the compiler is missing, or there is no fence.
            TooManyRuns: After many ways, where sizes are asked for.
        """
        unloaded = self._unloaded.get((how.runtime, how.full, how.loader))
        if unloaded is not None:
            return unloaded
        if how not in self._known and self._is_enough(how):
            if how.sizes:
                raise TooManyRuns
            how = replace(how, first_input=0)
        known = self._known.get(how)
        if known is None:
            known = self.run(
                self.path,
                data=self.data,
                options=replace(
                    self.how(how.runtime, full=how.full),
                    variants=how.variants,
                    first_input=how.first_input,
                    filled_arena=how.filled_arena,
                    loader=how.loader,
                    input_sizes=dict(how.sizes),
                ),
            )
            self._known[how] = known
            if known.program.outcome == "error":
                self._unloaded[how.runtime, how.full, how.loader] = known
        return known

    def how(self, runtime: str, full: bool = True) -> ProbeOptions:
        """How the program is run on a runtime, at a level of verification."""
        level: Verification = "full" if full else "minimal"
        return replace(
            self.options,
            verification=level,
            as_runtime=None if runtime == NEWEST else REPLAYED[runtime],
            delegate_outputs=delegate_outputs(self.context.methods),
        )

    def _is_enough(self, how: How) -> bool:
        if not how.first_input and not how.sizes:
            return False
        return len(self._known) >= _TRIES + _TRIED_BYTES // max(self.context.artifact.size, 1)

    def notes(self) -> tuple[str, ...]:
        """What stood for the runtime, and about the fence, once for all runs."""
        told = [
            note
            for run in self._known.values()
            for note in fence_notes(run.fence, allowed=self.options.unfenced)
        ]
        if self._known and self.options.libraries:
            names = ", ".join(path.name for path in self.options.libraries)
            told.append(f"judged for and run with {names}")
        runtime = self.context.target.runtime
        if self._known and runtime != NEWEST:
            wheel = self._wheel(runtime)
            if isinstance(wheel, OlderWheel):
                told.append(
                    f"executorch {wheel.version} ran the programs itself; threads and matrix "
                    "products are not PyTorch's"
                )
            else:
                told.append(
                    f"executorch {runtime} was replayed on {wheel.version}: how it loads methods "
                    "and takes inputs; container checks, kernels and delegates are those of "
                    f"{wheel.version}" + _OWN_HINT.get(runtime, "")
                )
        return tuple(dict.fromkeys(told))

    def _wheel(self, runtime: str) -> Wheel:
        return replace(self.options, as_runtime=REPLAYED[runtime]).runtime()

    def has_own(self, runtime: str) -> bool:
        """Whether a version's own runtime is there, and nothing of it is replayed."""
        return runtime == NEWEST or isinstance(self._wheel(runtime), OlderWheel)

    def origin(self, runtime: str) -> dict[str, Json]:
        """What ran for a version; nothing for the newest, which is the installed one."""
        if runtime == NEWEST:
            return {}
        wheel = self._wheel(runtime)
        told: dict[str, Json] = {"ran_on": f"executorch {wheel.version}"}
        return told if isinstance(wheel, OlderWheel) else told | {"replayed": runtime}
