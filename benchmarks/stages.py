"""Where the time goes inside one check, measured in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

_CODE = """
import json, resource, sys, time
from pte_lint.artifact import open_artifact
from pte_lint.engine import Settings, judge
from pte_lint.analysis.method import Method
from pte_lint.reading import open_context
from pte_lint.registry import load_rules
from pte_lint.schema.loaded import read_program
from pte_lint.target import Target
import gc
gc.disable()
rules = load_rules(isolated=True)
with open_artifact(sys.argv[1]) as artifact:
    start = time.perf_counter()
    loaded = read_program(artifact.buffer)
    read = time.perf_counter() - start
    del loaded
    start = time.perf_counter()
    context = open_context(artifact, Target(), (), {})
    opened = time.perf_counter() - start
    start = time.perf_counter()
    for method in context.methods:
        method.flow.reachable, method.residency, method.liveness
    analysed = time.perf_counter() - start
    start = time.perf_counter()
    report = judge(context, Settings(rules=rules))
    judged = time.perf_counter() - start
    start = time.perf_counter()
    if sys.argv[2] == "graph":
        for method in context.methods:
            method.graph
    graph = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({"read": read, "index": opened - read, "analyses": analysed, "rules": judged,
                  "graph": graph, "mebibytes": peak, "findings": len(report.findings)}))
"""


@dataclass(frozen=True)
class Stages:
    """Seconds by stage, and peak memory of the process.

    Attributes:
        read: Bytes to decoded program.
        index: Decoded program to methods with steps.
        analyses: Control flow, residency, live ranges.
        rules: All rules and the report, analyses not counted.
        graph: The networkx graph, which no rule needs for a plain check.
        mebibytes: Peak resident memory, the graph included where it was built.
        findings: What was found.
    """

    read: float
    index: float
    analyses: float
    rules: float
    graph: float
    mebibytes: float
    findings: int

    @property
    def total(self) -> float:
        """What a check costs: everything but the graph."""
        return self.read + self.index + self.analyses + self.rules


def stages(path: Path, graph: bool = True) -> Stages:
    """Measures one file."""
    command = [sys.executable, "-c", _CODE, str(path), "graph" if graph else "plain"]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return Stages(**json.loads(out))
