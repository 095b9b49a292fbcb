"""The process that has PyTorch: answers, line by line, whether recorded results are PyTorch's.

Started by `pytorch.py` with the recording's descriptor; nothing else imports it. A request names an
operator, its arguments and its results by where they stand in the recording.
"""

from __future__ import annotations

import contextlib
import json
import mmap
import os
import resource
import sys
import warnings
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import torch

from pte_lint.harness.reference.apart import apart
from pte_lint.harness.reference.operators import DTYPES, NoDefinition, expected
from pte_lint.harness.reference.tolerances import allowed
from pte_lint.harness.reference.xnnpack.answer import answer as delegate_answer
from pte_lint.harness.reference.xnnpack.constants import NotComputed
from pte_lint.ops.operators import base_name
from pte_lint.schema.enums import dtype_name

Record = Mapping[str, Any]


def main() -> None:
    """Answers until its input ends."""
    warnings.filterwarnings("ignore")
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    torch.set_num_threads(1)  # threads that wait for each other cost more than they save here
    fd, size = int(sys.argv[1]), int(sys.argv[2])
    # Private: whatever an operator does to its arguments, the recording stays as it is.
    memory = mmap.mmap(fd, size, flags=mmap.MAP_PRIVATE)
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is no answer
    with contextlib.suppress(ImportError):
        import_module("torch.ao.quantization.fx._decomposed")  # defines operators
    answers.write(json.dumps({"torch": torch.__version__}) + "\n")
    answers.flush()
    for line in sys.stdin:
        answers.write(json.dumps(answer(json.loads(line), memory)) + "\n")
        answers.flush()


def answer(request: Record, memory: mmap.mmap) -> dict[str, Any]:
    """What a request is answered with: `status` equal, differs or none, and how far it is off."""
    try:
        if "delegate" in request:
            stored = [(value(each, memory), _order(each)) for each in request["args"]]
            with torch.no_grad():
                return delegate_answer(request["delegate"], stored)
        operator = request["operator"]
        args = [value(each, memory) for each in request["args"]]
        outs = [value(each, memory) for each in request["outs"]]
        got = [t for out in outs for t in (out if isinstance(out, list) else [out])]
        with torch.no_grad():
            want = expected(operator, args, got)
            return compared(operator, args, got, want)
    except (NoDefinition, NotComputed) as reason:
        return {"status": "none", "reason": str(reason)}
    except Exception as error:  # PyTorch refuses in many ways
        text = f"PyTorch refuses the call: {type(error).__name__}: {error}".splitlines()[0]
        return {"status": "none", "reason": text[:200]}


def _order(record: Any) -> Sequence[int]:
    return record.get("order", ()) if isinstance(record, dict) else ()


def value(record: Any, memory: mmap.mmap) -> Any:
    """An argument: tensors are views of the recording."""
    if not isinstance(record, dict):
        return record
    if "list" in record:
        return [value(each, memory) for each in record["list"]]
    dtype = DTYPES.get(record["dtype"])
    if dtype is None:
        raise NoDefinition("its element type is none of PyTorch's")
    sizes, order = record["sizes"], record["order"]
    count = 1
    for size in sizes:
        count *= size
    if count == 0:
        return torch.empty(sizes, dtype=dtype)
    flat = torch.frombuffer(memory, dtype=dtype, count=count, offset=record["at"])
    strides, step = [0] * len(sizes), 1
    for dim in reversed(order):
        strides[dim] = step
        step *= sizes[dim]
    return flat.as_strided(sizes, strides)


def compared(
    operator: str, args: Sequence[Any], got: Sequence[Any], want: Sequence[Any]
) -> dict[str, Any]:
    """The first result that is off."""
    for number, (mine, theirs) in enumerate(zip(got, want, strict=False)):
        if not isinstance(mine, torch.Tensor) or not isinstance(theirs, torch.Tensor):
            raise NoDefinition("its result is no tensor")
        if theirs.numel() == 0 and mine.numel() != 0 and number > 0:
            continue  # a result for training, which PyTorch leaves out
        if mine.shape != theirs.shape:
            text = f"sizes are {list(mine.shape)}, PyTorch gives {list(theirs.shape)}"
            return {"status": "differs", "output": number, "reason": text}
        if base_name(operator) == "aten::topk" and number == 1:
            # Among equal values any may be taken: what was taken must be what is said.
            taken = torch.gather(args[0], int(args[2]), mine.long())
            off = _apart(operator, taken, got[0])
        else:
            off = _apart(operator, mine, theirs.to(mine.dtype))
        if off is not None:
            return {"status": "differs", "output": number, **off}
    # Elements that are all the same would not show that some are exchanged.
    tells = any(t.numel() > 1 and bool((t != t.flatten()[0]).any()) for t in got)
    return {"status": "equal", "tells": tells}


def _apart(operator: str, mine: torch.Tensor, theirs: torch.Tensor) -> dict[str, Any] | None:
    code = next(code for code, dtype in DTYPES.items() if dtype == mine.dtype)
    relative, absolute, of_largest = allowed(operator, dtype_name(code))
    return apart(mine, theirs, relative, absolute, of_largest=of_largest)


if __name__ == "__main__":
    main()
