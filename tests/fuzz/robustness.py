"""Writes the page about hostile input from the logs of the two hunts.

python -m tests.fuzz.robustness    # writes docs/robustness.md
python -m tests.fuzz.robustness --only bombs --bombs LOG    # that section alone
"""

from __future__ import annotations

import tests.fuzz.checkout  # noqa: F401 - before anything of the package is imported

# isort: split
import argparse
import json
import platform
import struct
import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from textwrap import fill
from typing import Any

from pte_lint._version import __version__
from tests.fuzz import bombs, crash_hunt, reader_hunt
from tests.fuzz.checkout import ROOT

PAGE = ROOT / "docs" / "robustness.md"

_HEAD = """\
# Robustness

What happens to pte-lint itself on hostile input. Written by `python -m tests.fuzz.robustness` from
the logs of the two hunts, which anybody can repeat: the inputs follow from their numbers. What they
once found is kept in tests.

"""

_READER = """\
## The reader alone

`python -m tests.fuzz.reader_hunt`: each input is read as each of the three formats; blobs of
delegates go through every reader of blobs. Limits: no exception; a second of the processor, or for
inputs above a megabyte a second for each; 50 MB of memory and ten times the input. A sample is read
with small budgets too: where the reader does not say that one ran out, it must have read the same.
Most inputs are made from programs of 400 to 800 bytes that together hold every table of the format.

"""

_EVERYTHING = """\
## Everything

`python -m tests.fuzz.crash_hunt`: each input is checked, with and without its data files, and
rendered in every report format; the rules that speak are explained; the HTML report, the pictures
of placement and memory, the graph as DOT and JSON are drawn; it is inspected with all instructions
and compared with another program, and its contract written; it is recorded as a baseline and
compared with that; it is repaired, twice. One of {commands} is given to every command, and one of
{confirm} to the runtime. Demanded: no exception in pte-lint or in a rule; in all that is printed no
control character, no markup, link, element or workflow command but ours, and JSON and XML that
parse; no pass and no verdict that it runs where a budget ran out, and with small budgets no pass
for what fails otherwise; a repaired file that is valid. Limits: {seconds:.0f} seconds of the
processor; {memory} MiB of address space.

"""


_BOMBS = """
## Crafted programs

`python -m tests.fuzz.bombs`: programs made to cost much. Allowed are 64 MiB and forty times
the file for the whole process, and output of 4 MiB and sixteen times the file in each format. Check
writes all formats at once.

{remark}
For each command, how many programs it was measured on, and those that came closest to a bound.

"""


