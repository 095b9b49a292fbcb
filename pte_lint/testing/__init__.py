"""What tests of rules need: programs in, findings out, and the real runtime.

- `MethodBuilder` and `build_program` make programs instruction by instruction; `replaced` changes
  one field of a good one; `build_data` and `build_bundle` make .ptd and .bpte files.
- `assert_finds` and `assert_silent` say what a rule does about one; `judge` gives the report.
- `check_plugin` is what every plugin's suite calls once.
- `Runtime` runs programs on the installed ExecuTorch; tests get it as the fixture
  `pte_lint_runtime`, which skips where it is missing, and fails there with CI=true.

As stable as `pte_lint.plugin`, under the same version; the modules below are private.
"""

from pte_lint.testing.builder import Label, MethodBuilder
from pte_lint.testing.conformance import check_plugin, faults_of_plugin
from pte_lint.testing.containers import Layout
from pte_lint.testing.data_builder import (
    BuiltBundle,
    BuiltData,
    DataTensor,
    build_bundle,
    build_data,
)
from pte_lint.testing.edit import replaced
from pte_lint.testing.judging import assert_finds, assert_silent, judge
from pte_lint.testing.oracle import Runtime
from pte_lint.testing.program_builder import BuiltProgram, build_program

__all__ = [
    "BuiltBundle",
    "BuiltData",
    "BuiltProgram",
    "DataTensor",
    "Label",
    "Layout",
    "MethodBuilder",
    "Runtime",
    "assert_finds",
    "assert_silent",
    "build_bundle",
    "build_data",
    "build_program",
    "check_plugin",
    "faults_of_plugin",
    "judge",
    "replaced",
]
