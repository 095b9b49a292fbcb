"""What the real runtime did with a program: typed, frozen, in the words of the design."""

from __future__ import annotations

from typing import Literal

from pte_lint.schema.frozen import dataclass, field

Stage = Literal["load_program", "load_method", "set_output", "set_input", "execute", "get_output"]
"""Where it happened. ``set_output`` is giving memory to an unplanned output."""

Outcome = Literal["ok", "error", "crash", "undefined", "timeout", "skipped"]
"""``error``: the runtime returned one. ``crash``: the process died. ``undefined``: the runtime said
Ok, but a delegate or the caller was handed a pointer to the wrong memory. ``timeout``: stopped at
the time limit. ``skipped``: the time for the whole program was over before."""

Verification = Literal["full", "minimal"]
DeviceMemory = Literal["emulated", "cuda"]


@dataclass(frozen=True, slots=True)
class Fault:
    """Where a crash happened.

    Attributes:
        address: The address whose access faulted; ``None`` for a signal without one (SIGABRT).
        address_in: ``cuda:0`` and so on for device memory; ``past_end`` and ``before_start`` of
            what the guarded loader loaded, ``freed`` for what it freed; ``null`` for the pages
            around address 0; ``other``; ``None`` where there is no address.
        offset: Bytes from the start of that allocation, guard or load to the address.
    """

    address: int | None
    address_in: str | None
    offset: int | None


@dataclass(frozen=True, slots=True)
class InstructionRef:
    """An instruction by chain and index in the chain."""

    chain: int
    index: int


@dataclass(frozen=True, slots=True)
class Step:
    """One child process: how far it got and how it ended.

    Attributes:
        stage: The stage it ended in; ``execute`` after a complete run.
        outcome: See `Outcome`.
        error: The runtime's own name of its error, such as ``InvalidProgram``.
        signal: Name of the signal of a crash; ``None`` if the process left by itself.
        exit_code: Its exit code if it left by itself without finishing.
        fault: Where it crashed, if the crash handler ran.
        logs: The runtime's log lines, each ``LEVEL file:line text``.
        console: What was printed to standard output and standard error, the first 4 KiB.
        seconds: Wall clock time of the child.
        damaged: Whether the child's report was in part unintelligible, or went on after its end:
            then nothing of it shows anything about the program.
    """

    stage: Stage
    outcome: Outcome
    error: str | None = None
    signal: str | None = None
    exit_code: int | None = None
    fault: Fault | None = None
    logs: tuple[str, ...] = ()
    console: str = ""
    seconds: float = 0.0
    damaged: bool = False


@dataclass(frozen=True, slots=True)
class TensorFacts:
    """A value as the runtime showed it: an output, or a described input or output slot.

    Attributes:
        kind: ``tensor``, ``int``, ``double``, ``bool``, ``string``, ``none`` or ``other``.
        dtype: Name of the element type, ``Float`` and so on; tensors only, like all that follow.
        sizes: Its sizes.
        tag: Device its metadata claims.
        where: Memory its pointer lies in: ``host``, ``null`` or ``cuda:0`` and so on.
        digest: FNV-1a of its bytes, 16 hexadecimal digits.
        head: Its first elements (at most 4), ``nan``, ``inf`` and ``-inf`` as text.
        value: The value of an int, double, bool or string.
    """

    kind: str
    dtype: str | None = None
    sizes: tuple[int, ...] = ()
    tag: str | None = None
    where: str | None = None
    digest: str | None = None
    head: tuple[float | str, ...] = ()
    value: int | float | bool | str | None = None


@dataclass(frozen=True, slots=True)
class Given:
    """Memory given for a method input or an unplanned output.

    Attributes:
        index: Position in the method's inputs or outputs.
        given: ``host``, ``cuda:0`` and so on, ``nothing`` if there was none to give.
        tag: Device the tensor's metadata claims (inputs only).
        planned: Whether the program has planned memory for it (inputs only).
    """

    index: int
    given: str
    tag: str | None = None
    planned: bool | None = None


