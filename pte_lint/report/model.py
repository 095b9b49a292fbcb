"""The JSON report, as pydantic models: the contract that other programs rely on.

`schema/report.schema.json` is generated from these models. The writer (`json_report.py`) does not
use them, so that `--format json` imports no pydantic; a test holds the two together. Programs
that read reports may: `ReportModel.model_validate_json(text)`.

Keys may be added from one version to the next, never renamed or dropped while `schema_version`
stays the same.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

SeverityName = Literal["error", "warning", "info"]
StageName = Literal["load_program", "load_method", "set_input", "execute", "get_output"]
OutcomeName = Literal["ok", "error", "crash", "undefined", "wrong", "unjudged"]


class ToolModel(BaseModel):
    """What wrote the report."""

    name: str
    version: str


class TargetModel(BaseModel):
    """The runtime that the artifacts were judged for."""

    runtime: str = Field(description="Runtime version, such as 1.5.")
    verification: Literal["both", "full", "minimal"]
    profile: str = Field(description="Name of the profile of kernels and backends.")


class PredictionModel(BaseModel):
    """What the runtime will do about a finding."""

    stage: StageName
    outcome: OutcomeName
    error: str | None = Field(description="The runtime's own name of the error.")
    signal: str | None = Field(description="The signal of a crash, where it is certain.")


class ConfirmationModel(BaseModel):
    """What the real runtime showed."""

    status: Literal[
        "confirmed", "confirmed_by_repair", "consistent", "refuted", "not_reached", "unsupported"
    ]
    runtime: dict[str, Any]
    evidence: dict[str, Any]


class VerdictModel(BaseModel):
    """The first thing that goes wrong; execute with ok means that it runs."""

    method: str | None = Field(description="null for the file as a whole.")
    stage: StageName
    outcome: OutcomeName
    error: str | None
    rule: str | None = Field(description="The rule whose finding decides.")
    signal: str | None
    confirmation: ConfirmationModel | None


class LocationModel(BaseModel):
    """Where in the artifact."""

    path: str = Field(description="Logical path, such as execution_plan[0].values[17].")
    instruction: int | None = Field(description="Counts over all chains of the method.")
    value: int | None
    argument: int | None = Field(description="Position in the instruction's argument list.")
    byte_offset: int | None = Field(description="Absolute in the file.")
    operator: str | None = Field(description="Operator, delegate id or kind of the instruction.")


class SourceLineModel(BaseModel):
    """A line of the model's Python source, as the program's stack traces name it."""

    file: str
    line: int
    function: str
    text: str


class FindingModel(BaseModel):
    """One judgement about one place."""

    rule: str
    name: str
    severity: SeverityName
    message: str
    remediation: str = Field(description="Lines indented by four spaces are code.")
    method: str | None
    location: LocationModel
    subject: str = Field(description="What it is about, by logical names only.")
    runtime: PredictionModel | None
    runtime_minimal: PredictionModel | None = Field(
        description="Under minimal verification, where that differs."
    )
    evidence: dict[str, Any]
    fingerprint: str = Field(description="Stable under re-export: rule plus logical names.")
    fix: Literal["safe", "unsafe"] | None = Field(
        default=None,
        description="Whether `pte-lint fix` has a repair for findings of this rule: one that "
        "changes nothing for the caller, or one that needs `--unsafe-fixes`.",
    )
    caused_by: str | None = Field(
        description="Fingerprint of the finding that this one follows from."
    )
    source: list[SourceLineModel] = Field(
        description="Where the instruction comes from, outermost frame first."
    )
    written_by: str = Field(
        default="",
        description="The instruction that writes the value, for findings about no instruction.",
    )
    confirmation: ConfirmationModel | None


class SuppressedModel(BaseModel):
    """A finding that an ignore entry or a baseline took out, and why."""

    finding: FindingModel
    reason: str


class UncheckedModel(BaseModel):
    """Something that the file alone cannot answer."""

    what: str
    why: str


class RuleResultModel(BaseModel):
    """What became of one rule."""

    rule: str
    status: Literal["passed", "findings", "not_evaluated"]
    reason: str


class InternalErrorModel(BaseModel):
    """A rule failed: a bug of the rule."""

    rule: str
    plugin: str | None = Field(description="The plugin that the rule is of; null for pte-lint.")
    message: str
    traceback: str


class FetchedModel(BaseModel):
    """What it took to read an artifact that is far away."""

    bytes: int = Field(description="Received, without the headers of the protocol.")
    requests: int


class NeedModel(BaseModel):
    """What a method's runner must provide that the target alone does not."""

    kind: Literal["backend", "kernels", "data", "memory", "input", "output"]
    what: str = Field(description='Completes "runs if given ...".')
    method: str
    how: str = Field(description="How a runner comes to have it; may be empty.")


class ArtifactModel(BaseModel):
    """Everything known about one artifact."""

    path: str
    kind: str
    size: int
    sha256: str | None = Field(description="null for files too large to read for that alone.")
    verdict: list[VerdictModel]
    findings: list[FindingModel]
    unchecked: list[UncheckedModel]
    rules: list[RuleResultModel]
    internal_errors: list[InternalErrorModel]
    runs_on: dict[str, list[VerdictModel]] = Field(description="Verdicts by runtime version.")
    numbers: dict[str, Any] = Field(description="Planned bytes, bytes copied per call.")
    suppressed: list[SuppressedModel]
    fetched: FetchedModel | None = Field(description="null for a file that was here.")
    needs: list[NeedModel] = Field(
        description="What a verdict that it runs takes for granted of the runner."
    )
    backends: list[str] = Field(default=[], description="Those that its delegates name.")
    hidden: dict[str, int] = Field(
        description="Findings milder than --min-severity, by severity: counted, not listed."
    )


class SummaryModel(BaseModel):
    """Counts over all artifacts."""

    artifacts: int
    errors: int
    warnings: int
    infos: int
    suppressed: int
    internal_errors: int
    consequences: int = Field(description="Findings that follow from another one.")


class TimingsModel(BaseModel):
    """Own seconds: what is inside of something that is timed itself counts for that alone."""

    stages: dict[str, float]
    analyses: dict[str, float] = Field(description="Shared by rules; made when first asked for.")
    rules: dict[str, float]
    total: float = Field(description="The sum, over all processes.")


class ReportModel(BaseModel):
    """A report of `pte-lint check --format json`."""

    schema_version: Literal[1]
    tool: ToolModel
    target: TargetModel
    artifacts: list[ArtifactModel]
    notes: list[str] = Field(description="About the run: unused or expired ignore entries.")
    unread: list[str] = Field(
        default=[], description="Paths that could not be read, and why: nothing is said of them."
    )
    summary: SummaryModel
    timings: TimingsModel | None = Field(
        default=None, description="Only there when asked for (--timings)."
    )
