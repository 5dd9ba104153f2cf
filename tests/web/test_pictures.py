"""Pictures of pages: one of each page of the menu in docs/web.md, and small."""

from __future__ import annotations

import re
from pathlib import Path

from stationmaster.web.frame.menu import MENU
from tests.web.pictures import name_of

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "docs" / "images" / "pages"


def test_docs_show_every_page_of_the_menu_once() -> None:
    shown = re.findall(r"\]\(images/pages/([\w-]+)\.png\)", (ROOT / "docs" / "web.md").read_text())

    assert {name_of(entry.path) for _, entries in MENU for entry in entries} <= set(shown)
    assert sorted(shown) == sorted(file.stem for file in PICTURES.glob("*.png"))


def test_pictures_are_small() -> None:
    sizes = {file.name: file.stat().st_size for file in PICTURES.glob("*.png")}

    assert sizes["overview.png"] < 200_000
    assert sum(sizes.values()) < 1_500_000
