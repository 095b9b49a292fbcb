"""An export as its author has it, and what becomes of it when advice is carried out.

A script's stages are attributes, each made of those before when it is first asked for: `model`,
`inputs`, `exported` (torch.export.export), `edge` (to_edge_transform_and_lower), `program`
(to_executorch). Advice reads some of them and replaces others; what follows is then made anew.
"""

from __future__ import annotations

import ast
import dataclasses
import shlex
import subprocess
import sys
import textwrap
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import pte_lint
import torch
from executorch.exir import (
    EdgeProgramManager,
    ExecutorchBackendConfig,
    ExecutorchProgramManager,
    to_edge_transform_and_lower,
)
from executorch.exir.backend.compile_spec_schema import CompileSpec
from executorch.exir.passes import MemoryPlanningPass
from pte_lint.claims.result import ArtifactReport
from pte_lint.claims.target import Target

VALUES: Mapping[type, str] = {
    torch.export.ExportedProgram: "exported",
    EdgeProgramManager: "edge",
    ExecutorchProgramManager: "program",
    ExecutorchBackendConfig: "config",
    MemoryPlanningPass: "planning",
    CompileSpec: "compile_spec",
}
"""The stage that a snippet replaces whose last line is a value of this type."""


class Script:
    """One way to export something; subclasses make what `rule` finds.

    Attributes:
        rule: What the export shows.
        also: Rules whose findings are of the model and have nothing to do with the advice.
        config: Settings of to_executorch, but for `planning`.
        select: Rules to run where it is an optional one.
        options: What rules are told by the configuration.
        target: What the program is judged for.
    """

    rule: ClassVar[str] = ""
    also: ClassVar[frozenset[str]] = frozenset()
    select: ClassVar[tuple[str, ...]] = ()
    options: ClassVar[dict[str, Any]] = {}
    target: ClassVar[Target | None] = None

    dynamic_shapes: Any = None
    constant_methods: Any = None
    compile_config: Any = None
    partitioner: Any = None
    passes: Any = None

    @cached_property
    def model(self) -> Any:
        raise NotImplementedError

    @cached_property
    def inputs(self) -> tuple[Any, ...]:
        return (torch.rand(2, 8),)

    @cached_property
    def exported(self) -> Any:
        torch.manual_seed(0)
        return torch.export.export(self.model, self.inputs, dynamic_shapes=self.dynamic_shapes)

    @cached_property
    def edge(self) -> EdgeProgramManager:
        return to_edge_transform_and_lower(
            self.exported,
            transform_passes=self.passes,
            partitioner=self.partitioner,
            constant_methods=self.constant_methods,
            compile_config=self.compile_config,
        )

    @cached_property
    def config(self) -> ExecutorchBackendConfig:
        return ExecutorchBackendConfig()

    planning: MemoryPlanningPass | None = None

    @cached_property
    def program(self) -> ExecutorchProgramManager:
        config = self.config
        if self.planning is not None:
            config = dataclasses.replace(config, memory_planning_pass=self.planning)
        return self.edge.to_executorch(config)

    @classmethod
    def fits(cls, code: str) -> bool:
        """Whether a snippet of the rule is for this export, not for another with its finding."""
        return True

    def report(self) -> ArtifactReport:
        """What pte-lint says of the program, given the data files that were written with it."""
        return pte_lint.check(
            self.content(),
            data=[bytes(each) for each in self.data_files().values()],
            select=self.select,
            options=self.options,
            target=self.target,
        ).artifacts[0]

    def content(self) -> bytes:
        """The program's file."""
        return bytes(self.program.buffer)

    def data_files(self) -> Mapping[str, Any]:
        """The data files beside it, by name without suffix."""
        return dict(self.program._tensor_data)

    def carry_out(self, code: str) -> None:
        """Runs a snippet among this script's names, and takes over what it makes."""
        if code.startswith("pte-lint "):
            self._command(code)
            return
        names = {name: getattr(self, name) for name in _read(code) if hasattr(self, name)}
        if "torch" in _read(code):
            names["torch"] = torch
        given = dict(names)
        value = run(code, names)
        for kind, name in VALUES.items():
            if isinstance(value, kind):
                names[name] = value
        changed = {n: v for n, v in names.items() if n not in given or given[n] is not v}
        changed.pop("__builtins__", None)
        if "config" in changed:
            self.planning = None
        for name, each in changed.items():
            setattr(self, name, each)
        self.written(Path())

    def _command(self, code: str) -> None:
        """Runs one of our own commands on the program; it writes the better one with -o."""
        Path("model.pte").write_bytes(self.content())
        words = shlex.split(code)
        subprocess.run([sys.executable, "-m", "pte_lint", *words[1:]], check=True)
        content = Path(words[words.index("-o") + 1]).read_bytes()
        self.content = lambda: content  # type: ignore[method-assign]

    def written(self, folder: Path) -> None:
        """Takes over the files that a snippet has written into the current folder."""
        if (folder / "model.pte").exists():
            content = (folder / "model.pte").read_bytes()
            data = {p.stem: p.read_bytes() for p in sorted(folder.glob("*.ptd"))}
            self.content, self.data_files = lambda: content, lambda: data  # type: ignore[method-assign]


def run(code: str, names: dict[str, Any]) -> Any:
    """Runs a snippet; returns the value of its last line where that is an expression."""
    tree = ast.parse(code)
    last = tree.body[-1]
    if not isinstance(last, ast.Expr):
        exec(compile(tree, "<snippet>", "exec"), names)
        return None
    exec(compile(ast.Module(tree.body[:-1], []), "<snippet>", "exec"), names)
    return eval(compile(ast.Expression(last.value), "<snippet>", "eval"), names)


def _read(code: str) -> set[str]:
    """The names that a snippet reads before it makes them."""
    read: set[str] = set()
    made: set[str] = set()
    for line in ast.parse(code).body:
        names = [node for node in ast.walk(line) if isinstance(node, ast.Name)]
        read |= {each.id for each in names if isinstance(each.ctx, ast.Load)} - made
        made |= {each.id for each in names if isinstance(each.ctx, ast.Store)}
    return read


def imports_of(snippets: list[str]) -> str:
    """The imports of snippets, which those behind them go on with."""
    lines = [
        ast.unparse(node)
        for code in snippets
        for node in ast.parse(code).body
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    return "".join(f"{line}\n" for line in lines)


class InForward(Script):
    """Advice that takes the place of a line in the model's forward.

    Attributes:
        arguments: What forward is called with.
        line: The line as it is before the advice.
        then: What forward goes on with.
    """

    arguments: ClassVar[str] = "x"
    line = ""
    then: ClassVar[str] = "return y"

    def names(self) -> dict[str, Any]:
        """What the line may speak of beside the arguments."""
        return {}

    @cached_property
    def model(self) -> torch.nn.Module:
        body = textwrap.indent(f"{self.line}\n{self.then}", "    ")
        made = {"torch": torch, **self.names()}
        run(f"def forward(self, {self.arguments}):\n{body}\n", made)
        return type("Model", (torch.nn.Module,), {"forward": made["forward"]})()

    def carry_out(self, code: str) -> None:
        if "edge" in _read(code):
            super().carry_out(code)
        else:
            self.line = code
