"""What calls read and wrote on the real runtime, in memory that the probe shares with us.

The layout stands in `probe/recording.h`. A child that runs wild may write anything there: nothing
is believed that does not hold together, and all of it is only data.
"""

from __future__ import annotations

import json
import mmap
import os
from collections.abc import Iterator, Mapping, Sequence
from math import prod
from types import TracebackType
from typing import Any, Final

from pte_lint.ops.operators import base_name
from pte_lint.ops.schemas import OperatorSchema, operator_schema
from pte_lint.schema.enums import MAX_RANK, element_size
from pte_lint.schema.frozen import dataclass

_MAGIC: Final = 0x31474E4944524F43
_START: Final = 64
_LONGEST: Final = 1 << 20
_MOST: Final = 1 << 20

Size: Final = 256 << 20
"""Bytes for what is recorded at once; only what is filled takes memory."""


@dataclass(frozen=True, slots=True)
class RecordedTensor:
    """A tensor as a call saw it.

    Attributes:
        dtype: Its scalar type's code.
        sizes: Its sizes.
        order: Its dim order.
        at: Where its bytes stand in the recording; None where they could not be read. The same
            place twice means the same bytes.
        place: Its address in the process that ran.
    """

    dtype: int
    sizes: tuple[int, ...]
    order: tuple[int, ...]
    at: int | None
    place: str

    @property
    def nbytes(self) -> int:
        """Its length in bytes."""
        return prod(self.sizes) * (element_size(self.dtype) or 0)


@dataclass(frozen=True, slots=True)
class Scalar:
    """A number, text, list of numbers, or nothing; `kind` is the probe's word for it."""

    kind: str
    value: Any = None


Recorded = RecordedTensor | Scalar | tuple["RecordedTensor | Scalar", ...]


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """One kernel call.

    Attributes:
        number: How many calls of kernels and delegates came before.
        chain: Chain of the instruction.
        instruction: Its index in the chain.
        operator: The kernel's name.
        args: What it was given.
        outs: What it wrote; None where it did not come back.
        error: The error it left, `Ok` for none.
    """

    number: int
    chain: int
    instruction: int
    operator: str
    args: tuple[Recorded, ...]
    outs: tuple[Recorded, ...] | None = None
    error: str = "Ok"


@dataclass(frozen=True, slots=True)
class RecordedDelegate:
    """One delegate call that came back.

    Attributes:
        number: How many calls of kernels and delegates came before.
        chain: Chain of the instruction.
        instruction: Its index in the chain.
        args: What it was given and wrote, as all of it was when the call was over.
    """

    number: int
    chain: int
    instruction: int
    args: tuple[Recorded, ...]


@dataclass(frozen=True, slots=True)
class RecordedValue:
    """An input or an output."""

    kind: str
    index: int
    chain: int
    instruction: int
    value: Recorded


class Damaged(ValueError):  # noqa: N818 - a state, and no fault of this program
    """What stands in the memory is not what the probe writes."""


