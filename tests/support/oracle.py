"""A brute-force oracle: runs a built method step by step and says what goes wrong.

Written from the measured behaviour of the runtimes alone, and apart from the rules: it knows the
dataclasses of a program and nothing of `pte_lint`'s analyses. One call follows one concrete path
(each condition has one answer) through some runs; nothing is merged, joined or summarised.

It models devices, not everything: all tensors of a program must have the same sizes and types,
none may overlap, and what host programs get wrong too (a host kernel without memory) is `Foreign`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product

from pte_lint.schema.program import (
    BackendDelegate,
    Bool,
    DelegateCall,
    ExecutionPlan,
    FreeCall,
    JumpFalseCall,
    KernelCall,
    MoveCall,
    Program,
    Tensor,
)

H2D = "et_copy::_h2d_copy.out"
D2H = "et_copy::_d2h_copy.out"
VIEW = "executorch_prim::et_view.default"
SIZES_ONLY = ("aten::sym_size.int", "aten::full_like.out")
RUNS = 4
"""What a run leaves behind may first hurt a later one."""
HOST = (0, 0)
CUDA = 1

Device = tuple[int, int]
Outcome = tuple[str, str, str | None]
"""Stage, outcome, and the error's or signal's name."""

OK: Outcome = ("execute", "ok", None)
UNDEFINED: Outcome = ("execute", "undefined", None)


class Foreign(Exception):
    """The program fails for a reason that has nothing to do with devices."""


class _Stop(Exception):
    def __init__(self, stage: str, outcome: str, name: str | None) -> None:
        super().__init__(stage, outcome, name)
        self.outcome: Outcome = (stage, outcome, name)


@dataclass
class _Object:
    """A tensor object: what its metadata says, where it points, and whose bytes are there."""

    tag: Device
    pointer: Device | None
    storage: int


@dataclass
class Machine:
    """One method on one runtime version, along one path.

    Attributes:
        plan: The method.
        version: 1.4 or 1.5.
        arity: Inputs of each delegate, which no file says.
        answers: What each condition says, by value index.
    """

    program: Program
    plan: ExecutionPlan
    version: str
    arity: Mapping[int, int]
    answers: Mapping[int, bool]
    objects: dict[int, _Object] = field(default_factory=dict)
    handles: dict[int, int] = field(default_factory=dict)
    known: dict[int, bool] = field(default_factory=dict)
    """By storage: it holds what somebody meant to be there."""
    marked: bool = False
    """Undefined behaviour has happened."""

    def run(self) -> Outcome:
        """Loads the method and executes it several times."""
        try:
            self._load()
            for _ in range(RUNS):
                self._set_inputs()
                self._execute()
                self._read_outputs()
        except _Stop as stop:
            return stop.outcome
        return UNDEFINED if self.marked else OK

    # -- loading ----------------------------------------------------------------------------------

    def _load(self) -> None:
        arenas = self._arenas()
        for kind, index in arenas.values():
            if kind not in (0, CUDA):
                self._stop_loading("NotFound")
            if kind == CUDA and index < -1:
                self._stop_loading("InvalidArgument")
        inputs, outputs = set(self.plan.inputs or ()), set(self.plan.outputs or ())
        for v, tensor in self._tensors():
            extra, info = tensor.extra_tensor_info, tensor.allocation_info
            tag = (extra.device_type, extra.device_index) if extra else HOST
            tag = HOST if tag[0] == 0 else tag
            pointer: Device | None = None
            self.known[v] = False
            if info is not None:
                pointer = arenas.get(info.memory_id, HOST)
                self.known[v] = pointer == HOST and self._is_state(v)
                if tensor.data_buffer_idx > 0:
                    if pointer != HOST:
                        raise _Stop("load_method", "error", "AccessFailed")
                    self.known[v] = True
            elif tensor.data_buffer_idx > 0:
                pointer, self.known[v] = HOST, True
            elif v in inputs or v in outputs:
                if tag[0] not in (0, CUDA):
                    raise Foreign("a caller with memory on a device that nobody knows")
                pointer = tag
            self.objects[v] = _Object(tag, pointer, v)
            self.handles[v] = v

    def _stop_loading(self, name: str) -> None:
        if self.version == "1.4":
            raise _Stop("load_method", "crash", "SIGABRT")
        raise _Stop("load_method", "error", name)

    def _arenas(self) -> dict[int, Device]:
        places: dict[int, Device] = {}
        for entry in self.plan.non_const_buffer_device or ():
            places.setdefault(entry.buffer_idx, (entry.device_type, entry.device_index))
        count = len(self.plan.non_const_buffer_sizes or ())
        found = {n: places.get(n, HOST) for n in range(1, count)}
        return {n: HOST if place[0] == 0 else place for n, place in found.items()}

    def _tensors(self) -> Iterator[tuple[int, Tensor]]:
        for v, value in enumerate(self.plan.values or ()):
            if isinstance(value.val, Tensor):
                yield v, value.val

    def _is_state(self, v: int) -> bool:
        """Only in-place operators write it."""
        writes = [
            call.args
            for call in self._calls(KernelCall)
            if call.args and (call.args[-1] == v or call.args[-2:] == (v, v))
        ]
        return bool(writes) and all(args[0] == v for args in writes)

    def _calls(self, kind: type) -> Iterator[KernelCall]:
        for chain in self.plan.chains or ():
            for instruction in chain.instructions or ():
                if isinstance(instruction.instr_args, kind):
                    yield instruction.instr_args  # type: ignore[misc]

    # -- a run ------------------------------------------------------------------------------------

    def _at(self, v: int) -> _Object:
        return self.objects[self.handles[v]]

    def _set_inputs(self) -> None:
        values = self.plan.values or ()
        for v in self.plan.inputs or ():
            tensor, obj = values[v].val, self._at(v)
            assert isinstance(tensor, Tensor)
            if tensor.allocation_info is not None or tensor.data_buffer_idx > 0:
                if obj.pointer is None:
                    raise _Stop("set_input", "error", "InvalidArgument")
                if self.version == "1.5" and obj.tag != HOST:
                    raise _Stop("set_input", "error", "NotSupported")
                if obj.pointer != HOST:
                    raise _Stop("set_input", "crash", "SIGSEGV")
            else:
                obj.pointer, obj.storage = self.objects[v].tag, v
            self.known[obj.storage] = True

    def _execute(self) -> None:
        (chain,) = self.plan.chains or ()
        instructions, at = chain.instructions or (), 0
        while 0 <= at < len(instructions):
            call = instructions[at].instr_args
            at += 1
            if isinstance(call, KernelCall):
                self._kernel(call)
            elif isinstance(call, DelegateCall):
                self._delegate(call)
            elif isinstance(call, MoveCall):
                self.handles[call.move_to] = self.handles[call.move_from]
            elif isinstance(call, FreeCall):
                self._at(call.value_index).pointer = None
            elif isinstance(call, JumpFalseCall) and not self._condition(call):
                at = call.destination_instruction

    def _condition(self, call: JumpFalseCall) -> bool:
        value = (self.plan.values or ())[call.cond_value_index].val
        if isinstance(value, Bool):
            return value.bool_val
        obj = self._at(call.cond_value_index)
        if obj.pointer is None:
            raise Foreign("a condition without memory")
        if obj.pointer != HOST:
            raise _Stop("execute", "crash", "SIGSEGV")
        self._look(obj)
        return self.answers[call.cond_value_index]

    def _kernel(self, call: KernelCall) -> None:
        entry = (self.plan.operators or ())[call.op_index]
        name, args = f"{entry.name}.{entry.overload}", call.args or ()
        if name in (H2D, D2H):
            self._copy(name == H2D, args)
            return
        tensors = [v for v in args if v in self.handles]
        if name == VIEW:
            source, target = self._at(args[0]), self._at(args[-1])
            target.pointer, target.storage = source.pointer, source.storage
            return
        for v in tensors[1:] if name in SIZES_ONLY else tensors:
            obj = self._at(v)
            if obj.pointer is None:
                if obj.tag == HOST:
                    raise Foreign("a host kernel without memory")
                raise _Stop("execute", "crash", "SIGSEGV")
            if obj.pointer != HOST:
                raise _Stop("execute", "crash", "SIGSEGV")
        out = tensors[-1]
        read = [v for v in tensors[:-1] if v != out or args[0] == out]
        self._write(out, all(self.known[self._at(v).storage] for v in read))

    def _copy(self, to_device: bool, args: tuple[int, ...]) -> None:
        if len(args) != 3:
            raise _Stop("execute", "error", "InvalidProgram")
        source, target = self._at(args[0]), self._at(args[1])
        host, device = (source, target) if to_device else (target, source)
        if host.tag != HOST or device.tag == HOST:
            raise _Stop("execute", "error", "InvalidArgument")
        if device.tag[0] != CUDA:
            raise _Stop("execute", "error", "NotFound")
        if source.pointer is None or target.pointer is None or device.tag[1] < -1:
            raise _Stop("execute", "error", "Internal")
        if host.pointer != HOST or device.pointer == HOST:
            raise _Stop("execute", "error", "Internal")
        self._write(args[1], self.known[source.storage])

    def _delegate(self, call: DelegateCall) -> None:
        entry = (self.plan.delegates or ())[call.delegate_index]
        args, count = call.args or (), self.arity[call.delegate_index]
        wanted = _target(entry)
        for v in args:
            obj = self._at(v)
            if entry.id == "CudaBackend":
                if obj.tag[0] != CUDA or (obj.pointer is not None and obj.pointer[0] != CUDA):
                    raise _Stop("execute", "error", "InvalidArgument")
                self.marked |= obj.pointer is None
                continue
            if obj.pointer is None:
                if wanted == HOST and obj.tag == HOST:
                    raise Foreign("a host delegate without memory")
                self.marked = True
            elif obj.pointer[0] != wanted[0]:
                self.marked = True
            elif obj.pointer != wanted and obj.pointer[1] >= 0:
                # Another device; whether the machine has it is known from the tag or a delegate.
                self.marked |= obj.tag == obj.pointer or obj.pointer in self._targets()
        good = all(self.known[self._at(v).storage] for v in args[:count])
        for v in args[count:]:
            self._write(v, good)

    def _targets(self) -> set[Device]:
        return {_target(entry) for entry in self.plan.delegates or ()}

    def _write(self, v: int, known: bool) -> None:
        self.known[self._at(v).storage] = known

    def _look(self, obj: _Object) -> None:
        self.marked |= not self.known[obj.storage]

    def _read_outputs(self) -> None:
        for v in self.plan.outputs or ():
            self._look(self._at(v))
        for v, _ in self._tensors():
            if self._is_state(v):
                self._look(self._at(v))


def _target(entry: BackendDelegate) -> Device:
    """The device that a (well-formed) compile spec names."""
    specs = {s.key: s.value for s in entry.compile_specs or ()}
    kind, _, number = (specs.get("target_device") or b"cpu").decode().partition(":")
    return HOST if kind == "cpu" else (CUDA, int(number or 0))


def outcomes(program: Program, version: str, arity: Mapping[int, int]) -> set[Outcome]:
    """What the first method does on each of its paths."""
    plan = (program.execution_plan or ())[0]
    conditions = sorted(
        {
            instruction.instr_args.cond_value_index
            for chain in plan.chains or ()
            for instruction in chain.instructions or ()
            if isinstance(instruction.instr_args, JumpFalseCall)
        }
    )
    varying = [v for v in conditions if not isinstance((plan.values or ())[v].val, Bool)]
    return {
        Machine(program, plan, version, arity, dict(zip(varying, said, strict=True))).run()
        for said in product((True, False), repeat=len(varying))
    }