def main() -> int:
    """Runs the command and returns its exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--reader", type=Path, default=reader_hunt.FOLDER)
    parser.add_argument("--crashes", type=Path, default=crash_hunt.FOLDER)
    parser.add_argument("--bombs", type=Path, help="the log of tests.fuzz.bombs")
    parser.add_argument("--remark", default="", help="a sentence about the runs")
    parser.add_argument("--only", choices=("reader", "bombs"), help="keep the rest of the page")
    options = parser.parse_args()
    if options.only == "bombs":
        told = f"{fill(options.remark, 100)}\n" if options.remark else ""
        _put(_BOMBS.format(remark=told) + _bombs(bombs.read(options.bombs)))
        return 0
    logs = sorted(options.reader.glob("part-*.jsonl"))
    digests = [each.with_suffix(".digests").read_bytes() for each in logs]
    reader = [_records(each) for each in logs]
    everything = [_records(each) for each in sorted(options.crashes.glob("stream-*.jsonl"))]
    if options.only == "reader":
        remark = fill(options.remark, 100, break_long_words=False, break_on_hyphens=False)
        _put(f"{_READER}{remark}\n\n{_reader(reader, digests)}\n")
        return 0
    text = page(reader, digests, everything, options.remark)
    if options.bombs is not None:
        text += _BOMBS.format(remark="") + _bombs(bombs.read(options.bombs))
    PAGE.write_text(text, "utf-8")
    return 0


def _put(section: str) -> None:
    """Puts a section in the place of the one with its title, or at the end."""
    title = section.strip().partition("\n")[0]
    before, _, after = PAGE.read_text("utf-8").partition(f"{title}\n")
    rest = after[after.index("\n## ") + 1 :] if "\n## " in after else ""
    PAGE.write_text(before.rstrip() + f"\n\n{section.strip()}\n" + (rest and f"\n{rest}"), "utf-8")


def _bombs(costs: Sequence[bombs.Cost]) -> str:
    """The costs by command, the two nearest to the bound of memory and all that break one."""
    lines = ["| command | program | bytes | exit | peak | time | printed |", "| --- " * 7 + "|"]
    for command in bombs.COMMANDS:
        mine = [each for each in costs if each.command == command]
        mine.sort(key=lambda each: -each.peak / each.allowed)
        shown = mine[:2] + [each for each in mine[2:] if each.is_over]
        lines += (
            f"| {command}, {len(mine)} | {each.program} | {each.size:,} | {each.code} | "
            f"{each.peak / 2**20:.0f} of {each.allowed / 2**20:.0f} MiB"
            f"{' **too much**' if each.is_over else ''} | {each.seconds:.1f} s | "
            f"{each.printed:,} |"
            for each in shown
        )
    return "\n".join(lines) + "\n"


def _records(log: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.read_text("utf-8").splitlines()]


def page(
    reader: Sequence[Sequence[dict[str, Any]]],
    digests: Sequence[bytes],
    everything: Sequence[Sequence[dict[str, Any]]],
    remark: str = "",
) -> str:
    """The page in Markdown.

    Args:
        reader: The logs of the parts of the reader's hunt.
        digests: Eight bytes for each of its inputs.
        everything: The logs of the streams of the other hunt.
        remark: A sentence about the runs.
    """
    where = f"pte-lint {__version__}, Python {platform.python_version()}, {date.today()}"
    intro = f"{where}, on {platform.system()} {platform.machine()} with other work beside it."
    intro = fill(f"{intro} {remark}", 100, break_long_words=False, break_on_hyphens=False) + "\n\n"
    limits = {
        "seconds": crash_hunt.SECONDS,
        "memory": crash_hunt.MEMORY >> 20,
        "commands": crash_hunt.COMMANDS_EVERY,
        "confirm": crash_hunt.CONFIRM_EVERY,
    }
    return (
        f"{_HEAD}{intro}{_READER}{_reader(reader, digests)}\n"
        f"{_EVERYTHING.format(**limits)}{_everything(everything)}"
    )


def _reader(parts: Sequence[Sequence[dict[str, Any]]], digests: Sequence[bytes]) -> str:
    total = reader_hunt.Tally()
    for record in (each for part in parts for each in part):
        total.merge(record)
    distinct = len({each for some in digests for each in struct.iter_unpack("<Q", some)})
    rows = [
        ("inputs", f"{total.inputs:,}, {distinct:,} of them distinct"),
        ("bytes", f"{total.nbytes:,}"),
        ("that break a limit", f"{total.failures:,}"),
        ("a read, on average", f"{1000 * total.seconds / total.inputs:.2f} ms"),
        ("the slowest", f"{total.slowest:.2f} s"),
        ("most for a megabyte, above 50 kB", f"{total.slowest_per_mb:.2f} s"),
        ("memory measured", f"{total.measured:,} inputs, all large ones among them"),
        ("most memory for one", f"{total.most_bytes / 1e6:.1f} MB"),
        ("closest to its limit", f"{100 * total.closest:.0f} %"),
        ("read with small budgets too", f"{total.cut:,}, of which {total.ran_out:,} ran out"),
        ("peak of a process", f"{total.peak_kib / 1024:.0f} MiB"),
        ("after a tenth and at the end", _growth(parts)),
    ]
    made = [(name, f"{count:,}") for name, count in sorted(total.families.items())]
    taken = [(name, f"{count:,}") for name, count in sorted(total.read_as.items())]
    return "\n".join(
        (
            _table(("reader", ""), rows),
            _table(("made by", "inputs"), made),
            _table(("read as", "inputs"), taken),
        )
    )


def _growth(parts: Sequence[Sequence[dict[str, Any]]]) -> str:
    shown = []
    for part in parts:
        ends = (part[len(part) // 10]["rss_kib"], part[-1]["rss_kib"])
        shown.append(" and ".join(f"{each / 1024:.0f}" for each in ends))
    return "; ".join(shown) + " MiB resident"


def _everything(streams: Sequence[Sequence[dict[str, Any]]]) -> str:
    records = [each for stream in streams for each in stream]
    inputs = sum(each["inputs"] for each in records)
    seconds = sum(each["seconds"] for each in records)
    rows = [
        ("inputs", f"{inputs:,}"),
        ("bytes", f"{sum(each['nbytes'] for each in records):,}"),
        ("that raise or take too long", f"{sum(each['failures'] for each in records):,}"),
        ("given to every command", f"{sum(each['commanded'] for each in records):,}"),
        ("and to the runtime", f"{sum(each['confirmed'] for each in records):,}"),
        ("all of it, on average", f"{1000 * seconds / inputs:.0f} ms"),
        ("the slowest", f"{max(each['slowest'] for each in records):.2f} s"),
        ("peak of a process", f"{max(each['peak_kib'] for each in records) / 1024:.0f} MiB"),
        ("after a tenth and at the end", _growth(streams)),
    ]
    return _table(("everything", ""), rows)


def _table(head: tuple[str, str], rows: Sequence[tuple[str, str]]) -> str:
    lines = [head, ("---", "---"), *rows]
    return "".join(f"| {left} | {right} |\n" for left, right in lines)


if __name__ == "__main__":
    sys.exit(main())
