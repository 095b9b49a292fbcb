"""The page and the JSON about a run."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from datetime import date
from typing import Any

from pte_lint.harness.wheel import find_wheel
from tests.fuzz.campaign import Tally
from tests.fuzz.comparison import Kind
from tests.fuzz.explain import CATEGORIES

_HEAD = """\
# Agreement with the runtime

Programs are changed at random; pte-lint and the real ExecuTorch runtime are both asked what they
make of them. This page is written by `python -m tests.fuzz --report`; how it works is in
`tests/fuzz/README.md`. A difference that is missed, a false alarm or another stage or
error is a bug of pte-lint; what is counted as inconclusive has a reason each, below.

"""


def agreement_json(total: Tally, results: Sequence[dict[str, Any]]) -> str:
    """The counts and every difference as JSON."""
    record = total.record()
    record["distinct"] = len(record.pop("digests"))
    record["runtime"] = find_wheel().version
    record["date"] = date.today().isoformat()
    record["differences"] = [each for each in results if each["kind"] != Kind.INCONCLUSIVE]
    return json.dumps(record, indent=1) + "\n"


def agreement_page(
    total: Tally, results: Sequence[dict[str, Any]], command: str, remark: str = ""
) -> str:
    """The page in Markdown.

    Args:
        total: The counts.
        results: What did not simply agree.
        command: What was run.
        remark: A sentence about the run.
    """
    parts = [
        _HEAD,
        *([f"{remark}\n"] if remark else []),
        _how(total, command),
        _kinds(total),
        _open(results),
        _categories(total),
        _stages(total),
    ]
    return "\n".join(parts)


def _how(total: Tally, command: str) -> str:
    return _table(
        ("", ""),
        [
            ("date", date.today().isoformat()),
            ("runtime", f"executorch {find_wheel().version}, Linux, CPU kernels of the wheel"),
            ("command", f"`{command}`"),
            ("mutants", f"{total.mutants:,}, {len(total.digests):,} distinct"),
            ("parse as programs", f"{total.parsed:,}"),
            ("stage and error equal", f"{_equal(total):.2f} % of what both say fails"),
        ],
    )


def _equal(total: Tally) -> float:
    alike, other = total.kinds[Kind.AGREE_BAD], total.kinds[Kind.OTHER]
    return 100 * alike / max(1, alike + other)


def _open(results: Sequence[dict[str, Any]]) -> str:
    """What pte-lint is to blame for, by kind and by what was said and seen."""
    found = Counter(
        (each["kind"], each["category"]) for each in results if Kind(each["kind"]).is_difference
    )
    if not found:
        return "## Differences\n\nNone.\n"
    rows = [(kind, category, f"{count:,}") for (kind, category), count in found.most_common()]
    text = (
        "Each is listed in the JSON file beside this page with its number in the stream, its seed "
        "and edits.\n\n"
    )
    head = ("kind", "said, or seen where nothing was said", "mutants")
    return "## Differences\n\n" + text + _table(head, rows)


def _kinds(total: Tally) -> str:
    families = sorted({key.split("|")[0] for key in total.families})
    rows = []
    for family in (*families, "all"):
        counts = Counter(
            {
                kind: total.kinds[kind] if family == "all" else total.families[f"{family}|{kind}"]
                for kind in Kind
            }
        )
        rows.append((family, *(f"{counts[kind]:,}" for kind in Kind), f"{sum(counts.values()):,}"))
    return "## By family of edits\n\n" + _table(("family", *Kind, "all"), rows)


def _categories(total: Tally) -> str:
    rows = []
    for name, why in CATEGORIES.items():
        count = total.categories[name]
        share = 100 * count / max(1, total.parsed)
        rows.append(
            (name, f"{count:,}", f"{share:.2f} %", f"{total.unparsed_categories[name]:,}", why)
        )
    everything = sum(total.categories.values())
    share = 100 * everything / max(1, total.parsed)
    rows.append(
        (
            "all",
            f"{everything:,}",
            f"{share:.2f} %",
            f"{sum(total.unparsed_categories.values()):,}",
            "",
        )
    )
    head = ("category", "of those that parse", "share", "of the others", "why it is not decided")
    return "## Not decided\n\n" + _table(head, rows)


def _stages(total: Tally) -> str:
    rows = [(seen, f"{count:,}") for seen, count in total.stages.most_common(60)]
    return "## What went wrong, as both say\n\n" + _table(("seen", "mutants"), rows)


def _table(head: Sequence[object], rows: Sequence[Sequence[object]]) -> str:
    lines = ["| " + " | ".join(map(str, head)) + " |", "|" + " --- |" * len(head)]
    lines += ["| " + " | ".join(map(str, row)) + " |" for row in rows]
    return "\n".join(lines) + "\n"
