"""The configuration file's schema, as pydantic models.

`docs/configuration.md` and `schema/config.schema.json` are generated from these models. Unknown
keys are errors everywhere: a misspelt `ignore` must not pass for an empty one.
"""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, field_validator

from pte_lint.rulebook.contract_model import Contract
from pte_lint.rulebook.strict_model import Strict

SeverityName = Literal["error", "warning", "info"]
FailOn = Literal["error", "warning", "info", "never", "unchecked"]


class IgnoreEntry(Strict):
    """Takes the findings of a rule out of the report in some places, and says why.

    Unlike a selector, the rule still runs and the verdict still counts it. Entries that match
    nothing, and entries past their date, are reported.
    """

    rule: str
    """Rule id, id prefix, or name."""
    reason: str
    """Why this is meant to be. Mandatory; it appears in reports."""
    path: str | None = None
    """Glob for artifacts, relative to the configuration file; without a slash it is matched
    against the file's name. Default: every artifact."""
    method: str | None = None
    """Glob for method names. Default: every method, and findings of no method."""
    location: str | None = None
    """Glob for what the finding is about (`input 0`) or its logical path
    (`execution_plan[0].values[*]`; brackets mean themselves). Default: anywhere."""
    expires: date | None = None
    """The last day on which the entry counts, as a TOML date (`2027-03-31`)."""

    @field_validator("reason", "rule")
    @classmethod
    def _not_blank(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("must not be empty")
        return value


class DataEntry(Strict):
    """A .ptd that only some programs are loaded with."""

    program: str
    """Glob for the programs, relative to the configuration file; without a slash it is matched
    against the file's name."""
    file: str
    """The .ptd, as in `data`."""


class Output(Strict):
    """The end of a pipeline that gives a tensor."""

    artifact: str | None = None
    """Glob for the artifact, relative to the configuration file. Default: the one being checked."""
    method: str = "forward"
    """The method."""
    output: Annotated[int, Field(ge=0)]
    """Position among the method's outputs."""


class Input(Strict):
    """The end of a pipeline that takes it."""

    artifact: str | None = None
    """Glob for the artifact, relative to the configuration file. Default: the one being checked."""
    method: str = "forward"
    """The method."""
    input: Annotated[int, Field(ge=0)]
    """Position among the method's inputs."""


class PipelineEntry(Strict):
    """Declares that the runner hands an output of one method to an input of another.

    The two must then agree on device, dtype, shape and planning (rule PTE322).
    """

    from_: Annotated[Output, Field(alias="from")]
    """Where the tensor comes from."""
    to: Input
    """Where it goes."""


def _shape(value: Any) -> str:
    return "entry" if isinstance(value, dict | IgnoreEntry) else "selector"


Ignored = Annotated[
    Annotated[str, Tag("selector")] | Annotated[IgnoreEntry, Tag("entry")], Discriminator(_shape)
]


def _kind(value: Any) -> str:
    return "entry" if isinstance(value, dict | Contract) else "selector"


Promised = Annotated[
    Annotated[str, Tag("selector")] | Annotated[Contract, Tag("entry")], Discriminator(_kind)
]


class Config(Strict):
    """Settings of `[tool.pte-lint]` in pyproject.toml, or of the top level of pte-lint.toml."""

    select: tuple[str, ...] = ()
    """Rules to run: ids, id prefixes (`PTE3`), names, or `ALL`. Default: all of them."""
    ignore: tuple[Ignored, ...] = ()
    """What to leave out. A string is a selector: the rule is not run. A table is an entry with a
    reason: the rule runs, and the findings that the entry matches are set aside."""
    severity: dict[str, SeverityName] = Field(default={})
    """Severity by rule id or name, instead of the rule's own."""
    options: dict[str, dict[str, Any]] = Field(default={})
    """Options of single rules, by rule id or name: `pte-lint explain RULE` lists what a rule takes.
    The built-in rules take none."""
    fail_on: FailOn = "error"
    """The mildest severity that makes the exit code 1; `unchecked`: errors, and anything that could
    not be checked."""
    allow_unjudged: bool = False
    """Make a warning of what was not judged because it takes too much time or memory. It is an
    error otherwise (rule PTE022), whatever the other settings say."""
    target: str | None = None
    """The runtime to judge for, such as `executorch==1.4`, or a profile (`*.json`), relative to the
    configuration file and below its folder. Default: the newest known one."""
    verification: Literal["both", "full", "minimal"] = "both"
    """The level at which the runtime loads the program; `both` reports the stricter outcome."""
    data: tuple[str | DataEntry, ...] = ()
    """.ptd files that the programs are loaded with, relative to the configuration file and below
    its folder; or addresses, if `--allow-address` allows them. A table is a file for some programs
    only."""
    remote: dict[str, str] = Field(default={})
    """Caps on what is fetched of each address: `bytes` and `besides` (`"64MiB"`), `requests`
    (`"100"`), `timeout` in seconds (`"60"`)."""
    format: str = "text"
    """What is printed to the standard output."""
    output: dict[str, str] = Field(default={})
    """Files to write as well, by format (`sarif = "lint.sarif"`), relative to the configuration
    file and below its folder, with an ending of the format: `.txt` or `.log`, `.json`, `.sarif`,
    `.xml` for JUnit, `.md`."""
    baseline: str | None = None
    """A baseline file (`pte-lint baseline write`), relative to the configuration file and below
    its folder: findings recorded there are set aside."""
    pipeline: tuple[PipelineEntry, ...] = ()
    """Declared pipelines."""
    contract: tuple[Promised, ...] = ()
    """What programs promise: files that `pte-lint contract` writes, relative to the configuration
    file and below its folder, or the same as tables."""
