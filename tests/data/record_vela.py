"""Writes down what Vela says of each Ethos-U program under tests/data/delegates, in vela.json.

Development only: run it in the environment of make_files.py, after it. It exports the programs
again and takes Vela's own arrays before ExecuTorch packs them into a stream.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import logging
import sys
import warnings
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
FOLDER = HERE / "delegates"
NAMES = ("ethosu_u55_net", "ethosu_u55_pair", "ethosu_u85_net")


def told(arrays: Any) -> dict[str, Any]:
    """What is compared: sizes of the parts, inputs and outputs with their places."""
    return {
        "commands": int(arrays["cmd_data"].nbytes),
        "weights": int(arrays["weight_data"].nbytes),
        "scratch": int(arrays["scratch_shape"][0]),
        **{
            what: [
                {
                    "shape": [int(size) for size in arrays[f"{what}_shape"][n]],
                    "element": int(arrays[f"{what}_elem_size"][n]),
                    "offset": int(arrays[f"{what}_offset"][n]),
                    "region": int(arrays[f"{what}_region"][n]),
                }
                for n in range(len(arrays[f"{what}_shape"]))
            ]
            for what in ("input", "output")
        },
    }


def main() -> int:
    sys.path.insert(0, str(HERE))
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    packer = importlib.import_module("executorch.backends.arm.arm_vela")
    recipes = {r.name: r for r in importlib.import_module("recipes.registry").all_recipes()}
    pack, found, bad = packer.vela_bin_pack_io, dict[str, Any](), 0
    for name in NAMES:

        def noting(prefix: str, arrays: Any, name: str = name) -> bytes:
            found[name] = told(arrays)
            return pack(prefix, arrays)

        packer.vela_bin_pack_io = noting
        content = recipes[name].make().files[".pte"]
        same = (FOLDER / f"{name}.pte").read_bytes() == content
        print(name, hashlib.sha256(content).hexdigest()[:16], "" if same else "differs")
        bad += not same
    (FOLDER / "vela.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
