"""Runs a composite GitHub action as the runner does, as far as its shell steps go.

Knows what our action uses: inputs with defaults, `env`, `if`, outputs of steps, and expressions of
context lookups joined by `==`, `!=` and `&&`. Steps that use other actions are recorded, not run.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

_EXPRESSION = re.compile(r"\$\{\{(.*?)\}\}")


@dataclass
class Ran:
    """What became of a step."""

    step: str
    skipped: bool
    code: int = 0
    stdout: str = ""
    stderr: str = ""
    given: dict[str, str] = field(default_factory=dict)
    """`env` of a shell step, `with` of another action."""


@dataclass
class ActionRun:
    """One run of the action."""

    steps: list[Ran]
    outputs: dict[str, str]
    summary: str

    def step(self, name: str) -> Ran:
        """The step with this id, script or action."""
        return next(s for s in self.steps if name in s.step)

    @property
    def code(self) -> int:
        """Not 0 when a step failed."""
        return next((s.code for s in self.steps if s.code), 0)


def run_action(
    action: Path,
    workspace: Path,
    temp: Path,
    *,
    inputs: Mapping[str, str],
    github: Mapping[str, Any],
    environment: Mapping[str, str],
    replaced: Mapping[str, str],
) -> ActionRun:
    """Runs the action's steps in order until one fails.

    Args:
        action: the folder with `action.yml`.
        workspace: where the steps run.
        temp: the runner's temporary folder.
        inputs: what the workflow gives; the rest has its default.
        github: the `github` context.
        environment: what steps inherit.
        replaced: outputs by step id, for steps that are not run.
    """
    spec = yaml.safe_load((action / "action.yml").read_text("utf-8"))
    unknown = set(inputs) - set(spec["inputs"])
    assert not unknown, f"the action has no input {unknown}"
    context: dict[str, Any] = {
        "github": {**github, "action_path": str(action)},
        "steps": {},
        "inputs": {},
    }
    context["inputs"] = {
        name: inputs.get(name, _filled(str(each.get("default", "")), context))
        for name, each in spec["inputs"].items()
    }
    # The runner's own choice of a shell is none of the action's.
    bash = shutil.which("bash") or "bash"
    summary = temp / "summary.md"
    summary.write_text("")
    done: list[Ran] = []
    for number, step in enumerate(spec["runs"]["steps"]):
        name = step.get("id") or step.get("uses") or step["run"]
        if step.get("id") in replaced or not _holds(step.get("if"), context):
            done.append(Ran(name, skipped=True))
            outputs = replaced.get(step.get("id", ""), "")
            context["steps"][step.get("id")] = {"outputs": _pairs(outputs)}
            continue
        given = {k: _filled(str(v), context) for k, v in (step.get("env") or {}).items()}
        if "uses" in step:
            with_ = {k: _filled(str(v), context) for k, v in (step.get("with") or {}).items()}
            done.append(Ran(name, skipped=False, given=with_))
            continue
        assert step["shell"] == "bash"
        assert "${{" not in step["run"], "a value in the text of a script can become code"
        output = temp / f"output{number}"
        output.write_text("")
        result = subprocess.run(
            [bash, "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=workspace,
            env={
                **environment,
                **given,
                "RUNNER_TEMP": str(temp),
                "GITHUB_OUTPUT": str(output),
                "GITHUB_STEP_SUMMARY": str(summary),
            },
            capture_output=True,
            text=True,
            check=False,
        )
        done.append(Ran(name, False, result.returncode, result.stdout, result.stderr, given=given))
        context["steps"][step.get("id")] = {"outputs": _pairs(output.read_text("utf-8"))}
        if result.returncode:
            break
    outputs = {k: _filled(v["value"], context) for k, v in spec["outputs"].items()}
    return ActionRun(done, outputs, summary.read_text("utf-8"))


def _pairs(text: str) -> dict[str, str]:
    return dict(line.split("=", 1) for line in text.splitlines() if line)


def _filled(text: str, context: Mapping[str, Any]) -> str:
    return _EXPRESSION.sub(lambda m: _value(m[1], context), text)


def _holds(condition: str | None, context: Mapping[str, Any]) -> bool:
    if condition is None:
        return True
    match = _EXPRESSION.fullmatch(condition.strip())
    assert match is not None
    return all(_term(term, context) for term in match[1].split("&&"))


def _term(term: str, context: Mapping[str, Any]) -> bool:
    for operator in ("==", "!="):
        left, found, right = term.partition(operator)
        if found:
            same = _value(left, context) == _value(right, context)
            return same if operator == "==" else not same
    return _value(term, context) not in ("", "false")


def _value(expression: str, context: Mapping[str, Any]) -> str:
    """A quoted text, or a lookup; what is not there is empty, as on the runner."""
    expression = expression.strip()
    if expression.startswith("'"):
        return expression.strip("'")
    value: Any = context
    for key in expression.split("."):
        value = value.get(key, "") if isinstance(value, Mapping) else ""
    return str(value)
