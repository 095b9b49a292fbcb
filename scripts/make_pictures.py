#!/usr/bin/env python3
"""Takes the pictures of docs/pictures again, from real reports in a real browser.

    scripts/devtree && python scripts/make_pictures.py

Needs Chromium and ChromeDriver (Debian: chromium, chromium-driver). Look at each picture before you
commit it.
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
sys.path.insert(0, str(Path(__file__).resolve().parent))
if (ROOT / "build" / "devtree").is_dir():  # a checkout that is not installed
    sys.path.insert(0, str(ROOT / "build" / "devtree"))

from small_png import smaller  # noqa: E402

from tests.pte_lint.picture.programs import built, overlapping  # noqa: E402
from tests.support.browser import Browser, browser  # noqa: E402
from tests.support.pictures import page  # noqa: E402

DATA = ROOT / "tests" / "data"
FOLDER = ROOT / "docs" / "pictures"
LIMIT = 200_000
"""Bytes of a picture."""


@dataclass(frozen=True)
class Shot:
    """One picture: a program, a window, and where in the page."""

    name: str
    program: str
    width: int = 1280
    height: int = 900
    fragment: str = ""
    dark: bool = False


SHOTS = (
    Shot("report", "device/add_skip_both_planned.pte", height=930),
    Shot("report_dark", "device/two_devices.pte", height=1000, dark=True),
    Shot("report_narrow", "device/add_skip_both_planned.pte", 360, 1150, "m0"),
    Shot("report_clean", "clean/transformer_block.pte", height=1180),
    Shot("control_flow", "clean/cond_nested.pte", height=980),
    Shot("overlap", "", height=1020),
)


def main() -> int:
    """Takes every picture; fails where one is too large."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, browser() as session:
        for shot in SHOTS:
            take(session, shot, Path(folder))
        session.close()
    large = [p.name for p in sorted(FOLDER.glob("*.png")) if p.stat().st_size > LIMIT]
    print("\n".join(f"{name} is too large" for name in large) or "done")
    return 1 if large else 0


def take(session: Browser, shot: Shot, folder: Path) -> None:
    """Writes one picture."""
    source = DATA / shot.program if shot.program else built(overlapping())
    name = Path(shot.program).name or "overlapping.pte"
    path = folder / f"{shot.name}.html"
    path.write_text(page(source, name=name), "utf-8")
    session.look(shot.width, shot.height, dark=shot.dark)
    session.open(path, shot.fragment)
    (FOLDER / f"{shot.name}.png").write_bytes(smaller(session.picture()))
    print(f"docs/pictures/{shot.name}.png")


if __name__ == "__main__":
    sys.exit(main())
