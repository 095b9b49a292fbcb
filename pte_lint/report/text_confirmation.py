"""What the real runtime showed, as text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from pte_lint.claims.finding import Confirmation, Json
from pte_lint.report.layout import Painter, labelled, wrap
from pte_lint.report.phrases import status_words
from pte_lint.report.text_values import value_lines

_STYLES: Final = {"confirmed": "good", "confirmed_by_repair": "good", "refuted": "error"}
_LOGS: Final = 2
"""Log lines shown: the first ones name the cause, and JSON has them all."""
_ARGUMENT: Final = re.compile(r"arg \d+ with type id \d+")
"""The runtime lists a failing kernel's arguments, which says nothing to a reader."""


def confirmation_lines(
    confirmation: Confirmation, indent: str, paint: Painter, logs: bool = True
) -> Iterator[str]:
    """Renders a confirmation: status and reason, the runtime's log, what older runtimes do."""
    evidence = confirmation.evidence
    status = confirmation.status
    label = f"{status_words(confirmation)}: "
    reason = str(evidence.get("reason", ""))
    yield from labelled(label, reason, indent, paint, style=_STYLES.get(status, "dim"))
    sign = evidence.get("sign")
    if sign is not None:
        yield from wrap(str(sign), indent + "     ", indent + "   ")
    elif logs and status != "unsupported":
        yield from _log_lines(evidence, indent + "   ")
    minimal = evidence.get("minimal_verification")
    if isinstance(minimal, Mapping) and minimal.get("status") != "unsupported":
        text = f"{minimal['status']}: {minimal['reason']}"
        yield from labelled("minimal verification: ", text, indent, paint)
    yield from value_lines(evidence, indent, paint)
    older = evidence.get("older_runtimes")
    if isinstance(older, Mapping):
        for version, shown in older.items():
            text = f"{shown['status']}: {shown['reason']}{_fault(shown)}"
            yield from labelled(f"{ran_on(version, shown)}: ", text, indent, paint)


def ran_on(version: str, shown: Mapping[str, Json]) -> str:
    """What ran for an older version: its own runtime, or a replay."""
    own = shown.get("ran_on")
    return f"executorch {version} replayed" if "replayed" in shown or not own else str(own)


def _log_lines(evidence: Mapping[str, Json], indent: str) -> Iterator[str]:
    lines = evidence.get("logs")
    if isinstance(lines, list | tuple):
        told = [str(line) for line in lines if not _ARGUMENT.search(str(line))]
        for line in told[:_LOGS]:
            yield from wrap(line, indent + "  ", indent)


def _fault(shown: Mapping[str, Json]) -> str:
    seen = shown.get("seen")
    if not isinstance(seen, Mapping) or not seen.get("address"):
        return ""
    where = seen.get("address_in")
    return f", at address {seen['address']}" + (f" on {where}" if where else "")


def copied(confirmation: Confirmation) -> str:
    """`0 bytes copied to the device, 256 back`, or nothing where no method ran."""
    total = confirmation.evidence.get("bytes_copied")
    if not isinstance(total, Mapping):
        return ""
    return f"{total['host_to_device']} bytes copied to the device, {total['device_to_host']} back"
