"""Asks file systems far away: not for ever, and once more where that may help."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Thread
from typing import Final, TypeVar

from pte_lint.files.remote.http_errors import BUSY
from pte_lint.files.remote.origin import FetchError

_T = TypeVar("_T")

TRIES: Final = 4
LONGEST: Final = 60.0
"""Most seconds between two tries, whatever a server asks for."""


def pause(tried: int, again: float) -> float:
    """Seconds to wait after so many tries: 1, 2, 4, or what the server asks for."""
    return min(max(2.0 ** (tried - 1), again), LONGEST)


def patiently(question: Callable[[], _T]) -> _T:
    """Asks until there is an answer, or no hope of one.

    Raises:
        FetchError: the last one, or the first that will not pass.
    """
    for tried in range(1, TRIES):
        try:
            return question()
        except FetchError as exc:
            if exc.again is None:
                raise
            time.sleep(pause(tried, exc.again))
    return question()


def ask(question: Callable[[], _T], seconds: float) -> _T:
    """Asks in a thread of its own: file systems have no common way to give up waiting.

    Raises:
        FetchError: the question failed, or took longer.
    """
    answers: list[_T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            answers.append(question())
        except BaseException as exc:
            errors.append(exc)

    thread = Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    if answers:
        return answers[0]
    if errors:
        raise told(errors[0])
    raise FetchError.passing(f"no answer within {seconds:g} seconds")


_SETTLED: Final = (FileNotFoundError, PermissionError, IsADirectoryError, NotADirectoryError)


def told(error: BaseException) -> FetchError:
    """What a file system's exception means, and whether it may pass; its text is not used, since
    it may hold secrets."""
    if isinstance(error, FetchError):
        return error
    if isinstance(error, FileNotFoundError):
        return FetchError("there is no such file")
    if isinstance(error, PermissionError):
        return FetchError("access is denied")
    if isinstance(error, IsADirectoryError):
        return FetchError("it is a folder: name its files, or end it with / to search it")
    text = f"the request failed ({type(error).__name__})"
    status = getattr(getattr(error, "response", None), "status_code", None)
    # s3fs and others make an OSError of a server that is busy.
    is_passing = isinstance(error, OSError) and not isinstance(error, _SETTLED)
    if status is not None:
        is_passing = status in BUSY
    return FetchError.passing(text) if is_passing else FetchError(text)
