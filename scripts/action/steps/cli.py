"""Is `pte-lint` with its arguments in a file: there may be more than a command line holds."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from pte_lint.cli import main

if __name__ == "__main__":
    given = Path(sys.argv[1]).read_bytes().split(b"\0")[:-1]
    sys.argv = ["pte-lint", *map(os.fsdecode, given)]
    main()
