"""Who judges in a large run: processes here, or workers of a Dask scheduler."""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from importlib import import_module
from queue import Empty, LifoQueue
from threading import Lock
from time import monotonic
from typing import Any, Final, Protocol, TypeVar

from pte_lint._version import __version__
from pte_lint.cli.child import Child
from pte_lint.cli.errors import Trouble
from pte_lint.cli.limits import Limits
from pte_lint.cli.one_by_one import State
from pte_lint.cli.paths import Input
from pte_lint.cli.runner import Failure, Result

_T = TypeVar("_T")

_AHEAD: Final = 4
"""Inputs for each process that are under way or done and waiting for those before them, in memory:
a report may take as much as its file."""
_AHEAD_FAR: Final = 8
"""The same for each worker, which keeps what is done until it is asked for."""

_NO_WORKERS: Final = 30
"""Seconds to wait for the first worker."""

_RETRIES: Final = 3
"""Times that an input is given to another worker when one is lost."""


class Promise(Protocol):
    """A result that is there later."""

    def result(self) -> Result:
        """Waits for it."""
        ...


class Crew(Protocol):
    """Judges inputs, several at a time."""

    @property
    def ahead(self) -> int:
        """Inputs that it should have at once."""
        ...

    def judge(self, each: Input) -> Promise:
        """Begins with an input."""
        ...


class _Children:
    """Idle processes; a thread takes one and gives it back."""

    def __init__(self, state: bytes, limits: Limits) -> None:
        self._make: Callable[[], Child] = lambda: Child(state, limits)
        self._idle: LifoQueue[Child] = LifoQueue()
        self._all: list[Child] = []

    def __call__(self, each: Input) -> Result:
        try:
            child = self._idle.get_nowait()
        except Empty:
            child = self._make()
            self._all.append(child)
        try:
            return child(each)
        finally:
            self._idle.put(child)

    def kill(self) -> None:
        """Ends those that are at work, too."""
        for child in self._all:
            child.kill()

    def close(self) -> None:
        while True:
            try:
                self._idle.get_nowait().close()
            except Empty:
                return


class _Here:
    """Processes of this machine, each of which a thread waits for."""

    def __init__(self, pool: ThreadPoolExecutor, children: _Children, jobs: int) -> None:
        self._pool, self._children, self._jobs = pool, children, jobs

    @property
    def ahead(self) -> int:
        """By the number of processes."""
        return self._jobs * _AHEAD

    def judge(self, each: Input) -> Promise:
        return self._pool.submit(self._children, each)


@contextmanager
def here(state: State, limits: Limits, jobs: int) -> Iterator[Crew]:
    """Processes of this machine.

    Args:
        state: what they judge with.
        limits: what one artifact may take.
        jobs: how many there are.
    """
    children = _Children(pickle.dumps(state), limits)
    pool = ThreadPoolExecutor(jobs)
    try:
        yield _Here(pool, children, jobs)
    except BaseException:
        # Nobody waits for what is judged now: it may take long.
        pool.shutdown(wait=False, cancel_futures=True)
        children.kill()
        raise
    finally:
        pool.shutdown(cancel_futures=True)
        children.close()


class _Far:
    """Workers of a Dask scheduler."""

    def __init__(self, client: Any, state: bytes, limits: Limits) -> None:
        self._client, self._state, self._limits = client, state, limits
        self._threads, self._asked = 1, 0.0

    @property
    def ahead(self) -> int:
        """By the threads of all workers, of which some may come and go."""
        now = monotonic()
        if now - self._asked > 1:
            self._asked, self._threads = now, sum(self._client.nthreads().values())
        return max(1, self._threads) * _AHEAD_FAR

    def judge(self, each: Input) -> Promise:
        promise = self._client.submit(
            judge_on_worker, self._state, self._limits, each, pure=False, retries=_RETRIES
        )
        return _Kept(promise, each)


class _Kept:
    """A result that is on a worker until it is asked for."""

    def __init__(self, promise: Any, each: Input) -> None:
        self._promise, self._each = promise, each

    def result(self) -> Result:
        lost: type[Exception] = import_module("distributed").KilledWorker
        try:
            result: Result = self._promise.result()
        except lost:
            return Failure(f"cannot judge {self._each.name}: every worker that took it was lost")
        except Exception as exc:  # the scheduler is gone, or a worker is of another version
            raise Trouble(f"--scheduler: {str(exc) or type(exc).__name__}") from exc
        return result


@contextmanager
def far(state: State, limits: Limits, address: str) -> Iterator[Crew]:
    """Workers of a Dask scheduler, which see the same files under the same names.

    Raises:
        Trouble: Dask is not installed, or there is no scheduler.
    """
    try:
        distributed: Any = import_module("distributed")
    except ImportError as exc:
        hint = 'install it with pip install "pte-lint[dask]"'
        raise Trouble(f"--scheduler needs dask.distributed: {hint}") from exc
    try:
        client = distributed.Client(address, timeout=10, set_as_default=False)
    except (OSError, ValueError) as exc:
        raise Trouble(f"--scheduler {address}: there is none ({type(exc).__name__})") from exc
    with client:
        try:
            client.wait_for_workers(1, timeout=_NO_WORKERS)
        except TimeoutError as exc:
            raise Trouble(f"--scheduler {address}: it has no workers") from exc
        try:
            yield _Far(client, pickle.dumps(state), limits)
        finally:
            with suppress(Exception):  # a scheduler that is gone has no workers either
                client.run(forget)


_lock = Lock()
_on_this_worker: dict[bytes, _Children] = {}
"""By state, in a worker of a scheduler."""


def judge_on_worker(state: bytes, limits: Limits, each: Input) -> Result:
    """Judges an input in a process of its own on a worker.

    Raises:
        RuntimeError: the worker has another version of pte-lint.
    """
    with _lock:
        if state not in _on_this_worker:
            told: State = pickle.loads(state)
            if told.tool_version != __version__:
                text = f"a worker has pte-lint {__version__}, this is {told.tool_version}"
                raise RuntimeError(text)
            _on_this_worker[state] = _Children(state, limits)
        children = _on_this_worker[state]
    return children(each)


def forget() -> None:
    """Ends the idle processes of a worker."""
    with _lock:
        while _on_this_worker:
            _on_this_worker.popitem()[1].close()


def in_order(
    crew: Crew, work: Iterable[tuple[_T, Input | None]]
) -> Iterator[tuple[_T, Result | None]]:
    """Judges inputs several at a time, and gives the results in the order of the inputs.

    Args:
        crew: who judges.
        work: inputs with what they come back with; nothing is done for None.
    """
    under_way: deque[tuple[_T, Promise | None]] = deque()
    for label, each in work:
        under_way.append((label, None if each is None else crew.judge(each)))
        while len(under_way) >= crew.ahead:
            yield _next(under_way)
    while under_way:
        yield _next(under_way)


def _next(under_way: deque[tuple[_T, Promise | None]]) -> tuple[_T, Result | None]:
    label, promise = under_way.popleft()
    return label, None if promise is None else promise.result()
