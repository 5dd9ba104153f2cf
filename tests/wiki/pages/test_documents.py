"""Pages that quote documents of the repository."""

from __future__ import annotations

from stationmaster.wiki.pages.documents import SECTIONS_MAX
from tests.wiki.pages.shops import pages

TEXT = "The shop keeps what people are about to buy, and tells them what all of it costs."


def test_a_long_document_is_quoted_with_what_tells_how_something_is_added() -> None:
    sections = [*(f"Price {n}" for n in range(SECTIONS_MAX)), "Add a handler"]
    text = "# Shop\n\n" + "".join(f"## {it}\n\n{TEXT}\n\n" for it in sections)
    told, _, others = pages({"docs/shop.md": text})["documents/docs-shop"].partition(
        "## Sections that"
    )
    assert "## Add a handler\n" in told
    assert f"- Price {SECTIONS_MAX - 1} (" in others
