"""Puts very many damaged payloads of delegates through their readers.

    python -m tests.fuzz.payload_hunt --inputs 1000000 --stream 1

Each is a blob of an exported program, one for every kind of XNNPACK node, a library, code for a
GPU, or a payload of another backend, with one to three edits, cuts or repeats; each goes to every
reader, as a blob, as a compile spec and as a library. Nothing may raise, and none may take more
than a second of the processor.
"""

from __future__ import annotations

import tests.fuzz.checkout  # noqa: F401 - before anything of the package is imported

# isort: split
import argparse
import random
import resource
import sys
import time
from collections import Counter

from pte_lint.schema.delegates import describe_blob, read_library
from pte_lint.schema.program import Span

from tests.fuzz.reader_hunt import BACKENDS
from tests.fuzz.reader_inputs import blobs_of
from tests.fuzz.seeds import exported_seeds
from tests.fuzz.xnnpack_seeds import node_programs
from tests.schema.blob.files import gpu_code, library
from tests.schema.blob.test_chips import neutron_blob, qnn_blob, qnn_options
from tests.schema.mutations import mutate
from tests.support.coreml import coreml_blob
from tests.support.dumps import DATA
from tests.support.openvino import openvino_blob
from tests.support.tensorrt import tensorrt_blob
from tests.support.vela import vela_stream
from tests.support.vgf import vgf_blob
from tests.support.vulkan import tensor, vulkan_blob

SECONDS = 1.0
SPECS = (
    "qnn_compile_spec", "tosa_spec", "device", "target", "platform-config", "compute_units",
    "storage_type_override",
)  # fmt: skip
"""Compile specs that readers look at."""
EVERY = 20_000


def payloads() -> list[bytes]:
    """Sound payloads: blobs of programs, libraries, code for GPUs, a stream, a table of weights."""
    programs = [seed.file for seed in exported_seeds()] + [file for _, file in node_programs()]
    code = ("several.fatbin", "sm_90a.cuda13.cubin", "sm_100f.fatbin")
    libraries = ("model_sm_80_ptx.so", "model_nv_fatbin.so", "model_without_run.so")
    weights = b"ETCUDAFQN3" + (4).to_bytes(4, "little") + b"a_so" + bytes(4)
    programs += [file.read_bytes() for file in sorted((DATA / "delegates").glob("*.pte"))]
    return [
        *(blob for program in programs for blob in blobs_of(program) if blob),
        *map(gpu_code, code),
        *map(library, libraries),
        vela_stream(),
        vgf_blob(),
        vulkan_blob((tensor((2, 3)), tensor((2, 3)), tensor((3,), constant_id=0)), bytes(12)),
        tensorrt_blob(),
        coreml_blob(),
        b'CMJR{"version":1,"key":"k","functionName":"f"}',
        b'{"files":["f"],"packaging":"inline","hash":"ab","path":"ab/f"}',
        qnn_blob(),
        qnn_options(),
        neutron_blob(),
        bytes(4) + b"MP00" + bytes(16),
        openvino_blob(),
        openvino_blob(needs=None),
        weights,
    ]


def damaged(number: int, stream: int, seeds: list[bytes]) -> bytes:
    """The payload of a number: the same everywhere."""
    choice = random.Random(f"{stream} {number}")
    content = mutate(choice.choice(seeds), choice)
    kind = choice.random()
    if kind < 0.1:
        return content[: choice.randrange(len(content) + 1)]
    if kind < 0.15:
        at = choice.randrange(len(content))
        return content[:at] + content[at : at + choice.randrange(1, 200)] * 3 + content[at:]
    return content


def read(content: bytes) -> str:
    """Asks every reader; returns what the payload was taken for."""
    span = Span(0, len(content))
    specs = dict.fromkeys(SPECS, content)
    found = {describe_blob(each, content, span, specs).format for each in BACKENDS}
    library = read_library(content, span)
    return library.format or " or ".join(sorted(found - {""})) or "nothing"


def main() -> int:
    """Runs the command; 1 where an input took too long. An exception ends it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=10_000)
    parser.add_argument("--stream", type=int, default=1)
    given = parser.parse_args()
    seeds = payloads()
    kinds: Counter[str] = Counter()
    slowest = 0.0
    for number in range(given.inputs):
        content = damaged(number, given.stream, seeds)
        began = time.thread_time()
        try:
            kinds[read(content)] += 1
        except Exception:
            print(f"input {number} of stream {given.stream}", file=sys.stderr)
            raise
        slowest = max(slowest, time.thread_time() - began)
        if (number + 1) % EVERY == 0:
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            print(f"{number + 1} inputs, slowest {slowest:.3f} s, peak {peak} KiB", flush=True)
    print(dict(kinds.most_common(8)), f"slowest {slowest:.3f} s")
    return int(slowest > SECONDS)


if __name__ == "__main__":
    sys.exit(main())
