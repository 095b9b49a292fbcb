"""Runs every packed program on emulated and on real device memory and compares.

Made to stand alone in the folder that `hardware_pack.py` writes, on a machine with an NVIDIA GPU:

    python3 run.py --out results

writes results/hardware.json and results/hardware.md, also where something goes wrong on the way.
Needs Python 3.10 and the NVIDIA driver; a C++17 compiler where the probe that was packed does not
start. Allocates a few kilobytes of device memory and changes no setting of the device.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

HERE = Path(__file__).resolve().parent
if (HERE / "pte_lint").is_dir():
    sys.path.insert(0, str(HERE))
    os.environ.setdefault("PTE_LINT_EXECUTORCH", str(HERE / "executorch"))
    os.environ.setdefault("PTE_LINT_CACHE_DIR", str(HERE / "cache"))

if TYPE_CHECKING:
    from pte_lint.harness.outcome import MethodRun, ProbeRun

VERSIONS = ("1.5", "1.4")
VARIANTS = ("default", "host_inputs", "device_inputs", "outputs_not_given")
NO_DEVICE = 4


def main(arguments: list[str] | None = None) -> int:
    """Runs and writes; 0 if GPU and emulation agree everywhere, 1 if not, 4 without a GPU."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("results"))
    parser.add_argument("--pack", type=Path, default=HERE, help="the packed folder")
    parser.add_argument("--jobs", type=int, default=min(8, os.cpu_count() or 1))
    chosen = parser.parse_args(arguments)
    start = time.monotonic()
    result: dict[str, Any] = {"machine": machine(), "devices": 0, "notes": [], "rows": []}
    try:
        status = _run(chosen, result)
    except BaseException as error:  # also when it is interrupted: what was learnt is kept
        result["notes"].append(f"ended by {type(error).__name__}: {error}")
        raise
    finally:
        result["rows"].sort(key=lambda row: (row["file"], VERSIONS.index(row["runtime"])))
        result["seconds"] = round(time.monotonic() - start, 1)
        chosen.out.mkdir(parents=True, exist_ok=True)
        text = json.dumps(result, indent=1)
        (chosen.out / "hardware.json").write_text(text + "\n", encoding="utf-8")
        (chosen.out / "hardware.md").write_text(page(result), encoding="utf-8")
        for note in result["notes"]:
            print(note, file=sys.stderr)
    apart = sum(not row["same"] for row in result["rows"])
    print(f"{len(result['rows'])} runs in {result['seconds']} s, {apart} differ")
    return status


def _run(chosen: argparse.Namespace, result: dict[str, Any]) -> int:
    """Fills in the result as it goes; returns the exit status."""
    from pte_lint.harness.driver import cuda_devices, cuda_problem

    notes, rows = result["notes"], result["rows"]
    take_packed_probe(chosen.pack, notes)
    devices = result["devices"] = cuda_devices()
    if devices == 0:
        notes.append(f"no CUDA device can be used here ({cuda_problem()}); nothing was run")
        return NO_DEVICE
    predictions = json.loads((chosen.pack / "predictions.json").read_text(encoding="utf-8"))
    asked = {name: said.get("devices", 1) for name, said in predictions.items()}
    left_out = sorted(name for name in predictions if asked[name] > devices)
    if left_out:
        notes.append(f"left out, for want of as many devices: {', '.join(left_out)}")
    cases = [
        (name, version)
        for name in sorted(predictions)
        for version in VERSIONS
        if name not in left_out
    ]
    failed = 0
    with ThreadPoolExecutor(max_workers=chosen.jobs) as pool:
        running = {
            pool.submit(
                compare,
                chosen.pack / "programs" / name,
                version,
                predictions[name].get(version, {}),
                min(devices, 2),
            ): (name, version)
            for name, version in cases
        }
        for done in as_completed(running):
            try:
                rows += done.result()
            except Exception as error:
                failed += 1
                name, version = running[done]
                notes.append(f"{name} on {version} failed: {type(error).__name__}: {error}")
    unfenced = sorted({row["file"] for row in rows if not row["fenced"]})
    if unfenced:
        notes.append(f"unfenced, since it differs or does not run in the fence: {unfenced}")
    return 1 if failed or not all(row["same"] for row in rows) else 0


def take_packed_probe(pack: Path, notes: list[str]) -> None:
    """Takes the probe that was packed; where it does not start, one is built of its sources."""
    from pte_lint.harness.build import adopt
    from pte_lint.harness.driver import starts

    packed = pack / "probe"
    if not packed.is_file():
        return
    folders = (str(pack / "executorch/lib"), os.environ.get("LD_LIBRARY_PATH", ""))
    os.environ["LD_LIBRARY_PATH"] = os.pathsep.join(filter(None, folders))
    packed.chmod(0o700)
    adopt(packed)
    if not starts():
        adopt(None)
        notes.append("the probe that was packed does not start here: it is built of its sources")


