"""Runs every packed program on emulated and on real device memory and compares.

Made to stand alone in the folder that `hardware_pack.py` writes, on a machine with an NVIDIA GPU:

    python3 run.py --out results

writes results/hardware.json and results/hardware.md. Needs Python 3.10, a C++17 compiler and the
NVIDIA driver. Allocates a few kilobytes of device memory and changes no setting of the device.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
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
    from pte_lint.harness.driver import cuda_devices

    start = time.monotonic()
    devices = cuda_devices()
    if devices == 0:
        print("no CUDA device can be used here; nothing was run", file=sys.stderr)
        return NO_DEVICE
    predictions = json.loads((chosen.pack / "predictions.json").read_text(encoding="utf-8"))
    cases = [(name, version) for name in sorted(predictions) for version in VERSIONS]
    with ThreadPoolExecutor(max_workers=chosen.jobs) as pool:
        rows = list(
            pool.map(
                lambda case: compare(
                    chosen.pack / "programs" / case[0],
                    case[1],
                    predictions[case[0]].get(case[1], {}),
                    min(devices, 2),
                ),
                cases,
            )
        )
    result = {
        "machine": machine(),
        "devices": devices,
        "seconds": round(time.monotonic() - start, 1),
        "rows": [row for some in rows for row in some],
    }
    chosen.out.mkdir(parents=True, exist_ok=True)
    text = json.dumps(result, indent=1)
    (chosen.out / "hardware.json").write_text(text + "\n", encoding="utf-8")
    (chosen.out / "hardware.md").write_text(page(result), encoding="utf-8")
    apart = [row for row in result["rows"] if not row["same"]]
    print(f"{len(result['rows'])} runs in {result['seconds']} s, {len(apart)} differ")
    return 1 if apart else 0


def compare(
    path: Path, version: str, predicted: dict[str, Any], devices: int
) -> list[dict[str, Any]]:
    """One row for each method and variant of a program."""
    emulated = run(path, version, "emulated", devices)
    real = run(path, version, "cuda", devices)
    rows = []
    for one, other in zip(emulated.methods, real.methods, strict=True):
        for first in one.runs:
            second = other.run(first.variant)
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
                    "gpu_logs": list(second.logs[-4:]) if second else [],
                    "gpu_fault": second and second.fault and second.fault.address,
                }
            )
    return rows


def run(path: Path, version: str, memory: str, devices: int) -> ProbeRun:
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
