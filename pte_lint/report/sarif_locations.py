"""Places of findings as SARIF locations."""

from __future__ import annotations

from pathlib import PureWindowsPath
from urllib.parse import quote

from pte_lint.claims.finding import Finding, Json
from pte_lint.claims.result import ArtifactReport
from pte_lint.files.remote.address import is_address, with_slashes
from pte_lint.report.options import Listing
from pte_lint.text import sanitise


def artifact_uri(path: str) -> str:
    """A path as a URI: relative ones stay relative, as GitHub wants them; an address is one.

    Bytes of a file name that are not UTF-8 keep their value, in percent escapes.
    """
    if is_address(path):
        # What is an escape already stays one.
        return quote(sanitise.exact(path), safe="/:?#[]@!$&'()*+,;=%~")
    posix = path.replace("\\", "/") if PureWindowsPath(path).drive else with_slashes(path)
    if len(posix) > sanitise.EXACT_LIMIT:
        posix = sanitise.exact(posix)
    try:
        quoted = quote(posix.encode("utf-8", "surrogateescape"), safe="/")
    except UnicodeEncodeError:
        quoted = quote(sanitise.exact(posix), safe="/")
    if posix.startswith("/"):
        return f"file://{quoted}"
    if PureWindowsPath(path).drive:
        return f"file:///{quoted.replace('%3A', ':', 1)}"
    return quoted


def location(finding: Finding, artifact: ArtifactReport, number: int) -> dict[str, Json]:
    """Where a finding is: line 1 for viewers, the byte for tools, the logical path for readers."""
    at = finding.location
    region: dict[str, Json] = {"startLine": 1}
    if at.byte_offset is not None and 0 <= at.byte_offset <= artifact.size:
        region["byteOffset"] = at.byte_offset
        # The first byte of the structure; where the file ends there, an empty region.
        region["byteLength"] = min(1, artifact.size - at.byte_offset)
    made: dict[str, Json] = {
        "physicalLocation": {
            "artifactLocation": {"uri": artifact_uri(artifact.path), "index": number},
            "region": region,
        }
    }
    logical: list[Json] = []
    if at.path:
        logical.append(_logical(at.path, "member"))
    if finding.method:
        logical.append(_logical(finding.method, "function"))
    if logical:
        made["logicalLocations"] = logical
    return made


def listing_uri(path: str) -> str:
    """The name under which the instructions of a program are attached."""
    return f"{artifact_uri(path)}.instructions.txt"


def attach(
    result: dict[str, Json], finding: Finding, path: str, listing: Listing, index: int
) -> None:
    """Attaches the instructions to a result, with the line that it is about.

    Args:
        result: the result, which is changed.
        finding: what it tells.
        path: the program.
        listing: its instructions.
        index: the listing's position in the run's list of artifacts.
    """
    at, plan = finding.location.instruction, finding.plan
    line = None if at is None or plan is None else listing.lines.get((plan, at))
    if line is None:
        return
    result["attachments"] = [
        {
            "description": {"text": "the instruction"},
            "artifactLocation": {"uri": listing_uri(path), "index": index},
            "regions": [{"startLine": line}],
        }
    ]


def source_locations(finding: Finding) -> list[Json]:
    """The lines of the model's Python source that an instruction comes from, innermost first."""
    related: list[Json] = []
    for number, line in enumerate(reversed(finding.source)):
        region: dict[str, Json] = {"startLine": max(line.line, 1)}
        if line.text:
            region["snippet"] = {"text": sanitise.prose(line.text)}
        function = f" in {sanitise.name(line.function)}" if line.function else ""
        related.append(
            {
                "id": number,
                "physicalLocation": {
                    "artifactLocation": {"uri": artifact_uri(line.file)},
                    "region": region,
                },
                "message": {"text": f"the model's source{function}"},
            }
        )
    return related


def _logical(full: str, kind: str) -> dict[str, Json]:
    return {
        "fullyQualifiedName": sanitise.name(sanitise.exact(full), sanitise.EXACT_LIMIT),
        "kind": kind,
    }