@dataclass(frozen=True, slots=True)
class CopyFact:
    """One copy that the device allocator was asked for.

    Attributes:
        op: ``h2d`` or ``d2h``.
        bytes: Its length.
        source: Where the source pointer lies.
        target: Where the destination pointer lies.
        index: Device index the runtime asked for.
        instruction: Instruction that asked, in its chain; -1 outside of an execution.
        error: ``Ok`` or the allocator's error.
        digest: FNV-1a of the bytes moved.
        problem: What is wrong with it, if anything.
    """

    op: Literal["h2d", "d2h"]
    bytes: int
    source: str
    target: str
    index: int
    instruction: int
    error: str
    digest: str
    problem: str | None


@dataclass(frozen=True, slots=True)
class Allocation:
    """One allocation of device memory.

    Attributes:
        bytes: Its length.
        index: Device index asked for.
        on: Device it came from.
        error: ``Ok`` or the allocator's error.
        problem: What is odd about it, if anything.
    """

    bytes: int
    index: int
    on: str
    error: str
    problem: str | None


@dataclass(frozen=True, slots=True)
class ArgumentFact:
    """One argument of a delegate call, as the stand-in saw it.

    Attributes:
        index: Position in the call.
        kind: ``tensor``, ``none`` or ``scalar``.
        output: Whether the stand-in took it for an output.
        tag: Device its metadata claims.
        where: Memory its pointer lies in.
        nbytes: Its size, ``None`` if it overflows.
        digest: FNV-1a of the bytes received (inputs that could be read).
        problem: Why it does not fit the delegate's device, if it does not.
        misplaced: Whether the pointer itself is wrong, not only the tag.
    """

    index: int
    kind: str
    output: bool
    tag: str | None
    where: str | None
    nbytes: int | None
    digest: str | None
    problem: str | None
    misplaced: bool


@dataclass(frozen=True, slots=True)
class DelegateCall:
    """One call of a stand-in.

    Attributes:
        backend: The delegate id.
        expects: Device its compile spec names: ``cpu``, ``cuda:0`` and so on, ``?`` if unclear.
        instruction: Instruction of the call, in its chain.
        args: Its arguments.
        returned: ``Ok``, or the error a strict stand-in answered with.
        compute: What went otherwise than planned when it computed, if anything.
    """

    backend: str
    expects: str
    instruction: int
    args: tuple[ArgumentFact, ...]
    returned: str
    compute: str | None


@dataclass(frozen=True, slots=True)
class Copied:
    """Successful copies in total; exact also where `MethodRun.copies` was cut.

    Attributes:
        h2d_bytes: Bytes from host to device.
        d2h_bytes: Bytes from device to host.
        h2d_copies: Copies from host to device.
        d2h_copies: Copies from device to host.
    """

    h2d_bytes: int = 0
    d2h_bytes: int = 0
    h2d_copies: int = 0
    d2h_copies: int = 0


