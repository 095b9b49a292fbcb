"""docs/model_contract.md: what a program may promise, from the pydantic models."""

from __future__ import annotations

from collections.abc import Iterator

from docgen.configuration import table
from docgen.schemas import config_schema
from pte_lint.report.rule_markdown import inline

_INTRODUCTION = """\
# Contracts of a program

A `.pte` is an interface, too: an application gives it inputs of a type and shape, reads numbers
from its metadata methods, has memory for it, and was promised that most of it is delegated. A
contract says so in a file, and `check` holds every later export against it.

```sh
pte-lint contract model.pte -o contract.toml              # of a good one
pte-lint check exported/model.pte --contract contract.toml   # of the next one
```

What is broken is an error that names both sides ([PTE630](rules/PTE630.md) to
[PTE634](rules/PTE634.md)), in every format and with the exit code of any error:

```
error PTE631 (contract-signature)
   contract.toml promises that the dtype of input 0 (image) of forward is float32; the file has
   float16.
```

The verdict stays what the runtime does: a program that breaks its contract may well run, for
others.
`diff` compares two files; a contract compares a file with what was promised. It is written so that
the file keeps it and anything worse does not: `--headroom 5` lets sizes grow by five percent, a
key that is deleted promises nothing, `"*"` is any size.

In the configuration `contract` names such files, or holds the same as tables. A contract with
`artifact` is about the programs that match; one that is about nothing that was checked is noted,
and given by hand (`--contract`) it is a mistake. With `--settings-from` it is read from the base
branch. Data files promise nothing of their own.

```toml
[[tool.pte-lint.contract]]
artifact = "exported/vision/*.pte"
most-planned = { all = "512 KiB" }

[tool.pte-lint.contract.methods.forward]
inputs = [{ name = "image", dtype = "float32", shape = ["*", 3, 224, 224] }]
least-delegated = { multiply-adds = 0.99 }
no-host-operators = ["aten::convolution*"]
```

What a delegate's blob does not tell (operators and multiply-adds inside of it) is listed under
`unchecked` where a contract asks for it; only XNNPACK's blobs tell both.

Contracts that were written from all good files of a corpus are kept by them; of 116 bad neighbours
of these, 19 are described by the runtime itself with other inputs or outputs or with more planned
memory, and all 19 break the contract (`tests/test_contract_corpus.py`). What a language model owes
its runner is told without any contract: [driven language models](language_models.md).
"""

_SECTIONS = {
    "Contract": "Keys",
    "Method": "A method",
    "Port": "An input or output",
    "Delegated": "The least delegated share",
    "State": "State",
}


def pages() -> Iterator[tuple[str, str]]:
    """docs/model_contract.md."""
    schema = config_schema()
    parts = [_INTRODUCTION]
    for name, title in _SECTIONS.items():
        model = schema["$defs"][name]
        parts += [f"## {title}\n", inline(model["description"]) + "\n", table(model)]
    yield "docs/model_contract.md", "\n".join(parts)
