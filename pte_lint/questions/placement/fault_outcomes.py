"""What each runtime version makes of a placement fault, as measured.

Runtimes before 1.4 keep every arena in host memory and have no boundary copies, so most faults
begin with 1.4; a program with boundary copies does not load there at all, which is another rule's
matter.
"""

from __future__ import annotations

from typing import Final

from pte_lint.claims.forecast import Forecast, Prediction, Stage, crash, error, undefined
from pte_lint.interpret.residency import Place
from pte_lint.ir.device import HomeKind

NOTHING: Final = Forecast.always(None)
"""No version is troubled."""

_SEGV: Final = "SIGSEGV"


def _with_device_memory(prediction: Prediction) -> Forecast:
    """From 1.4 on: the first runtime that puts arenas on their devices."""
    return NOTHING.since("1.4", prediction)


def reached(place: Place, outcome: Forecast) -> Forecast:
    """An outcome of device memory, from the version on that the place really is on its device.

    Arenas are since 1.4; what the caller gives on the device that a tag asks for is wherever tags
    are read, since 1.3.
    """
    if place.home.kind is HomeKind.CALLER:
        return NOTHING.since("1.3", outcome.full[-1])
    return outcome


COPY_REFUSES: Final = _with_device_memory(error(Stage.EXECUTE, "InvalidArgument"))
"""A copy kernel's tests of tags and sizes (op__device_copy.cpp)."""

COPY_ARGUMENT_COUNT: Final = _with_device_memory(error(Stage.EXECUTE, "InvalidProgram"))
"""The generated kernel wrapper's test of the argument count."""

COPY_WITHOUT_ALLOCATOR: Final = _with_device_memory(error(Stage.EXECUTE, "NotFound"))
"""A copy kernel finds no allocator for the tag's device type."""

COPY_FAILS: Final = _with_device_memory(error(Stage.EXECUTE, "Internal"))
"""The device allocator's copy fails: a pointer is null or in the wrong memory."""

HOST_ACCESS: Final = _with_device_memory(crash(Stage.EXECUTE, _SEGV))
"""Host code reads or writes device memory."""

NULL_ACCESS: Final = Forecast.always(crash(Stage.EXECUTE, _SEGV))
"""Host code reads or writes through a null pointer."""

NULL_CONDITION: Final = Forecast.always(error(Stage.EXECUTE, "InvalidState"))
"""JumpFalse on a tensor without memory (`parse_cond_value`)."""

WRONG_MEMORY: Final = _with_device_memory(undefined(Stage.EXECUTE))
"""A delegate that does not check gets memory that it cannot use."""

NULL_TO_DELEGATE: Final = Forecast.always(undefined(Stage.EXECUTE))
"""A delegate gets a null pointer."""

CUDA_TAG_REFUSED: Final = NOTHING.since("1.3", error(Stage.EXECUTE, "InvalidArgument"))
"""The CUDA backend's test of tags; 1.2 has none."""

CUDA_POINTER_REFUSED: Final = _with_device_memory(error(Stage.EXECUTE, "InvalidArgument"))
"""The CUDA backend's test of pointers; 1.3 copies host memory to the device itself."""

INPUT_COPIED_INTO_DEVICE: Final = _with_device_memory(crash(Stage.SET_INPUT, _SEGV))
"""A planned input, tagged as on the host, whose arena is on a device: a host memcpy."""

DEVICE_INPUT_IN_DEVICE_ARENA: Final = INPUT_COPIED_INTO_DEVICE.since(
    "1.5", error(Stage.SET_INPUT, "NotSupported")
)
"""A planned input tagged for a device: 1.5 tests the tag, 1.4 copies into device memory."""

DEVICE_INPUT_IN_HOST_ARENA: Final = NOTHING.since("1.5", error(Stage.SET_INPUT, "NotSupported"))
"""The same when the memory is the host's: 1.4 copies and goes on."""

NULL_INPUT: Final = Forecast.always(error(Stage.SET_INPUT, "InvalidArgument"))
"""set_input finds no memory behind a planned input (`copy_tensor_data`)."""

STATE_READ_INTO_DEVICE: Final = _with_device_memory(error(Stage.LOAD_METHOD, "AccessFailed"))
"""The file loader reads initial bytes straight to a device address; mmap loaders crash."""
