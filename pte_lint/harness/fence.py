"""Whether the children of the probe are held: what a run says of it, and trying it out."""

from __future__ import annotations

from pte_lint.harness.build import build_probe
from pte_lint.harness.errors import HarnessUnavailable
from pte_lint.harness.outcome import Fence, Step
from pte_lint.harness.parse import read_json, step_fields
from pte_lint.harness.process import ProbeProcess, scratch_folder
from pte_lint.schema.frozen import dataclass


@dataclass(frozen=True, slots=True)
class FenceAttempt:
    """One thing a hostile program might try, tried in a child.

    Attributes:
        name: What was tried, such as ``network`` or ``stack_overflow``.
        step: How the child ended.
        refused: For things that the fence forbids, whether it did; ``None`` for others.
    """

    name: str
    step: Step
    refused: bool | None


def require_fence(fence: Fence, *, unfenced: bool) -> None:
    """Makes sure that programs were held.

    Raises:
        HarnessUnavailable: They could not be, and were not run.
    """
    if fence.broken is not None and not unfenced:
        raise HarnessUnavailable(
            f"Programs cannot be fenced in on this machine ({fence.broken}), and none was run.",
            "Use a Linux kernel with seccomp on x86-64 or aarch64, or, only for programs that you "
            "would run anyway, say `pte-lint confirm --unfenced`.",
        )


def fence_notes(fence: Fence, *, allowed: bool) -> tuple[str, ...]:
    """What a report has to say about a fence.

    Args:
        fence: What was found about it.
        allowed: Whether programs could be run without.
    """
    notes = []
    if fence.broken is not None:
        notes.append(f"unfenced: programs ran with all your rights ({fence.broken})")
    elif allowed:
        notes.append("--unfenced was given and not needed: the fence held")
    if fence.missing:
        layers = "; ".join(fence.missing)
        notes.append(f"this machine does not give every layer of the fence ({layers})")
    return tuple(notes)


def try_fence(*, timeout: float = 2.0, memory_limit: int = 1 << 30) -> tuple[FenceAttempt, ...]:
    """Makes every attempt once.

    Args:
        timeout: Seconds for one attempt.
        memory_limit: Address space of a child, bytes.

    Raises:
        HarnessUnavailable: The probe cannot be built or does not answer.
    """
    arguments = [f"--seconds={timeout}", f"--memory={memory_limit}"]
    with scratch_folder() as folder, ProbeProcess(build_probe(), "fence", arguments, folder) as run:
        record = read_json(run.read_line(60 + 20 * timeout))
        console = run.console()
    if record is None:
        raise HarnessUnavailable(f"The probe gave no answer: {console}.", "Reinstall executorch.")
    return tuple(
        FenceAttempt(
            attempt["attempt"],
            Step(**step_fields(attempt["record"])),
            attempt["record"].get("refused"),
        )
        for attempt in record["attempts"]
    )
