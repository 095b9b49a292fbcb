"""The texts of new files. A new rule works as it is: its author changes what it looks for."""

from __future__ import annotations

from typing import Final

RULE: Final = '''\
"""TODO: one line, what is wrong with the file.

What it finds:
    TODO: what in the file. As it stands: a method input of dtype float64.

What the runtime does:
    TODO: by version; or "Nothing: it runs" where only speed or size suffer.

Why it happens:
    TODO: the export setting that makes such a file.

How to fix it:
    TODO: the setting to change, with a snippet that works:

        torch.export.export(model.float(), inputs)

How it is confirmed:
    TODO: how the real runtime shows it; or "It is not: this is about speed".

Seen in:
    TODO: public reports, such as executorch#1234; or "Our own models".
"""

from __future__ import annotations

{imports}

_FLOAT64 = 7


@method_rule("{id}", "{name}", Severity.WARNING, "TODO: what completes this: it finds ...")
def check(method: Method, context: Context) -> Yields:
    """In the order of the inputs."""
    for position, value in enumerate(method.inputs):
        tensor = method.tensor(value)
        if tensor is None or tensor.scalar_type != _FLOAT64:
            continue
        yield Finding(
            message=f"Input {{position}} is float64.",
            remediation="Export a float32 model.",
            location=method.location(value=value),
            subject=f"input {{position}}",
        )
'''

PLUGIN_IMPORTS: Final = """\
from pte_lint.plugin import Context, Finding, Method, Severity, Yields, method_rule"""

BUILTIN_IMPORTS: Final = """\
from pte_lint.claims.finding import Finding, Severity
from pte_lint.data.context import Context
from pte_lint.questions.method import Method
from pte_lint.rulebook.rule import Yields, method_rule"""

TEST: Final = '''\
"""{id} fires on the smallest bad program, and is silent on the nearest good one."""

from __future__ import annotations

from pte_lint.testing import BuiltProgram, MethodBuilder, assert_finds, assert_silent, build_program
{imports}

def program(first: str, second: str) -> BuiltProgram:
    b = MethodBuilder()
    x, y = b.input((4,), first), b.input((4,), second)
    b.output(b.call("aten::neg.out", x, out=(4,)), b.call("aten::neg.out", y, out=(4,)))
    return build_program(b)


def test_it_fires_behind_what_is_good() -> None:
    (finding,) = assert_finds(program("float32", "float64"), {rule}, "input 1")
    assert finding.message == "Input 1 is float64."
    assert finding.location.value == 1


def test_it_is_silent_where_all_is_good() -> None:
    assert_silent(program("float32", "float32"), {rule})
'''

PYPROJECT: Final = """\
[build-system]
requires = ["setuptools>=64"]
build-backend = "setuptools.build_meta"

[project]
name = "{distribution}"
version = "0.1.0"
description = "Rules of pte-lint for our models"
requires-python = ">=3.10"
dependencies = ["pte-lint>={version}"]

[project.optional-dependencies]
test = ["pytest>=8"]

[project.entry-points."pte_lint.rules"]
{package} = "{package}:RULES"

[tool.setuptools]
packages = ["{package}"]

[tool.pytest.ini_options]
testpaths = ["tests"]
"""

PACKAGE: Final = '''\
"""Rules of pte-lint: one a module."""

from pte_lint.plugin import rules_in

PTE_LINT_INTERFACE = {interface}
"""The version of `pte_lint.plugin` that this is made for."""

RULES = rules_in(__name__)
'''

CONFORMANCE: Final = '''\
"""The plugin keeps to what pte-lint asks of every plugin."""

from __future__ import annotations

from pte_lint.testing import check_plugin


def test_the_plugin_conforms() -> None:
    check_plugin("{distribution}")
'''

README: Final = """\
# {distribution}

Rules of pte-lint. Installed beside it, `pte-lint check` asks them too; `pte-lint rules` lists them,
`--isolated` leaves them out.

    pip install -e ".[test]"
    pip install --no-deps "executorch>=1.5"  # the runtime, which proves errors; Linux only
    pte-lint new-rule few-inputs
    pte-lint rules --check
"""
