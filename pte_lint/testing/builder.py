"""Builds methods for tests, instruction by instruction.

    b = MethodBuilder("forward")
    x = b.input((8, 8))
    (z,) = b.delegate("CudaBackend", [b.h2d(x)], outputs=[(8, 8)], device="cuda:0")
    b.output(b.d2h(z))
    file = build_program(b).bytes()

Every value is named by its index. Memory is planned when the program is built: no two tensors
overlap unless the test chooses arena and offset itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pte_lint.schema.enums import InstructionKind
from pte_lint.schema.program import (
    DelegateCall,
    FreeCall,
    Instruction,
    InstructionArguments,
    JumpFalseCall,
    KernelCall,
    MoveCall,
    Operator,
)
from pte_lint.testing.device import HOST, Device, device_pair
from pte_lint.testing.values import TensorOptions, ValueTable

if TYPE_CHECKING:
    from typing_extensions import Unpack

H2D = "et_copy::_h2d_copy.out"
D2H = "et_copy::_d2h_copy.out"

_KINDS: dict[type, InstructionKind] = {
    KernelCall: InstructionKind.KERNEL_CALL,
    DelegateCall: InstructionKind.DELEGATE_CALL,
    MoveCall: InstructionKind.MOVE_CALL,
    JumpFalseCall: InstructionKind.JUMP_FALSE_CALL,
    FreeCall: InstructionKind.FREE_CALL,
}


def instruction(arguments: InstructionArguments) -> Instruction:
    """The instruction with the union code of its arguments."""
    return Instruction(instr_args_type=_KINDS[type(arguments)], instr_args=arguments)


@dataclass(eq=False)
class Label:
    """A place in the instruction list that jumps may name before it is known."""

    at: int | None = None


@dataclass(frozen=True)
class DelegateEntry:
    """One entry of the delegate table before its blob has a place."""

    id: str
    blob: bytes
    specs: Mapping[str, bytes]
    inline: bool


@dataclass
class _Jump:
    condition: int
    target: Label


@dataclass
class MethodBuilder(ValueTable):
    """One method under construction.

    Attributes:
        name: The method's name.
        inputs: Value indices of the method's inputs.
        outputs: Value indices of the method's outputs.
        delegates: The delegate table.
    """

    name: str = "forward"
    inputs: list[int] = field(default_factory=list)
    outputs: list[int] = field(default_factory=list)
    delegates: list[DelegateEntry] = field(default_factory=list)
    _operators: list[Operator] = field(default_factory=list)
    _steps: list[InstructionArguments | _Jump] = field(default_factory=list)

    def __post_init__(self) -> None:
        ValueTable.__init__(self)

    @property
    def operators(self) -> tuple[Operator, ...]:
        """The operator table."""
        return tuple(self._operators)

    @property
    def instructions(self) -> tuple[Instruction, ...]:
        """The instructions, jumps resolved.

        Raises:
            ValueError: A jump goes to a label that was never marked.
        """
        return tuple(instruction(self._resolved(step)) for step in self._steps)

    def input(
        self,
        sizes: Sequence[int],
        dtype: str | int = "float32",
        **options: Unpack[TensorOptions],
    ) -> int:
        """A tensor input; the arguments are those of `tensor`."""
        return self.takes(self.tensor(sizes, dtype, **options))

    def takes(self, value: int) -> int:
        """Makes an existing value a method input; returns it."""
        self.inputs.append(value)
        return value

    def output(self, *values: int) -> None:
        """Makes existing values method outputs."""
        self.outputs.extend(values)

    def kernel(self, name: str, *args: int) -> None:
        """A kernel call with exactly these arguments.

        Args:
            name: Operator and overload, such as ``aten::add.out``.
            args: Value indices; the exporter's trailing duplicate is not added.
        """
        operator = Operator(*_split(name))
        if operator not in self._operators:
            self._operators.append(operator)
        self.step(KernelCall(self._operators.index(operator), args))

    def call(self, name: str, *args: int, out: int | Sequence[int], dtype: str | int = "") -> int:
        """A kernel call with one out, written twice as the exporter does; returns the out.

        Args:
            name: Operator and overload.
            args: Value indices of the arguments before the out.
            out: An existing value, or the sizes of a new planned tensor.
            dtype: Element type of a new out; when left out that of the first argument.
        """
        if not isinstance(out, int):
            out = self.tensor(out, self.dtype_of(args[0]) if dtype == "" else dtype)
        self.kernel(name, *args, out, out)
        return out

    def add(self, left: int, right: int, out: int | None = None) -> int:
        """left + right on the host, for tensors of equal sizes."""
        alpha = self.int_value(1)
        target = self.sizes_of(left) if out is None else out
        return self.call("aten::add.out", left, right, alpha, out=target)

    def h2d(self, source: int, **options: Unpack[TensorOptions]) -> int:
        """A boundary copy to cuda:0, or to ``device``; returns the new tensor there."""
        options.setdefault("device", "cuda:0")
        out = self.tensor(self.sizes_of(source), self.dtype_of(source), **options)
        return self.call(H2D, source, out=out)

    def d2h(self, source: int, **options: Unpack[TensorOptions]) -> int:
        """A boundary copy to the host; returns the new tensor there."""
        out = self.tensor(self.sizes_of(source), self.dtype_of(source), **options)
        return self.call(D2H, source, out=out)

    def delegate(
        self,
        backend: str,
        inputs: Sequence[int],
        outputs: Sequence[int | Sequence[int]],
        *,
        device: Device = "cpu",
        dtype: str | int = "float32",
        blob: bytes = b"blob",
        specs: Mapping[str, bytes] | None = None,
        inline: bool = False,
    ) -> list[int]:
        """Adds a delegate and calls it; returns its outputs.

        Args:
            backend: The backend's id.
            inputs: Value indices.
            outputs: For each output an existing value, or the sizes of a new planned tensor.
            device: Tag and home of new outputs; other than the host it also becomes the compile
                spec ``target_device``.
            dtype: Element type of new outputs.
            blob: The processed bytes.
            specs: Compile specs, in place of the one that ``device`` gives.
            inline: Whether the blob lies inside the flatbuffer.
        """
        kind, index = device_pair(device)
        if specs is None:
            specs = {} if (kind, index) == HOST else {"target_device": _spec(device)}
        self.delegates.append(DelegateEntry(backend, blob, specs, inline))
        outs = [
            each if isinstance(each, int) else self.tensor(each, dtype, device=device)
            for each in outputs
        ]
        self.step(DelegateCall(len(self.delegates) - 1, (*inputs, *outs)))
        return outs

    def move(self, source: int, target: int) -> None:
        """A MoveCall."""
        self.step(MoveCall(source, target))

    def free(self, value: int) -> None:
        """A FreeCall."""
        self.step(FreeCall(value))

    def jump_false(self, condition: int, target: Label | int) -> None:
        """A JumpFalseCall to a label or to an instruction number."""
        if isinstance(target, Label):
            self._steps.append(_Jump(condition, target))
        else:
            self.step(JumpFalseCall(condition, target))

    def jump(self, target: Label | int) -> None:
        """An unconditional jump, as the exporter writes it: on a constant False."""
        self.jump_false(self.bool_value(False), target)

    def mark(self, label: Label | None = None) -> Label:
        """Puts a label (a new one when left out) before the next instruction; returns it."""
        label = label or Label()
        label.at = len(self._steps)
        return label

    def step(self, arguments: InstructionArguments) -> None:
        """Any instruction as it is."""
        self._steps.append(arguments)

    @staticmethod
    def _resolved(step: InstructionArguments | _Jump) -> InstructionArguments:
        if not isinstance(step, _Jump):
            return step
        if step.target.at is None:
            raise ValueError("a jump goes to a label that was never marked")
        return JumpFalseCall(step.condition, step.target.at)


def _split(name: str) -> tuple[str, str]:
    space, colons, rest = name.rpartition("::")
    base, _, overload = rest.partition(".")
    return space + colons + base, overload


def _spec(device: Device) -> bytes:
    if isinstance(device, str):
        return device.encode()
    return f"{device[0]}:{device[1]}".encode()
