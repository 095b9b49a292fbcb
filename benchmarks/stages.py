"""Where the time goes inside one check, measured in a process of its own."""

from __future__ import annotations

import json
import statistics
import subprocess
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measure import environment, own_python

_CODE = """
import json, sys, time
from pte_lint.questions.method import Method
from pte_lint.files.artifact import open_artifact
from pte_lint.judging.engine import Settings, judge
from pte_lint.quiet_gc import collection_paused
from pte_lint.data.reading import open_context
from pte_lint.rulebook.registry import load_rules
from pte_lint.schema.loaded import read_program
from pte_lint.claims.target import Target

clock = time.process_time
rules = load_rules(isolated=True)
with open_artifact(sys.argv[1]) as artifact, collection_paused():
    start = clock()
    loaded = read_program(artifact.buffer)
    read = clock() - start
    methods = [Method(loaded.program, n) for n in range(len(loaded.program.execution_plan or ()))]
    index = clock() - start - read
    start = clock()
    for method in methods:
        method.flow.reachable, method.residency, method.liveness
    analyses = clock() - start
    del loaded, methods, method
    start = clock()
    context = open_context(artifact, Target(), (), {})
    report = judge(context, Settings(rules=rules))
    everything = clock() - start
    start = clock()
    if sys.argv[2] == "graph":
        for method in context.methods:
            method.graph
    graph = clock() - start
print(json.dumps({"read": read, "index": index, "analyses": analyses, "graph": graph,
                  "rules": max(0.0, everything - read - index - analyses)}))
"""


@dataclass(frozen=True)
class Stages:
    """Processor seconds by stage, medians.

    Attributes:
        read: Bytes to decoded program.
        index: Decoded program to methods with steps.
        analyses: Control flow, residency, live ranges.
        rules: All rules and the report, analyses not counted.
        graph: The networkx graph, which no rule needs for a plain check.
    """

    read: float
    index: float
    analyses: float
    rules: float
    graph: float


def stages(path: Path, graph: bool = True, repeat: int = 3) -> Stages:
    """Measures one file."""
    command = own_python("-c", _CODE, str(path), "graph" if graph else "plain")
    rows = []
    for _ in range(repeat):
        done = subprocess.run(
            command, stdout=subprocess.PIPE, text=True, check=True, env=environment()
        )
        rows.append(json.loads(done.stdout))
    return Stages(**{key: statistics.median(row[key] for row in rows) for key in rows[0]})
