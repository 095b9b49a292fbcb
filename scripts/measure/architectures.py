"""Exports many architectures, runs them, and compares results and verdicts with PyTorch's.

    cd scripts && PYTHONPATH=../build/devtree python -m measure.architectures --write results.json

Each network is exported with a contiguous and with a channels-last example input, once more in
other ways that take turns (a batch of changing size, XNNPACK, 8 bits), run with ExecuTorch's Python
bindings, and compared with the module itself on the same inputs. Each is a process of its own: some
crash. torchvision, timm and transformers are used where they are installed.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

Record = dict[str, Any]
LAYOUTS = ("channels-last", "contiguous")
WAYS = ("portable", "xnnpack", "quantised")
BATCHES = ("fixed", "dynamic")
Form = tuple[str, str, str]
"""Layout, way, batch."""
_OTHER_FORMS: tuple[Form, ...] = tuple(
    (layout, way, batch)
    for batch in BATCHES
    for way in WAYS
    for layout in LAYOUTS
    if (way, batch) != ("portable", "fixed")
)
_SECONDS = 240
_TOLERANCE = {"portable": 1e-2, "xnnpack": 1e-2, "quantised": 0.1}
"""Of the largest absolute value: float32 in another order of summation stays far below, and 8 bits
round a few steps elsewhere."""


def every_network() -> list[tuple[str, Any, tuple[int, ...]]]:
    """Name, maker and sizes of the input of each that can be made here."""
    from measure.blocks import networks, torchvision_networks
    from measure.others import language_networks, timm_networks

    found = list(networks())
    try:
        found += torchvision_networks()
    except ImportError:
        print("without torchvision")
    return [*found, *timm_networks(), *language_networks()]


def _export(name: str, form: Form) -> tuple[Any, list[Any], bytes]:
    import torch
    from executorch.exir import to_edge, to_edge_transform_and_lower

    layout, way, batch = form
    torch.manual_seed(7)
    make, sizes = next((make, sizes) for n, make, sizes in every_network() if n == name)
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
    counts = (2,) if batch == "dynamic" else (sizes[0],)
    inputs = [torch.randn((n, *sizes[1:])) for n in (*counts, *(1, 3)[: len(counts) * 2])]
    if batch != "dynamic":
        inputs = inputs[:1]
    if layout != "contiguous":
        wanted = {4: torch.channels_last, 5: torch.channels_last_3d}[len(sizes)]
        inputs = [x.to(memory_format=wanted) for x in inputs]
        if way == "portable":  # the other ways take weights in the default order only
            model = model.to(memory_format=wanted)
    shapes = None
    if batch == "dynamic":
        shapes = ({0: torch.export.Dim("batch", min=1, max=4)},)
    exported = torch.export.export(model, (inputs[0],), dynamic_shapes=shapes)
    if way == "quantised":
        model = _quantised(exported, inputs[0])
        exported = torch.export.export(model, (inputs[0],), dynamic_shapes=shapes)
    if way == "portable":
        return model, inputs, to_edge(exported).to_executorch().buffer
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner

    edge = to_edge_transform_and_lower(exported, partitioner=[XnnpackPartitioner()])
    return model, inputs, edge.to_executorch().buffer


def _quantised(exported: Any, x: Any) -> Any:
    from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
        XNNPACKQuantizer,
        get_symmetric_quantization_config,
    )
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

    quantizer = XNNPACKQuantizer().set_global(get_symmetric_quantization_config())
    prepared = prepare_pt2e(exported.module(), quantizer)
    prepared(x)
    return convert_pt2e(prepared)


def _measure(name: str, form: Form, folder: str, send: Any) -> None:
    """One network in one layout; the program is kept for the verdict."""
    warnings.filterwarnings("ignore")
    import torch

    torch.set_num_threads(1)
    try:
        model, inputs, data = _export(name, form)
    except Exception as error:
        send.send({"outcome": "not exported", "why": f"{type(error).__name__}: {error}"[:200]})
        return
    path = Path(folder) / f"{name} {' '.join(form)}.pte".replace(" ", "_")
    path.write_bytes(data)
    send.send({"path": str(path)})
    from executorch.extension.pybindings import portable_lib

    worst = 0.0
    for x in inputs:
        with torch.no_grad():
            wanted = model(x)
        try:
            (got,) = portable_lib._load_for_executorch_from_buffer(data).forward([x])
        except RuntimeError as error:
            send.send({"outcome": "error", "why": str(error)[:120]})
            return
        scale = max(float(wanted.abs().max()), 1e-6)
        difference = (got.double() - wanted.double()).abs().max()
        worst = max(worst, 1e9 if difference.isnan() else float(difference) / scale)
    outcome = "ok" if worst < _TOLERANCE[form[1]] else "wrong"
    send.send({"outcome": outcome, "difference": worst})


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


def measure(name: str, form: Form, folder: str) -> Record:
    """Runs one network in a process of its own."""
    here, there = multiprocessing.Pipe()
    process = multiprocessing.Process(target=_measure, args=(name, form, folder, there))
    process.start()
    there.close()
    record: Record = dict(zip(("name", "layout", "way", "batch"), (name, *form), strict=True))
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


def forms(
    networks: list[tuple[str, Any, tuple[int, ...]]], only: str, turns: Sequence[int] = (0, 1, 2)
) -> Iterator[tuple[str, Form]]:
    """What to export, in which form: contiguous, in one of the other forms, channels-last."""
    for turn in turns:
        for n, (name, _, sizes) in enumerate(networks):
            if only not in name:
                continue
            is_image = len(sizes) in (4, 5)
            if turn == 0 or (turn == 2 and is_image):
                yield name, (LAYOUTS[turn == 0], "portable", "fixed")
            elif turn == 1:
                layout, way, batch = _OTHER_FORMS[n % len(_OTHER_FORMS)]
                yield name, (layout if is_image else "contiguous", way, batch)


def main() -> int:
    """Runs all or some networks, and prints what does not agree."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path)
    parser.add_argument("--folder", default="/tmp")
    parser.add_argument("--only", default="")
    parser.add_argument(
        "--turns", type=int, nargs="*", default=(0, 1, 2), help="contiguous, other, channels-last"
    )
    parser.add_argument(
        "--seconds", type=float, default=math.inf, help="begin no export after so long"
    )
    options = parser.parse_args()
    # What is imported here is not imported again in each of the processes.
    import executorch.backends.xnnpack.partition.xnnpack_partitioner
    import executorch.exir
    import executorch.extension.pybindings.portable_lib
    import executorch.kernels.quantized  # noqa: F401

    records = []
    begun = time.monotonic()
    for name, form in forms(every_network(), options.only, options.turns):
        if time.monotonic() - begun > options.seconds:
            print(f"stopped before {name}")
            break
        record = measure(name, form, options.folder)
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
