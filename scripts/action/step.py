#!/usr/bin/env python3
"""Runs one step of the action: `python -I step.py NAME`.

-I keeps the working folder, PYTHON* variables and the user's site-packages out of the way, and with
them everything that a checkout could have put there. Only this folder is added, at the end.
"""

from __future__ import annotations

import io
import sys
import traceback
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent))

from steps import compare, lint, report, selection
from steps.job import StepError, complain

STEPS = {
    "select": selection.run,
    "lint": lint.run,
    "compare": compare.run,
    "report": report.run,
}


def main() -> int:
    """Runs the step that is named; whatever it cannot do fails the job."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        STEPS[sys.argv[1]]()
    except StepError as failure:
        complain(str(failure))
        return 2
    except Exception:
        # A message can hold the name of a file.
        complain(traceback.format_exc())
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
