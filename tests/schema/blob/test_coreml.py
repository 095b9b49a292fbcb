from __future__ import annotations

import json
import random

import pytest
from pte_lint.schema.blob.facts import BlobArgument, BlobFacts, BlobPart, Requirement
from pte_lint.schema.delegates import describe_blob
from pte_lint.schema.program import Span

from tests.schema.mutations import mutate
from tests.support.coreml import coreml_blob, folder_blob


def describe(content: bytes, backend: str = "CoreMLBackend", **specs: bytes) -> BlobFacts:
    return describe_blob(backend, b"??" + content, Span(2, len(content)), specs)


def test_a_folder() -> None:
    facts = describe(coreml_blob(), compute_units=b"cpu_and_ne")
    assert (facts.format, facts.problems) == ("Core ML in-memory file system", ())
    assert facts.inputs == (BlobArgument(None, name="x"),)
    assert facts.outputs == (BlobArgument(None, name="y"),)
    assert facts.requires == (
        Requirement("Core ML specification", "7, iOS 16 or later"),
        Requirement("compute units", "cpu_and_ne"),
    )
    names = [part.name for part in facts.parts]
    assert names == ["model.mlmodel", "metadata.json"]
    assert facts.parts[0] == BlobPart("model.mlmodel", 9)


def test_models_of_several_functions() -> None:
    facts = describe(coreml_blob(inputNames=None, methods={"forward": {}, "other": {}}))
    assert (facts.inputs, facts.outputs) == (None, None)
    assert facts.requires[1] == Requirement("functions", "forward, other")


def test_folders_in_folders_and_in_themselves() -> None:
    file = {"name": "f", "kind": 0, "dataRegion": {"offset": 0, "size": 1}}
    inner = {"name": "inner", "kind": 1, "children": {"f": 0, "inner": 1}}
    root = {"name": "root", "kind": 1, "children": {"inner": 1, "again": 2}}
    (part,) = describe(b"x" + folder_blob({}, [file, inner, root])).parts
    assert part.name.endswith("/f")
    root = {"name": "root", "kind": 1, "children": {"a": 1}}
    inner = {"name": "inner", "kind": 1, "children": {"f": 0}}
    (part,) = describe(b"x" + folder_blob({}, [file, inner, root])).parts
    assert part == BlobPart("a/f", 1)


def test_a_file_beyond_the_blob() -> None:
    nodes = [{"name": "f", "kind": 0, "dataRegion": {"offset": 0, "size": size}} for size in (9, 0)]
    content = folder_blob({}, nodes)
    assert describe(content).problems == ()
    nodes[0]["dataRegion"] = {"offset": 1, "size": 1_000_000}
    (problem,) = describe(folder_blob({}, nodes)).problems
    assert problem.message.startswith("file 'f' ends at byte")


@pytest.mark.parametrize(
    "nodes",
    [
        [{"name": "f", "kind": 0}],
        [{"name": "f", "kind": 0, "dataRegion": {"offset": -1, "size": 1}}],
        [{"name": "f", "kind": 0, "dataRegion": {"offset": "1", "size": True}}],
        [{"children": {"f": "0", "g": 7}, "kind": 1}],
    ],
)
def test_lists_that_say_nothing_of_use(nodes: list[dict[str, object]]) -> None:
    facts = describe(folder_blob({}, nodes))
    assert (facts.format, facts.parts) == ("Core ML in-memory file system", ())


def test_a_list_that_is_none() -> None:
    facts = describe(b'7:"sedon"{')
    assert facts.opaque == "its list of files was not read"


def test_a_reference_names_its_function() -> None:
    text = json.dumps({"version": 1, "key": "k", "functionName": "prefill"}).encode()
    facts = describe(b"CMJR" + text)
    assert facts.requires == (Requirement("function", "prefill"),)
    assert [want.key for want in facts.wants] == ["k"]


def test_a_core_ai_manifest() -> None:
    inside = {"files": ["model.aimodel/main.hash"], "packaging": "inline", "hash": "ab"}
    facts = describe(json.dumps(inside | {"path": "ab/model.aimodel"}).encode(), "CoreAIBackend")
    assert [(want.key, want.required) for want in facts.wants] == [
        ("coreai/ab/model.aimodel/main.hash", False)
    ]
    assert facts.requires == (Requirement("packaging", "inline"),)
    beside = {"packaging": "sidecar", "hash": "ab", "path": "ab/model.aimodel"}
    facts = describe(json.dumps(beside).encode(), "CoreAIBackend")
    assert facts.requires == (
        Requirement("packaging", "sidecar"),
        Requirement("file beside the program", "ab/model.aimodel"),
    )
    (problem,) = describe(b"[]", "CoreAIBackend").problems
    assert problem.message == "is no JSON manifest that says how it is packaged"


@pytest.mark.parametrize("backend", ["CoreMLBackend", "CoreAIBackend"])
def test_damage_never_raises(backend: str) -> None:
    choice = random.Random(13)
    seeds = (coreml_blob(), b'CMJR{"key":"k"}', b'{"packaging":"inline","files":["f"]}')
    for seed in seeds:
        for _ in range(200):
            describe(mutate(seed, choice), backend)
    describe(b"[" * 200_000 + b"{", backend)