@dataclass(frozen=True, slots=True)
class MethodRun(Step):
    """One method called one way, in one child.

    Attributes:
        variant: Name of the way it was called.
        input: Input that was being set when it ended, if one was.
        instruction: Instruction that was running when it ended, if one was.
        instructions: Instructions started in all runs of the child.
        standins: Delegate ids that were run by a stand-in.
        allocations: Device memory allocated, arenas first.
        inputs_given: What each input was given.
        outputs_given: What unplanned outputs were given.
        copies: Copies of the first run, in order (at most 400).
        copied: Their totals over all runs.
        delegate_calls: Calls of stand-ins in the first run, in order (at most 400).
        outputs: The outputs after the first run.
        outputs_second_run: After a second run with the same inputs, if the variant makes one.
        visited: The instructions that were started, as (chain, first, last); of calls that went
            through only.
        turned_back: The jumps among them that went backwards, as (chain, instruction).
        allocators: Bytes that the method allocator needs and the temporary one, loaded and run.
        remarks: What does not fit although the runtime said Ok, in plain words.
    """

    variant: str = "default"
    input: int | None = None
    instruction: InstructionRef | None = None
    instructions: int = 0
    standins: tuple[str, ...] = ()
    allocations: tuple[Allocation, ...] = ()
    inputs_given: tuple[Given, ...] = ()
    outputs_given: tuple[Given, ...] = ()
    copies: tuple[CopyFact, ...] = ()
    copied: Copied = field(default_factory=Copied)
    delegate_calls: tuple[DelegateCall, ...] = ()
    outputs: tuple[TensorFacts, ...] = ()
    outputs_second_run: tuple[TensorFacts, ...] = ()
    visited: tuple[tuple[int, int, int], ...] = ()
    turned_back: tuple[tuple[int, int], ...] = ()
    allocators: tuple[int, int] | None = None
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ProgramLoad(Step):
    """Loading of the program as a whole.

    Attributes:
        num_methods: Methods it has; 0 if it did not load.
        methods: Their names, ``None`` where a name is missing (at most 400).
    """

    num_methods: int = 0
    methods: tuple[str | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Slot:
    """A method input or output as its metadata describes it.

    Attributes:
        kind: As in `TensorFacts`, or a kind of list.
        dtype: Element type of a tensor.
        sizes: Sizes of a tensor.
        dim_order: Dim order of a tensor.
        nbytes: Bytes of a tensor.
        planned: Whether the runtime counts a tensor as planned.
        error: The runtime's error when asked for it.
    """

    kind: str | None
    dtype: str | None = None
    sizes: tuple[int, ...] = ()
    dim_order: tuple[int, ...] = ()
    nbytes: int | None = None
    planned: bool | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Arena:
    """A planned buffer.

    Attributes:
        memory_id: Its index in ``non_const_buffer_sizes``.
        bytes: Its size, ``None`` if the runtime refuses to say.
        device: Where the runtime puts it.
    """

    memory_id: int
    bytes: int | None
    device: str | None


@dataclass(frozen=True, slots=True)
class MethodMeta(Step):
    """A method's metadata, read without loading the method."""

    arenas: tuple[Arena, ...] = ()
    inputs: tuple[Slot, ...] = ()
    outputs: tuple[Slot, ...] = ()
    num_instructions: int = 0
    backends: tuple[str | None, ...] = ()


@dataclass(frozen=True, slots=True)
class MethodReport:
    """All that was run of one method.

    Attributes:
        index: Its position in the program.
        name: Its name; the runtime finds a method by name, the first of equal ones.
        meta: Its metadata, unless that was not asked for.
        runs: One for each variant that means anything for it, in the order asked for.
    """

    index: int
    name: str | None
    meta: MethodMeta | None
    runs: tuple[MethodRun, ...]

    def run(self, variant: str) -> MethodRun | None:
        """The run of a variant, ``None`` if it was not made."""
        return next((run for run in self.runs if run.variant == variant), None)


@dataclass(frozen=True, slots=True)
class Fence:
    """What held the children of a run.

    Attributes:
        broken: Why the fence does not hold on this machine; ``None`` where it holds. Programs were
            run nevertheless, with the rights of whoever ran them, because that was allowed.
        missing: Layers behind the system call filter that this machine does not give, each with
            the reason; the filter alone keeps what they would keep.
    """

    broken: str | None = None
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ProbeRun:
    """Everything the probe saw of one program.

    Attributes:
        path: The program's path as given.
        runtime_version: Version of the runtime that ran it.
        as_runtime: Version that was replayed; the installed one's ``major.minor`` if none was.
        verification: Verification that the methods were loaded with.
        device_memory: What stood for device memory.
        program: How loading it went.
        program_full: How full verification went where minimal was fallen back to.
        methods: The methods asked for; empty if the program did not load.
        fence: What held the children.
    """

    path: str
    runtime_version: str
    as_runtime: str
    verification: Verification
    device_memory: DeviceMemory
    program: ProgramLoad
    program_full: ProgramLoad | None
    methods: tuple[MethodReport, ...]
    fence: Fence = Fence()

    def method(self, name: str) -> MethodReport | None:
        """The first method of that name, as the runtime would find it."""
        return next((method for method in self.methods if method.name == name), None)
