"""The order in which the runtime meets things inside a stage.

A finding carries `order`, a tuple that sorts as the runtime's own steps do, so that the verdict
names the failure that comes first. Sources: `Program::load` (runtime/executor/program.cpp) and
`Method::init` (runtime/executor/method.cpp) for the steps, measured orders where the source of a
release is not public.
"""

from __future__ import annotations

from enum import IntEnum

from pte_lint.schema.frozen import dataclass

Order = tuple[float, ...]
"""Where in a stage something is met; at execute it begins with a place on a `Timeline`."""


@dataclass(frozen=True, slots=True)
class Timeline:
    """The places of what the runs of a method meet, one run behind the other.

    A run has a place for each of its steps, and one for its end. What a later iteration meets lies
    between those that its run met first before and after it: it is no whole number.
    """

    steps: int
    """How many steps the method has."""

    def place(self, run: int, within: float) -> float:
        """Puts a place within a run, the first of which is 1, behind the runs before."""
        return (run - 1) * (self.steps + 1) + within

    def end(self, run: int = 1) -> float:
        """The place of the end of a run."""
        return self.place(run, self.steps)

    def split(self, place: float) -> tuple[int, float]:
        """Which run a place lies in, and where within it."""
        runs, within = divmod(place, self.steps + 1)
        return int(runs) + 1, within

    def is_later(self, order: Order) -> bool:
        """Whether an order is about a later run than the first."""
        return self.split(order[0])[0] > 1


class LoadProgramStep(IntEnum):
    """Steps of loading: external data first (Module merges .ptd files before the program)."""

    DATA_FILES = 0
    HEAD = 10
    HEADER = 20
    FILE_SIZE = 30
    PROGRAM_BYTES = 40
    ALIGNMENT = 50
    PROGRAM_SIZE = 60
    IDENTIFIER = 70
    VERIFICATION = 80
    VALIDATION = 85
    SCHEMA_VERSION = 90
    NAMED_DATA = 100
    CONSTANT_SEGMENT = 110


class LoadMethodStep(IntEnum):
    """Steps of `Module::load_method` and `Method::init`; orders within a step follow by index."""

    METHOD_META = 0
    PLANNED_MEMORY = 10
    VALUES_PRESENT = 20
    VALUES_NOT_NULL = 30
    EXTERNAL_CONSTANTS = 40
    VALUES = 50
    DELEGATES = 60
    INSTRUCTIONS = 70
    MISSING_OPERATORS = 80
    DELAYED_ERRORS = 90


class ValueStep(IntEnum):
    """What happens with one tensor, after its index in `VALUES`: `getTensorDataPtr`.

    Its sizes are looked at before (up to 17), its place in an arena between these (19 to 21).
    """

    EXTERNAL_LAYOUT = 18
    LOAD = 50


class ExecuteStep(IntEnum):
    """What happens within one instruction, after its index in the order.

    A kernel's generated wrapper counts its arguments and converts them; a boundary copy then tests
    tags, sizes and the allocator before it touches memory. What goes wrong without the runtime
    noticing comes last: it needs the step to get through.
    """

    ARGUMENT_COUNT = 0
    ARGUMENT_KINDS = 5
    SOURCE_TAG = 10
    TARGET_TAG = 20
    ELEMENT_TYPES = 25
    SIZES = 30
    ALLOCATOR = 40
    ACCESS = 50
    SILENT = 90
