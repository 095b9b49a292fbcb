"""A process that judges one artifact after the other, and whose end is nobody else's.

It is this module run by Python. Both sides send pickled values through pipes: first the state, then
inputs, each answered by its result. It ends with its standard input.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Timer
from typing import Any, Final

from pte_lint.cli.limits import Limits
from pte_lint.cli.one_by_one import OneByOne, State
from pte_lint.cli.paths import Input
from pte_lint.cli.runner import Failure, Result

_MOST_ARTIFACTS: Final = 2_000
"""Artifacts after which a process is replaced, whatever others have left behind in it."""

_LOADING: Final = 120.0
"""Seconds that a process is given to load rules and settings."""

_PATIENCE: Final = 5.0
"""Seconds that a process is given to end by itself."""

_NO_MEMORY: Final = 70
"""The exit code of a process that ran out of memory."""

# Not -m: the working folder may be a stranger's, and is no place to import from.
_CODE: Final = (
    "import sys; sys.path[:] = [p for p in sys.path if p not in ('', '.')]; "
    "from pte_lint.cli.child import main; main()"
)


class Child:
    """The process, started when there is something to judge, and again after its end."""

    def __init__(self, state: bytes, limits: Limits) -> None:
        """Starts nothing yet; `state` is a pickled `State`."""
        self._state = state
        self._limits = limits
        self._process: subprocess.Popen[bytes] | None = None
        self._left = 0
        self._is_over = False

    def __call__(self, each: Input) -> Result:
        """Judges an input; what ends the process is a failure of that input."""
        process = self._started()
        seconds = self._limits.seconds
        try:
            with _ending_after(process, seconds) as is_late:
                _send(process.stdin, each)
                result: Result = pickle.load(process.stdout)  # type: ignore[arg-type]
        except (OSError, EOFError, pickle.UnpicklingError):
            self.close()
            if is_late:
                why = f"it took more than {seconds:g} seconds (--limit seconds)"
            elif process.returncode == _NO_MEMORY:
                why = self._too_large
            else:
                why = f"the process that judged it {_ending(process.returncode)}"
            return Failure(f"cannot judge {each.name}: {why}")
        self._left -= 1
        if self._left <= 0 or is_late or _lacked_memory(result):
            self.close()
        if _lacked_memory(result):
            return Failure(f"cannot judge {each.name}: {self._too_large}")
        return result

    @property
    def _too_large(self) -> str:
        return f"it took more than {self._limits.memory} bytes of memory (--limit memory)"

    def kill(self) -> None:
        """Ends the process at once, whatever it does, and also one that is being started."""
        self._is_over = True
        process = self._process
        if process is not None:
            process.kill()

    def close(self) -> None:
        """Ends the process."""
        process, self._process = self._process, None
        if process is None:
            return
        for pipe in (process.stdin, process.stdout):
            with suppress(OSError):
                if pipe is not None:
                    pipe.close()
        try:
            process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _CODE], stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
            if self._is_over:
                self._process.kill()
            self._left = _MOST_ARTIFACTS
            # What goes wrong here the first input will tell.
            with suppress(OSError, EOFError), _ending_after(self._process, _LOADING):
                assert self._process.stdin is not None
                self._process.stdin.write(self._state)
                _send(self._process.stdin, self._limits.memory)
                pickle.load(self._process.stdout)  # type: ignore[arg-type]
        return self._process


@contextmanager
def _ending_after(process: subprocess.Popen[bytes], seconds: float) -> Iterator[list[bool]]:
    """Ends a process if the block takes longer; what it yields is empty until then."""
    is_late: list[bool] = []

    def end() -> None:
        is_late.append(True)
        process.kill()

    timer = Timer(seconds, end)
    timer.daemon = True
    timer.start()
    try:
        yield is_late
    finally:
        timer.cancel()


def _send(pipe: Any, value: object) -> None:
    pipe.write(pickle.dumps(value))
    pipe.flush()


def _lacked_memory(result: Result) -> bool:
    """Rules that run out of memory are told as rules that fail."""
    if isinstance(result, Failure):
        return False
    return any(each.message.startswith("MemoryError") for each in result.internal_errors)


def _ending(code: int | None) -> str:
    if code is None or code >= 0:
        return f"ended with {code}"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"


def main() -> None:
    """Judges what comes in."""
    incoming, out = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what rules of others print is no answer
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    state: State = pickle.load(incoming)
    _limit_memory(pickle.load(incoming))
    with suppress(OSError):  # a worker that has no such folder can only read what is far away
        os.chdir(state.folder or os.curdir)
    judge = OneByOne(state)
    _send(out, "ready")
    while True:
        try:
            each: Input = pickle.load(incoming)
        except EOFError:
            return
        try:
            result = judge(each)
        except MemoryError:
            os._exit(_NO_MEMORY)
        try:
            _send(out, result)
        except BrokenPipeError:
            return


def _limit_memory(most: int) -> None:
    """Bounds private memory, which mapped files are none of; where the system can."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))
