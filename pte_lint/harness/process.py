"""One probe process: started, listened to, and gone when it is no longer needed."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType

from pte_lint.harness.build import Probe
from pte_lint.harness.older_wheel import TORCH_LIBRARIES

#: More than the probe ever sends for one program: it caps every list and every string.
_MAX_BYTES = 256 << 20

#: What a child may need from the environment; everything else stays outside.
_PASSED_ON = ("PATH", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES")


def passed_on() -> dict[str, str]:
    """What a probe gets of the environment."""
    return {name: os.environ[name] for name in _PASSED_ON if name in os.environ}


@contextlib.contextmanager
def scratch_folder() -> Iterator[Path]:
    """A folder for one probe, gone afterwards with everything in it."""
    with tempfile.TemporaryDirectory(prefix="pte-lint-", ignore_cleanup_errors=True) as name:
        yield Path(name)


class ProbeProcess:
    """A running probe with a pipe for its reports and one that tells it when we are gone.

    Args:
        probe: The probe; started through its descriptor.
        mode: What it is started for.
        arguments: Its options; they go through a file, so there may be many.
        folder: Working, home and temporary folder of the process.
        stdin: Whether to open a pipe to its standard input.
        shared: Descriptors that it is given besides.
    """

    def __init__(
        self,
        probe: Probe,
        mode: str,
        arguments: Sequence[str],
        folder: Path,
        *,
        stdin: bool = False,
        shared: Sequence[int] = (),
    ) -> None:
        words = folder / "arguments"
        words.write_bytes(b"".join(os.fsencode(word) + b"\0" for word in arguments))
        report, report_end = os.pipe()
        lifeline_end, lifeline = os.pipe()
        environment = passed_on() | {"HOME": str(folder), "TMPDIR": str(folder), "LC_ALL": "C"}
        if probe.torchless:
            (folder / TORCH_LIBRARIES[0]).write_bytes(probe.torchless)
            for name in TORCH_LIBRARIES[1:]:
                (folder / name).symlink_to(TORCH_LIBRARIES[0])
            others = environment.get("LD_LIBRARY_PATH")
            environment["LD_LIBRARY_PATH"] = f"{folder}:{others}" if others else str(folder)
        self.console_path = folder / "console"
        try:
            with self.console_path.open("wb") as console:
                self._process = subprocess.Popen(
                    [
                        str(probe.path),
                        mode,
                        f"--report-fd={report_end}",
                        f"--lifeline-fd={lifeline_end}",
                        f"--arguments={words}",
                    ],
                    executable=f"/proc/self/fd/{probe.descriptor}",
                    stdin=subprocess.PIPE if stdin else subprocess.DEVNULL,
                    stdout=console,
                    stderr=console,
                    cwd=folder,
                    env=environment,
                    pass_fds=(report_end, lifeline_end, probe.descriptor, *shared),
                    start_new_session=True,
                )
        except BaseException:
            os.close(report)
            os.close(lifeline)
            raise
        finally:
            os.close(report_end)
            os.close(lifeline_end)
        self._report = report
        self._lifeline = lifeline
        self._pending = b""

    def __enter__(self) -> ProbeProcess:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.end()

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def send(self, data: bytes) -> None:
        """Writes to standard input, if that was asked for.

        Raises:
            OSError: The probe is gone.
        """
        if self._process.stdin is None:
            raise OSError("standard input is not open")
        self._process.stdin.write(data)
        self._process.stdin.flush()

    def read_line(self, seconds: float) -> bytes | None:
        """The next line of the report, ``None`` if the probe ends, hangs or floods instead."""
        deadline = time.monotonic() + seconds
        while b"\n" not in self._pending:
            left = deadline - time.monotonic()
            if left <= 0 or len(self._pending) > _MAX_BYTES:
                return None
            ready, _, _ = select.select([self._report], [], [], left)
            if not ready:
                return None
            chunk = os.read(self._report, 1 << 20)
            if not chunk:
                return None
            self._pending += chunk
        line, _, self._pending = self._pending.partition(b"\n")
        return line

    def console(self) -> str:
        """What the probe itself printed: its complaints about its arguments, or the loader's."""
        try:
            with self.console_path.open("rb") as file:
                return file.read(2000).decode(errors="replace")
        except OSError:
            return ""

    def end(self) -> None:
        """Ends the probe, its children with it, and waits for it."""
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
        os.close(self._report)  # a probe that is writing stops
        os.close(self._lifeline)  # a probe that is waiting for a child kills the child first
        try:
            self._process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
