"""Packs what a machine with an NVIDIA GPU needs to compare emulated and real device memory.

    PYTHONPATH=build/devtree python scripts/hardware_pack.py build/hardware

The folder then holds the probe, built and as sources, the headers and libraries of the installed
executorch wheel, the device programs of the tests, what pte-lint predicts for each and how many
devices it asks for, and `run.py`. Carry it to the other machine (Python 3.10 or later, an NVIDIA
driver; no network, no packages, no CUDA toolkit; a C++17 compiler only where the built probe does
not start) and run there:

    python3 hardware/run.py --out results
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

from pte_lint import check
from pte_lint.claims.result import ArtifactReport, Verdict
from pte_lint.claims.target import Target
from pte_lint.data.reading import open_context
from pte_lint.files.artifact import open_artifact
from pte_lint.harness.build import build_probe
from pte_lint.harness.wheel import Wheel, find_wheel

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = (ROOT / "tests/data/device", ROOT / "tests/harness/files")
VERSIONS = ("1.5", "1.4")
PACKAGE = (
    "__init__.py",
    "_version.py",
    "files/__init__.py",
    "files/state.py",
    "text/__init__.py",
    "text/notice.py",
)
"""What the harness needs of the other rooms."""
SCHEMA = ("schema/__init__.py", "schema/frozen.py")
"""And of what stands at the top of the repository."""


def main(arguments: list[str] | None = None) -> int:
    """Writes the folder; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where to put it; emptied first")
    parser.add_argument(
        "--programs", type=Path, nargs="+", default=FOLDERS, help="folders of .pte files"
    )
    chosen = parser.parse_args(arguments)
    shutil.rmtree(chosen.folder, ignore_errors=True)
    chosen.folder.mkdir(parents=True)
    pack_package(chosen.folder / "pte_lint")
    pack_wheel(find_wheel(), chosen.folder / "executorch")
    shutil.copy(build_probe().path, chosen.folder / "probe")
    shutil.copyfile(ROOT / "scripts/hardware_run.py", chosen.folder / "run.py")
    predictions = pack_programs(chosen.programs, chosen.folder / "programs")
    text = json.dumps(predictions, indent=1, sort_keys=True)
    (chosen.folder / "predictions.json").write_text(text + "\n", encoding="utf-8")
    size = sum(path.stat().st_size for path in chosen.folder.rglob("*") if path.is_file())
    print(f"{len(predictions)} programs, {size / 1e6:.1f} MB in {chosen.folder}")
    return 0


def pack_package(target: Path) -> None:
    """The harness alone: it needs nothing but the standard library."""
    for name, root in (*((n, ROOT / "pte_lint") for n in PACKAGE), *((n, ROOT) for n in SCHEMA)):
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / name, target / name)
    shutil.copytree(
        ROOT / "pte_lint/harness", target / "harness", ignore=shutil.ignore_patterns("__pycache__")
    )


def pack_wheel(wheel: Wheel, target: Path) -> None:
    """The headers and the libraries that the probe links."""
    (target / "lib").mkdir(parents=True)
    for library in wheel.libraries():
        shutil.copyfile(library, target / "lib" / library.name)
    shutil.copytree(wheel.root / "include", target / "include")
    shutil.copyfile(wheel.root / "version.py", target / "version.py")


def pack_programs(folders: Iterable[Path], target: Path) -> dict[str, object]:
    """Copies the programs that have to do with devices; returns the predictions for each."""
    target.mkdir()
    predictions: dict[str, object] = {}
    for path in sorted(path for folder in folders for path in folder.glob("*.pte")):
        (report,) = check(path).artifacts
        if path.name not in predictions and about_devices(path):
            shutil.copyfile(path, target / path.name)
            predictions[path.name] = {**predicted(report), "devices": devices_of(path)}
    return predictions


def devices_of(path: Path) -> int:
    """How many devices a program asks for: one more than the largest index in it."""
    with open_artifact(path) as artifact:
        context = open_context(artifact, Target(), (), {})
        places = [
            place
            for method in context.methods
            for v in method.tensors
            for place in (method.home(v).device, method.tag(v))
        ]
    return 1 + max((place.index for place in places if not place.is_host), default=0)


def about_devices(path: Path) -> bool:
    """Whether a program asks for a device, as far as its bytes show.

    Every such program has the name of a copy kernel or the compile spec of a device delegate.
    """
    data = path.read_bytes()
    return b"et_copy::" in data or b"target_device" in data


def predicted(report: ArtifactReport) -> dict[str, object]:
    """For each runtime version and method, what pte-lint says will happen."""
    return {
        version: {verdict.method or "": words(verdict) for verdict in report.runs_on[version]}
        for version in VERSIONS
        if version in report.runs_on
    }


def words(verdict: Verdict) -> dict[str, str | None]:
    """A verdict as plain JSON."""
    return {
        "stage": str(verdict.stage.value),
        "outcome": str(verdict.outcome.value),
        "error": verdict.error,
        "signal": verdict.signal,
        "rule": verdict.rule,
    }


if __name__ == "__main__":
    sys.exit(main())