class Recording:
    """Shared memory for one run after the other."""

    def __init__(self, size: int = Size) -> None:
        self.size = size
        self.fd = os.memfd_create("pte-lint-recording", os.MFD_CLOEXEC)
        os.ftruncate(self.fd, size)
        self._memory = mmap.mmap(self.fd, size)

    def __enter__(self) -> Recording:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._memory.close()
        os.close(self.fd)

    def arguments(self, operators: Sequence[str], start: int) -> list[str]:
        """Words that have the probe record, from a call on; forgets what stands there."""
        self._memory[:_START] = bytes(_START)
        words = [f"--record-fd={self.fd}", f"--record-from={start}"]
        for name in sorted(set(operators)):
            schema = operator_schema(name)
            if schema is not None:
                first, end = written_arguments(name, schema)
                words.append(f"--record-kernel={name}:{schema.inputs}:{first}:{end}")
        return words

    @property
    def stopped_at(self) -> int | None:
        """The first call that had no room, if there is one."""
        number = self._word(16)
        return number - 1 if number else None

    def content(self, tensor: RecordedTensor) -> bytes | None:
        """A tensor's bytes as they lay in memory; None where they could not be read."""
        if tensor.nbytes == 0:
            return b""
        return None if tensor.at is None else self._memory[tensor.at : tensor.at + tensor.nbytes]

    def records(self) -> Iterator[RecordedCall | RecordedDelegate | RecordedValue]:
        """Calls and values in the order in which they came to an end.

        Raises:
            Damaged: something there makes no sense.
        """
        if self._word(0) != _MAGIC:
            return
        begun: RecordedCall | None = None
        try:
            for record in self._raw():
                kind = record["record"]
                if kind == "call":
                    if begun is not None:
                        yield begun
                    begun = self._call(record)
                elif kind == "result":
                    if begun is None or begun.number != record["call"]:
                        raise Damaged
                    outs = tuple(self._value(each) for each in record["outs"])
                    yield RecordedCall(
                        begun.number, begun.chain, begun.instruction, begun.operator, begun.args,
                        outs, _text(record["error"]),
                    )  # fmt: skip
                    begun = None
                elif kind == "delegate":
                    yield RecordedDelegate(
                        _whole(record["call"]), _whole(record["chain"]),
                        _whole(record["instruction"]), tuple(map(self._value, record["args"])),
                    )  # fmt: skip
                else:
                    yield RecordedValue(
                        _text(kind), _whole(record["index"]), _whole(record["chain"]),
                        _whole(record["instruction"]), self._value(record["value"]),
                    )  # fmt: skip
            if begun is not None:
                yield begun
        except (KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
            raise Damaged from error

    def _word(self, at: int) -> int:
        return int.from_bytes(self._memory[at : at + 8], "little")

    def _raw(self) -> Iterator[Mapping[str, Any]]:
        at, before = self._word(8), _START - 1
        for _ in range(_MOST):
            if at == 0:
                return
            if not before < at <= self.size - 16:
                raise Damaged
            length = self._word(at + 8)
            if length > min(_LONGEST, self.size - at - 16):
                raise Damaged
            try:
                record = json.loads(self._memory[at + 16 : at + 16 + length])
            except (ValueError, RecursionError) as error:
                raise Damaged from error
            yield record
            before, at = at, self._word(at)

    def _call(self, record: Mapping[str, Any]) -> RecordedCall:
        return RecordedCall(
            _whole(record["call"]),
            _whole(record["chain"]),
            _whole(record["instruction"]),
            _text(record["operator"]),
            tuple(self._value(each) for each in record["args"]),
        )

    def _value(self, record: Mapping[str, Any]) -> Recorded:
        match record["kind"]:
            case "tensor":
                return self._tensor(record)
            case "tensors":
                made = tuple(self._value(each) for each in record["items"])
                if any(isinstance(each, tuple) for each in made):
                    raise Damaged
                return made  # type: ignore[return-value] # no lists inside of lists, as looked at
            case "int":
                return Scalar("int", _whole(record["value"]))
            case "bool":
                return Scalar("bool", bool(record["value"]))
            case "double":
                return Scalar("double", _double(record["value"]))
            case "string":
                return Scalar("string", _text(record["value"]))
            case "ints":
                return Scalar("ints", tuple(map(_whole, record["items"])))
            case "bools":
                return Scalar("bools", tuple(map(bool, record["items"])))
            case "doubles":
                return Scalar("doubles", tuple(map(_double, record["items"])))
        return Scalar("none" if record["kind"] == "none" else "other")

    def _tensor(self, record: Mapping[str, Any]) -> RecordedTensor:
        sizes = tuple(map(_whole, record["sizes"]))
        order = tuple(map(_whole, record["order"]))
        dtype = _whole(record["dtype"])
        at = record.get("at")
        rank = len(sizes)
        if rank > MAX_RANK or min(sizes, default=0) < 0 or sorted(order) != list(range(rank)):
            raise Damaged
        made = RecordedTensor(dtype, sizes, order, at, _text(record["place"]))
        if at is not None and made.nbytes and not (_START <= _whole(at) <= self.size - made.nbytes):
            raise Damaged
        return made


def written_arguments(operator: str, schema: OperatorSchema) -> tuple[int, int]:
    """Which arguments of a call are results: the outs, the first one in place, or the return."""
    given = len(schema.parameters)
    if schema.inputs < given:
        return schema.inputs, given
    return (0, 1) if base_name(operator).endswith("_") else (given, given + 1)


def _whole(value: object) -> int:
    if not isinstance(value, int) or abs(value) >= 1 << 64:
        raise Damaged
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise Damaged
    return value


def _double(value: object) -> float:
    try:
        return float.fromhex(_text(value))
    except (ValueError, OverflowError) as error:
        raise Damaged from error
