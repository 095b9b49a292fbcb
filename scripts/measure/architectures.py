"""Exports many architectures, runs them, and compares results and verdicts with PyTorch's.

    PYTHONPATH=build/devtree:scripts python -m measure.architectures --write results.json

Each network is exported with a contiguous and with a channels-last example input, run with
ExecuTorch's Python bindings on the host's own kernels, and compared with the module itself on the
same input. Each is a process of its own: some crash.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import warnings
from pathlib import Path
from typing import Any

Record = dict[str, Any]
LAYOUTS = ("channels-last", "contiguous")
_SECONDS = 240
_TOLERANCE = 1e-2
"""Of the largest absolute value: float32 in another order of summation stays far below."""


def _export(name: str, layout: str) -> tuple[Any, Any, bytes]:
    import torch
    from executorch.exir import to_edge

    from measure.blocks import networks, torchvision_networks

    torch.manual_seed(7)
    known = {n: (make, sizes) for n, make, sizes in networks()}
    if name not in known:
        known = {n: (make, sizes) for n, make, sizes in torchvision_networks()}
    make, sizes = known[name]
    model = make().eval()
    for module in model.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            # Freshly made ones do nearly nothing.
            torch.nn.init.uniform_(module.running_mean, -0.1, 0.1)
            torch.nn.init.uniform_(module.running_var, 0.5, 1.5)
    for parameter in model.parameters():
        if parameter.dim() > 1 and not parameter.any():
            # A head of zeros gives zeros whatever comes before it.
            torch.nn.init.normal_(parameter, std=0.1)
    x = torch.randn(sizes)
    if layout != "contiguous":
        wanted = {4: torch.channels_last, 5: torch.channels_last_3d}[len(sizes)]
        x = x.to(memory_format=wanted)
        model = model.to(memory_format=wanted)
    program = to_edge(torch.export.export(model, (x,))).to_executorch()
    return model, x, program.buffer


def _measure(name: str, layout: str, folder: str, send: Any) -> None:
    """One network in one layout; the program is kept for the verdict."""
    warnings.filterwarnings("ignore")
    import torch

    torch.set_num_threads(1)
    try:
        model, x, data = _export(name, layout)
    except Exception as error:
        send.send({"outcome": "not exported", "why": f"{type(error).__name__}: {error}"[:200]})
        return
    path = Path(folder) / f"{name} {layout}.pte".replace(" ", "_")
    path.write_bytes(data)
    send.send({"path": str(path)})
    from executorch.extension.pybindings import portable_lib

    with torch.no_grad():
        wanted = model(x)
    try:
        got = portable_lib._load_for_executorch_from_buffer(data).forward([x])
    except RuntimeError as error:
        send.send({"outcome": "error", "why": str(error)[:120]})
        return
    worst = 0.0
    for mine, theirs in zip(got, [wanted], strict=True):
        scale = max(float(theirs.abs().max()), 1e-6)
        difference = (mine.double() - theirs.double()).abs().max()
        worst = max(worst, 1e9 if difference.isnan() else float(difference) / scale)
    send.send({"outcome": "ok" if worst < _TOLERANCE else "wrong", "difference": worst})


def _verdict(path: str) -> Record:
    import pte_lint

    report = pte_lint.check(path).artifacts[0]
    first = report.verdict[0]
    errors = [f for f in report.findings if str(f.severity) == "error"]
    return {
        "verdict": str(first.outcome),
        "rule": first.rule,
        "operators": sorted({f.location.operator or "" for f in errors}),
        "warnings": sorted({f.rule for f in report.findings if str(f.severity) == "warning"}),
    }


def measure(name: str, layout: str, folder: str) -> Record:
    """Runs one network in a process of its own."""
    here, there = multiprocessing.Pipe()
    process = multiprocessing.Process(target=_measure, args=(name, layout, folder, there))
    process.start()
    there.close()
    record: Record = {"name": name, "layout": layout}
    while here.poll(_SECONDS):
        try:
            record |= here.recv()
        except EOFError:
            break
    process.join(1)
    if process.is_alive():
        process.kill()
    record.setdefault("outcome", "crash")
    if "path" in record:
        record |= _verdict(record["path"])
        Path(record.pop("path")).unlink()
    return record


def agrees(record: Record) -> bool:
    """Whether verdict and outcome say the same; a crash may be undefined behaviour."""
    said, seen = record.get("verdict"), record["outcome"]
    if seen == "not exported":
        return True
    return said == seen or (said == "undefined" and seen in ("crash", "wrong"))


def main() -> int:
    """Runs all or some networks, and prints what does not agree."""
    from measure.blocks import networks, torchvision_networks

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path)
    parser.add_argument("--folder", default="/tmp")
    parser.add_argument("--only", default="")
    parser.add_argument("--no-torchvision", action="store_true")
    options = parser.parse_args()
    every = list(networks())
    if not options.no_torchvision:
        every += torchvision_networks()
    # What is imported here is not imported again in each of the processes.
    import executorch.exir
    import executorch.extension.pybindings.portable_lib
    import executorch.kernels.quantized  # noqa: F401

    records = []
    for name, _, sizes in every:
        if options.only not in name:
            continue
        for layout in LAYOUTS if len(sizes) in (4, 5) else LAYOUTS[1:]:
            record = measure(name, layout, options.folder)
            records.append(record)
            if not agrees(record) or record.get("warnings"):
                print("DIFFERS", json.dumps(record), flush=True)
            if options.write:
                options.write.write_text(json.dumps(records, indent=0))
    bad = sum(not agrees(record) for record in records)
    print(f"{len(records)} exports of {len({r['name'] for r in records})} networks, {bad} differ")
    return bool(bad)


if __name__ == "__main__":
    multiprocessing.set_start_method("fork")
    sys.exit(main())
