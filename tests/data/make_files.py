"""Exports the programs under tests/data and writes manifest.json beside them.

Development only: run it in an environment with torch 2.13.0 (CPU) and executorch 1.5.1.

    python tests/data/make_files.py                 # every file
    python tests/data/make_files.py add_default     # some, by name
    python tests/data/make_files.py --compare       # export again, write nothing, say what differs

Files that the Python package's own runtime can run are run before they are written, and refused
when their outputs differ from PyTorch's. On one machine these two versions gave the same bytes
each time; another version of either gives other bytes.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
import logging
import sys
import warnings
from pathlib import Path

HERE = Path(__file__).resolve().parent
MANIFEST = HERE / "manifest.json"
VERSIONS = {"torch": "2.13.0", "executorch": "1.5.1"}


def versions_differ() -> list[str]:
    """Says which installed package is not the version the committed files were made with."""
    metadata = importlib.import_module("importlib.metadata")
    found = {name: metadata.version(name).split("+")[0] for name in VERSIONS}
    return [f"{n} {found[n]} instead of {VERSIONS[n]}" for n in VERSIONS if found[n] != VERSIONS[n]]


def write_manifest(entries: dict[str, dict[str, object]]) -> None:
    """Writes the manifest: one JSON object a line, sorted by file."""
    lines = ",\n".join(json.dumps(entries[file]) for file in sorted(entries))
    MANIFEST.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def read_manifest() -> dict[str, dict[str, object]]:
    """The manifest's entries by file, empty when there is none."""
    if not MANIFEST.exists():
        return {}
    return {entry["file"]: entry for entry in json.loads(MANIFEST.read_text(encoding="utf-8"))}


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="recipe names; all when left out")
    parser.add_argument("--compare", action="store_true", help="write nothing, compare")
    options = parser.parse_args(arguments)
    sys.path.insert(0, str(HERE))
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    for problem in versions_differ():
        print(f"warning: {problem}; the files will differ", file=sys.stderr)
    recipes = importlib.import_module("recipes.registry")
    checked = importlib.import_module("recipes.checked_run")
    chosen = [r for r in recipes.all_recipes() if not options.names or r.name in options.names]
    if not chosen:
        print("no recipe has that name", file=sys.stderr)
        return 2
    entries = {} if not options.names else read_manifest()
    bad = 0
    for recipe in chosen:
        exported = recipe.make()
        proof = checked.run(exported, recipe.intent)
        for suffix, content in sorted(exported.files.items()):
            file = f"{recipe.folder}/{recipe.name}{suffix}"
            path = HERE / file
            same = path.exists() and path.read_bytes() == content
            print(f"{file:60} {len(content):7} {proof}{'' if same else '  changed'}")
            bad += not same
            if options.compare:
                continue
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content)
            entries[file] = {
                "file": file,
                "how": recipe.how,
                "intent": recipe.intent,
                "severity": recipe.severity,
                "runs": proof,
                "bytes": len(content),
                "sha256": hashlib.sha256(content).hexdigest(),
            }
    if not options.compare:
        write_manifest(entries)
        return 0
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
