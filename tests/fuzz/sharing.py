"""Files that refer to the same tables again and again: little to store, much to read."""

from __future__ import annotations

from random import Random

import flatbuffers

_EXECUTION_PLAN, _VALUES, _INPUTS = 1, 2, 3


def sharing_program(rng: Random, most: int = 200_000) -> bytes:
    """A program whose methods are all the same table, as are the values in it.

    Read naively it costs methods x values x content, whatever the size of the file.

    Args:
        rng: What draws.
        most: References in one list at most.
    """

    def count(*choices: int) -> int:
        return min(most, rng.choice(choices))

    b = flatbuffers.Builder(1024)
    numbers = _numbers(b, count(0, 4, 1000, 20_000))
    value = _value(b, numbers, rng.choice((1, 2, 7, 7)))
    values = _references(b, value, count(1, 40, 1000, 10_000))
    b.StartObject(10)
    b.PrependUOffsetTRelativeSlot(_VALUES, values, 0)
    b.PrependUOffsetTRelativeSlot(_INPUTS, numbers, 0)
    plan = b.EndObject()
    plans = _references(b, plan, count(1, 30, 1000, 10_000, 200_000))
    b.StartObject(8)
    b.PrependUOffsetTRelativeSlot(_EXECUTION_PLAN, plans, 0)
    b.Finish(b.EndObject(), file_identifier=b"ET12")
    return bytes(b.Output())


def _numbers(b: flatbuffers.Builder, count: int) -> int:
    b.StartVector(8, count, 8)
    for number in range(count):
        b.PrependInt64(number)
    return int(b.EndVector())


def _value(b: flatbuffers.Builder, numbers: int, code: int) -> int:
    """An EValue: Null, Int, or an IntList of the numbers."""
    b.StartObject(1)
    if code == 8:
        b.PrependUOffsetTRelativeSlot(0, numbers, 0)
    content = b.EndObject()
    b.StartObject(2)
    b.PrependUint8Slot(0, code, 0)
    b.PrependUOffsetTRelativeSlot(1, content, 0)
    return int(b.EndObject())


def _references(b: flatbuffers.Builder, table: int, count: int) -> int:
    b.StartVector(4, count, 4)
    for _ in range(count):
        b.PrependUOffsetTRelative(table)
    return int(b.EndVector())
