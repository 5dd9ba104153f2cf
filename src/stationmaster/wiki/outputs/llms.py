"""The index of a wiki for programs that read: what it is of, and a line for each page.

The form is that of llmstxt.org: a title, a quoted line, and lists of links under headings.
"""

from __future__ import annotations

from collections.abc import Sequence

from stationmaster.wiki.making.written import Written
from stationmaster.wiki.outputs.pages import INDEX, described, groups
from stationmaster.wiki.text.inline import text as shown

NAME = "llms.txt"


def text(pages: Sequence[Written]) -> str:
    """Of pages in reading order; links are relative to the folder of the wiki."""
    first = next((page for page in pages if page.key == INDEX), None)
    parts = [f"# {shown(first.title if first else 'Wiki')}"]
    if first is not None and described(first):
        parts.append(f"> {shown(described(first))}")
    for group in groups(pages):
        parts.append(f"## {shown(group.title or 'Pages')}")
        parts.append("\n".join(map(_line, group.pages)))
    return "\n\n".join(parts) + "\n"


def _line(page: Written) -> str:
    about = described(page)
    return f"- [{shown(page.title)}]({page.key}.md)" + (f": {shown(about)}" if about else "")
