"""PyTorch in a process of its own: started when it is first asked, started again when it dies."""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from pte_lint.harness.errors import HarnessUnavailable
from pte_lint.harness.expected.cases import Case, NotUnderstood
from pte_lint.harness.expected.npz import read_npz
from pte_lint.harness.process import scratch_folder
from pte_lint.harness.recording import (
    Recorded,
    RecordedCall,
    RecordedDelegate,
    RecordedTensor,
    Recording,
    Scalar,
)

_START_SECONDS: Final = 180
_CALL_SECONDS: Final = 60
_DELEGATE_SECONDS: Final = 600
_MOST_DEATHS: Final = 3
_WORKER: Final = "pte_lint.harness.reference.worker"
_PT_FILE: Final = "pte_lint.harness.reference.pt_file"

Answer = dict[str, Any]


def require_pytorch() -> None:
    """Makes sure that PyTorch is there, without importing it.

    Raises:
        HarnessUnavailable: It is not.
    """
    if find_spec("torch") is None:
        raise HarnessUnavailable(
            "There is no PyTorch to compare with.", 'Install it: pip install "pte-lint[reference]".'
        )


def _command(module: str, *words: object) -> list[str]:
    """-P: what lies in the working folder is not imported."""
    return [sys.executable, "-P", "-m", module, *map(str, words)]


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}


def read_pt(path: Path) -> list[Case]:
    """The cases of a file that torch.save wrote.

    Raises:
        NotUnderstood: it holds none.
        HarnessUnavailable: there is no PyTorch.
    """
    require_pytorch()
    with scratch_folder() as folder:
        made = folder / path.name
        done = subprocess.run(
            _command(_PT_FILE, path.absolute(), made),
            env=_environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            check=False,
        )
        if done.returncode != 0:
            why = done.stdout.decode(errors="replace").strip()
            raise NotUnderstood(f"{path.name} cannot be read: {why or 'torch.load died'}")
        return read_npz(made)


class PyTorch:
    """Answers what PyTorch's operators make of recorded arguments.

    Args:
        recording: Where arguments and results stand.
    """

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._process: subprocess.Popen[bytes] | None = None
        self._pending = b""
        self._deaths = 0
        self.version: str | None = None

    def __enter__(self) -> PyTorch:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end()

    def compare(self, call: RecordedCall) -> Answer:
        """Whether a call's results are PyTorch's: `status` equal, differs or none, and why."""
        outs = call.outs or ()
        values = (*call.args, *outs)
        if any(_is_unreadable(each) for each in values):
            return {"status": "none", "reason": "what it read or wrote cannot be read"}
        request = {
            "operator": call.operator,
            "args": [_request(each) for each in call.args],
            "outs": [_request(each) for each in outs],
        }
        return self._answer(request, _CALL_SECONDS)

    def compare_delegate(self, delegate: Mapping[str, Any], call: RecordedDelegate) -> Answer:
        """Whether what a delegate wrote is what its graph computes; answers as `compare` does.

        Args:
            delegate: Where its blob and its named data are: see `delegates.py`.
            call: What it was given and wrote.
        """
        if any(map(_is_unreadable, call.args)):
            return {"status": "none", "reason": "what it read or wrote cannot be read"}
        request = {"delegate": delegate, "args": [_request(each) for each in call.args]}
        return self._answer(request, _DELEGATE_SECONDS)

    def _answer(self, request: Mapping[str, Any], seconds: float) -> Answer:
        if self._deaths >= _MOST_DEATHS:
            return {"status": "none", "reason": "PyTorch's process died too often"}
        if self._process is None:
            self._start()
        answer = self._ask(json.dumps(request).encode() + b"\n", seconds)
        if answer is None:
            self._end()
            self._deaths += 1
            return {"status": "none", "reason": "PyTorch died of it, or took too long"}
        return answer

    def _start(self) -> None:
        memory = self._recording
        self._process = subprocess.Popen(
            _command(_WORKER, memory.fd, memory.size),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(),
            pass_fds=(memory.fd,),
        )
        hello = self._read(_START_SECONDS)
        if hello is None or "torch" not in hello:
            self._end()
            raise HarnessUnavailable(
                "PyTorch cannot be started.", f"Try: {sys.executable} -c 'import torch'."
            )
        self.version = str(hello["torch"])

    def _ask(self, line: bytes, seconds: float) -> Answer | None:
        assert self._process is not None
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.write(line)
            self._process.stdin.flush()
            return self._read(seconds)
        return None

    def _read(self, seconds: float) -> Answer | None:
        assert self._process is not None
        assert self._process.stdout is not None
        out, deadline = self._process.stdout.fileno(), time.monotonic() + seconds
        while b"\n" not in self._pending:
            ready, _, _ = select.select([out], [], [], max(deadline - time.monotonic(), 0))
            chunk = os.read(out, 1 << 16) if ready else b""
            if not chunk:
                return None
            self._pending += chunk
        line, _, self._pending = self._pending.partition(b"\n")
        answer: Answer = json.loads(line)
        return answer

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process, self._pending = None, b""


def _is_unreadable(value: Recorded) -> bool:
    if isinstance(value, tuple):
        return any(map(_is_unreadable, value))
    return isinstance(value, RecordedTensor) and value.nbytes > 0 and value.at is None


def _request(value: Recorded) -> Any:
    """An argument as JSON; tensors by where they stand."""
    if isinstance(value, tuple):
        return {"list": [_request(each) for each in value]}
    if isinstance(value, Scalar):
        return value.value
    return {"dtype": value.dtype, "sizes": value.sizes, "order": value.order, "at": value.at}
