"""Whether a child of the probe is held on this machine: asks the probe to try."""

from __future__ import annotations

from dataclasses import dataclass

from pte_lint.harness.build import build_probe
from pte_lint.harness.errors import HarnessUnavailable
from pte_lint.harness.outcome import Step
from pte_lint.harness.parse import read_json, step_fields
from pte_lint.harness.process import ProbeProcess, scratch_folder


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
