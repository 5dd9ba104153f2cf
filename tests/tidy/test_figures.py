"""The page of the figures of the source tree has those that are counted."""

from __future__ import annotations

from tests.tidy.figures import ROOT, figures

PAGE = ROOT / "docs" / "decisions" / "size.md"


def test_the_page_has_every_figure_that_is_counted() -> None:
    rows = [line for line in PAGE.read_text().splitlines() if line.startswith("| ")][1:]

    assert [row.split(" | ")[0].removeprefix("| ") for row in rows] == list(figures())
