"""Runs the exported files on the installed runtime and records what it did, as truth.json.

Development only: needs the harness's runtime and compiler, not torch.

    python tests/data/record_truth.py            # the truth.json of each folder
    python tests/data/record_truth.py --compare  # write nothing, say what differs

Delegates that the runtime lacks are run by the harness's stand-ins, device memory is emulated. A
record is one line: the file, what a linter should think of it (``severity``, from the manifest),
and the outcome of each method and of the worst one (``overall``), in the words of
tests/support/agreement.py. ``minimal_verification`` is ``same`` where loading without full
verification changes nothing. A bundled program's record is that of the program inside.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from pte_lint.harness.driver import run_probe
from pte_lint.harness.outcome import ProbeRun, Step
from pte_lint.schema.loaded import read_bundled_program

HERE = Path(__file__).resolve().parent
FOLDERS = ("clean", "device", "refused")
VARIANTS = ("default", "rising")
_WORST = ("signal:", "timeout@", "_error:", "silent_wrong:")


def words(step: Step, remarks: tuple[str, ...] = ()) -> str:
    """The outcome of a step in the words of a record."""
    if step.outcome == "error":
        return f"{step.stage}_error:{step.error}"
    if step.outcome == "crash":
        return f"signal:{step.signal}@{step.stage}"
    if step.outcome == "undefined":
        return f"silent_wrong:{'; '.join(remarks)}"
    return "ok" if step.outcome == "ok" else f"{step.outcome}@{step.stage}"


def worst(outcomes: list[str]) -> str:
    """The first of the worst outcomes."""
    for kind in _WORST:
        for each in outcomes:
            if kind in each:
                return each
    return "ok"


def outcome_of(run: ProbeRun) -> tuple[str, dict[str, str]]:
    """The overall outcome and that of each method."""
    if run.program.outcome != "ok":
        return words(run.program), {}
    methods = {
        str(method.name): worst([words(each, each.remarks) for each in method.runs])
        for method in run.methods
    }
    return worst(list(methods.values())), methods


def record(entry: dict[str, Any], entries: list[dict[str, Any]]) -> dict[str, Any]:
    """The record of one program of the manifest."""
    path = HERE / entry["file"]
    data = [
        HERE / each["file"]
        for each in entries
        if each["file"].endswith(".ptd")
        and each["file"].startswith(f"{path.parent.name}/{path.stem}.")
    ]
    with tempfile.TemporaryDirectory() as folder:
        program = path
        if path.suffix == ".bpte":
            program = Path(folder) / "inner.pte"
            program.write_bytes(inner_program(path.read_bytes()))
        full, minimal = (
            outcome_of(run_probe(program, data=data, variants=VARIANTS, verification=each))
            for each in ("full", "minimal")
        )
    return {
        "file": path.name,
        "how_made": entry["how"],
        "expected_problem": entry["intent"],
        "severity": entry["severity"],
        "outcome": {
            "overall": full[0],
            "methods": full[1],
            "minimal_verification": "same" if full == minimal else minimal[0],
        },
        "data_files": [{"file": each.name, "given": True} for each in data],
    }


def inner_program(content: bytes) -> bytes:
    """The .pte inside a .bpte."""
    bundle = read_bundled_program(content).bundle
    assert bundle is not None
    assert bundle.program is not None
    return content[bundle.program.start : bundle.program.start + bundle.program.size]


def truth_of(folder: str) -> str:
    """The text of a folder's truth.json."""
    entries = json.loads((HERE / "manifest.json").read_text(encoding="utf-8"))
    mine = [each for each in entries if each["file"].startswith(f"{folder}/")]
    programs = [each for each in mine if not each["file"].endswith(".ptd")]
    lines = ",\n".join(json.dumps(record(each, mine)) for each in programs)
    return f"[\n{lines}\n]\n"


def main(arguments: list[str]) -> int:
    differing = 0
    for folder in FOLDERS:
        path = HERE / folder / "truth.json"
        text = truth_of(folder)
        if "--compare" not in arguments:
            path.write_text(text, encoding="utf-8")
            continue
        old, new = path.read_text(encoding="utf-8").splitlines(), text.splitlines()
        for line in sorted(set(new) - set(old)):
            print(f"now: {line}")
            differing += 1
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