def compare(
    path: Path, version: str, predicted: dict[str, Any], devices: int
) -> list[dict[str, Any]]:
    """One row for each method and variant of a program."""
    emulated = run(path, version, "emulated", devices)
    rows = fenced = rows_of(path, version, predicted, emulated, devices=devices)
    if not fenced or not all(row["same"] for row in fenced):
        # The driver may want what the fence does not give: where the two agree without it, it did.
        rows = rows_of(path, version, predicted, emulated, devices=devices, unfenced=True)
        if fenced and not all(row["same"] for row in rows):
            return fenced
    return rows


def rows_of(
    path: Path,
    version: str,
    predicted: dict[str, Any],
    emulated: ProbeRun,
    *,
    devices: int,
    unfenced: bool = False,
) -> list[dict[str, Any]]:
    """The rows with the device behind a fence or without one; none where the fence cannot be."""
    from pte_lint.harness.errors import HarnessUnavailable

    try:
        real = run(path, version, "cuda", devices, unfenced)
    except HarnessUnavailable:
        if unfenced:
            raise
        return []
    rows = []
    for number, one in enumerate(emulated.methods):
        # Where the process dies early, as a driver may in the fence, methods are missing.
        other = real.methods[number] if number < len(real.methods) else None
        for first in one.runs:
            second = other.run(first.variant) if other else None
            said = predicted.get(one.name or "") if first.variant == "default" else None
            rows.append(
                {
                    "file": path.name,
                    "method": one.name,
                    "runtime": version,
                    "variant": first.variant,
                    "rule": said and said["rule"],
                    "predicted": said and words(said),
                    "emulated": seen(first),
                    "gpu": seen(second) if second else "not run",
                    "same": second is not None and facts(first) == facts(second),
                    "fenced": not unfenced,
                    "gpu_logs": list(second.logs[-4:]) if second else [],
                    "gpu_fault": second and second.fault and second.fault.address,
                }
            )
    return rows


def run(path: Path, version: str, memory: str, devices: int, unfenced: bool = False) -> ProbeRun:
    """One program on one kind of memory."""
    from pte_lint.harness.driver import run_probe

    return run_probe(
        path,
        variants=VARIANTS,
        device_memory=memory,
        devices=devices,
        as_runtime=None if version == "1.5" else version,
        describe=False,
        timeout=60,
        unfenced=unfenced,
        bare=unfenced,
    )


def words(said: dict[str, Any]) -> str:
    """A verdict or an outcome in one line."""
    why = said.get("signal") or said.get("error") or said["outcome"]
    return f"{why} at {said['stage']}" if why != "ok" else "ok"


def seen(step: MethodRun) -> str:
    """What a run did, in one line."""
    text = words(
        {
            "stage": step.stage,
            "outcome": step.outcome,
            "error": step.error,
            "signal": step.signal,
        }
    )
    return text + (f" ({step.fault.address_in})" if step.fault and step.fault.address_in else "")


def facts(step: MethodRun) -> tuple[Any, ...]:
    """What has to be the same on both kinds of memory."""
    place = step.fault and (step.fault.address_in, step.fault.offset)
    return (
        (step.stage, step.outcome, step.error, step.signal, place),
        [(copy.op, copy.bytes, copy.error, copy.digest) for copy in step.copies],
        step.outputs,
    )


def machine() -> dict[str, str]:
    """The GPU and the machine, for the record."""
    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    try:
        done = subprocess.run(query, capture_output=True, text=True, check=False, timeout=30)
        gpu = done.stdout.strip().splitlines()
    except (OSError, subprocess.TimeoutExpired):
        gpu = []
    return {
        "gpu": gpu[0] if gpu else "unknown",
        "system": platform.platform(),
        "python": platform.python_version(),
        "date": datetime.now(timezone.utc).strftime("%Y-%m-%d"),
    }


def page(result: dict[str, Any]) -> str:
    """The Markdown table."""
    rows = result["rows"]
    apart = sum(not row["same"] for row in rows)
    lines = [
        "# Emulated device memory against a real GPU",
        "",
        f"{result['machine']['gpu']}, {result['machine']['date']}; {len(rows)} runs of "
        f"{len({row['file'] for row in rows})} programs in {result['seconds']} s, "
        f"{apart} differ.",
        "",
        *(f"- {note}" for note in result["notes"]),
        "",
        "| program | method | runtime | variant | finding | predicted | emulated | on the GPU |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for row in rows:
        gpu = row["gpu"] if row["same"] else f"**{row['gpu']}**"
        cells = [row["file"], row["method"], row["runtime"], row["variant"], row["rule"]]
        cells += [row["predicted"], row["emulated"], gpu]
        lines.append(
            "| " + " | ".join(str(cell or "").replace("|", "\\|") for cell in cells) + " |"
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
