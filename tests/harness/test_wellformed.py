"""Whether what a record was made into is what its types say, asked from several threads."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

from pte_lint.harness import wellformed
from pte_lint.harness.outcome import MethodReport, MethodRun


def test_threads_that_ask_first_at_once() -> None:
    """A class is looked at when it is first met, and nobody may find that half done."""
    run = MethodReport(0, "forward", None, (MethodRun("execute", "ok"),))
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as threads:
            for _ in range(40):
                wellformed._check_of.cache_clear()
                assert all(threads.map(wellformed.is_wellformed, [run] * 8))
    finally:
        sys.setswitchinterval(before)
