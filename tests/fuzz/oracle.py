"""What the real runtime does with mutants, in a few words for each method.

A method is called four ways, twice each: with inputs that differ by position and lie below zero;
with others above zero, and each condition the other way; and the latter again with device memory,
then with host memory, that held a pattern before. It is *bad* when one of the calls fails, crashes,
hangs, hands a pointer to the wrong memory to a delegate or the caller (the probe says `undefined`
then), or computes from memory that nothing wrote.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pte_lint.harness.batch import BatchItem, run_batch
from pte_lint.harness.compare import first_difference
from pte_lint.harness.options import ProbeOptions
from pte_lint.harness.outcome import MethodReport, MethodRun, ProbeRun, Step

CALLS = ("falling", "rising", "poisoned_device", "poisoned_host")

#: Seconds for one call: the runtime's own limit of ten million instructions fits.
SECONDS = 10.0

OPTIONS = ProbeOptions(
    variants=CALLS,
    verification="fallback",
    describe=False,
    timeout=SECONDS,
    total_timeout=6 * SECONDS,
    until_bad=True,
)

#: As `OPTIONS`, but every call is made, also after one that went wrong.
THOROUGH = replace(OPTIONS, until_bad=False)


@dataclass(frozen=True, slots=True)
class Ending:
    """How one call ended.

    Attributes:
        call: Which one; see `CALLS`. `program` for the loading of the program.
        stage: As in the design.
        outcome: ok, error, crash, undefined, timeout, skipped.
        detail: Error name or signal.
        instruction: Instruction that was running, counted in its chain.
        chain: Its chain.
        logs: The runtime's last words.
        outputs: Outputs of all runs of the call, by digest.
        visited: Instructions that a call that went through has run: (chain, first, last).
        turned_back: Jumps among them that went backwards: (chain, instruction).
        remarks: What the probe found odd.
    """

    call: str
    stage: str
    outcome: str
    detail: str | None = None
    instruction: int | None = None
    chain: int | None = None
    logs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    visited: tuple[tuple[int, int, int], ...] = ()
    turned_back: tuple[tuple[int, int], ...] = ()
    remarks: tuple[str, ...] = ()

    def has_run(self, chain: int, position: int) -> bool:
        """Whether the call went through and has run an instruction."""
        return any(chain == of and first <= position <= last for of, first, last in self.visited)

    @property
    def is_bad(self) -> bool:
        """Anything but ok; calls that were not made are not."""
        return self.outcome not in ("ok", "skipped")

    def __str__(self) -> str:
        where = "" if self.instruction is None else f" at {self.chain}:{self.instruction}"
        return f"{self.stage} {self.outcome} {self.detail or ''}{where} ({self.call})"


@dataclass(frozen=True, slots=True)
class MethodSeen:
    """What was seen of a method.

    Attributes:
        index: Its position in the program.
        name: Its name.
        endings: One for each call.
        unwritten: Kinds of memory whose first contents the results depend on, and where calls on
            zeroed and on poisoned memory first went apart.
        passed_on: The same for what copies and delegates were handed, where no result depends on
            it.
    """

    index: int
    name: str | None
    endings: tuple[Ending, ...]
    unwritten: tuple[tuple[str, str], ...] = ()
    passed_on: tuple[tuple[str, str], ...] = ()

    @property
    def bad(self) -> tuple[Ending, ...]:
        """The calls that went wrong."""
        return tuple(each for each in self.endings if each.is_bad)

    def has_run(self, chain: int, position: int) -> bool:
        """Whether any call that went through has run an instruction."""
        return any(ending.has_run(chain, position) for ending in self.endings)

    def has_turned_back(self, chain: int, position: int) -> bool:
        """Whether an instruction led backwards in any call that went through."""
        return any((chain, position) in ending.turned_back for ending in self.endings)


@dataclass(frozen=True, slots=True)
class Seen:
    """What was seen of a program at one level of verification.

    Attributes:
        program: How loading it ended.
        methods: Its methods; empty where it did not load.
        known: False where the probe itself gave no report.
    """

    program: Ending
    methods: tuple[MethodSeen, ...] = ()
    known: bool = True


@dataclass(frozen=True, slots=True)
class Observation:
    """What the runtime did at both levels of verification.

    Attributes:
        full: With InternalConsistency.
        minimal: With Minimal; the same where full verification accepts the program.
    """

    full: Seen
    minimal: Seen = field(repr=False)

    @property
    def same(self) -> bool:
        """Whether full verification accepts the program, so that both levels do the same."""
        return self.full is self.minimal

    @property
    def is_thorough(self) -> bool:
        """Whether no call was left out after one that went wrong (`until_bad`)."""
        return not any(
            method.bad and len(method.endings) < len(CALLS)
            for method in (*self.full.methods, *self.minimal.methods)
        )


def observe(
    items: Iterable[tuple[bytes, Sequence[bytes]]],
    folder: Path,
    options: ProbeOptions = OPTIONS,
) -> Iterator[Observation]:
    """Runs programs with their data files; yields what was seen, in order.

    Args:
        items: Programs and their data files.
        folder: Where data files are put for as long as they are needed.
        options: How to run them.
    """
    batch = (_item(program, data, folder, number) for number, (program, data) in enumerate(items))
    for run in run_batch(batch, options=options):
        yield observation(run)


def _item(program: bytes, data: Sequence[bytes], folder: Path, number: int) -> BatchItem:
    paths = []
    for index, content in enumerate(data):
        # Enough names that no file is written over while it is still waiting to be read.
        path = folder / f"data-{number % 16}-{index}.ptd"
        path.write_bytes(content)
        paths.append(path)
    return BatchItem(program, tuple(paths))


def observation(run: ProbeRun) -> Observation:
    """Sums up what the probe says."""
    methods = tuple(_method(each) for each in run.methods)
    last = Seen(_ending("program", run.program), methods, run.program.outcome != "skipped")
    if run.program_full is None:
        return Observation(last, last)
    return Observation(Seen(_ending("program", run.program_full)), last)


def _method(report: MethodReport) -> MethodSeen:
    unwritten, passed_on = [], []
    plain = report.run("rising")
    for memory in ("device", "host"):
        poisoned = report.run(f"poisoned_{memory}")
        if plain is None or poisoned is None:
            continue
        if plain.outcome != "ok" or poisoned.outcome == "skipped":
            continue
        if poisoned.outcome != "ok":
            unwritten.append((memory, f"{poisoned.stage} {poisoned.outcome}"))
            continue
        difference = first_difference(plain, poisoned)
        if _results(plain) != _results(poisoned):
            where = difference.what if difference is not None else "output"
            unwritten.append((memory, where))
        elif difference is not None:
            passed_on.append((memory, difference.what))
    endings = tuple(_ending(run.variant, run) for run in report.runs)
    return MethodSeen(report.index, report.name, endings, tuple(unwritten), tuple(passed_on))


def _results(run: MethodRun) -> tuple[str, ...]:
    """The outputs of all runs of a call, by digest. What nobody uses does not matter."""
    return tuple(
        f"{each.kind} {list(each.sizes)} {each.digest or repr(each.value)}"
        for each in (*run.outputs, *run.outputs_second_run)
    )


def _ending(call: str, step: Step) -> Ending:
    chain = instruction = None
    outputs: tuple[str, ...] = ()
    visited: tuple[tuple[int, int, int], ...] = ()
    turned_back: tuple[tuple[int, int], ...] = ()
    remarks: tuple[str, ...] = ()
    if isinstance(step, MethodRun):
        if step.instruction is not None:
            chain, instruction = step.instruction.chain, step.instruction.index
        outputs = _results(step)
        visited, turned_back, remarks = step.visited, step.turned_back, step.remarks
    stage = "execute" if step.stage == "set_output" else step.stage
    return Ending(
        call=call,
        stage=stage,
        outcome=step.outcome,
        detail=step.error or step.signal,
        instruction=instruction,
        chain=chain,
        logs=_last_words(step) if step.outcome != "ok" else (),
        outputs=outputs,
        visited=visited,
        turned_back=turned_back,
        remarks=remarks,
    )


def _last_words(step: Step) -> tuple[str, ...]:
    """What the runtime logged, then what the C++ library said as the process died."""
    return (*step.logs[-40:], *step.console.splitlines()[-4:])
