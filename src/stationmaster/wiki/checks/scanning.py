"""The links, images, anchors and code spans of a page, with their lines.

Every pattern is linear in a line; blocks of code have none of them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from stationmaster.wiki import markdown

Kind = Literal["link", "image", "anchor", "code"]

_QUOTES = re.compile(r"(?: {0,3}> ?){0,8}+")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(\S.*)")
_TICKS = re.compile(r"`+")
_LINK = re.compile(
    r"(!?)\[(?:[^\[\]\\]|\\.){0,500}\]\(<?([^()\s<>]{1,2000})>?(?:[ \t]+[\"'][^\"']{0,500}[\"'])?\)"
)
_SIMPLE = re.compile(
    r"(!?)\[(?:[^\[\]\\`]++|\\.|`[^`]++`){0,200}+\]"
    r"\(<?([^()\s<>]{1,2000})>?(?:[ \t]+[\"'][^\"']{0,500}[\"'])?\)"
    r"|<a (?:id|name)=\"([^\"<>]{1,200})\">|`([^`]++)`"
)
_DEFINED = re.compile(r" {0,3}\[[^\[\]]{1,500}\]:[ \t]+<?([^\s<>]{1,2000})>?")
_ID = re.compile(r"<a (?:id|name)=\"([^\"<>]{1,200})\">")
_DROPPED = re.compile(r"[^\w\- ]")


class Found(NamedTuple):
    """`text` is a link's or an image's address, an anchor's name, or the text of a code span."""

    kind: Kind
    text: str
    line: int


def scan(content: str) -> Iterator[Found]:
    """Everything in the order of lines."""
    seen: Counter[str] = Counter()
    fence: str | None = None
    fence_depth = 0
    for number, line in enumerate(content.splitlines(), 1):
        quotes = _QUOTES.match(line)
        begin, depth = (quotes.end(), quotes[0].count(">")) if quotes else (0, 0)
        if fence is not None and depth < fence_depth:
            fence = None  # The quote that the block was in has ended.
        marker = _FENCE.match(line, begin)
        if fence is not None:
            is_end = marker is not None and marker[1].startswith(fence) and not marker[2].strip()
            if is_end and depth == fence_depth:
                fence = None
            continue
        if marker is not None and "`" not in marker[2]:
            fence, fence_depth = marker[1], depth
            continue
        heading = _HEADING.match(line)
        if heading is not None:
            yield Found("anchor", _numbered(anchor_of(heading[1]), seen), number)
        yield from _of_line(line, number)


def anchor_of(heading: str) -> str:
    """How a heading is addressed, as GitHub and most hosts do it."""
    return _DROPPED.sub("", markdown.heading_text(heading).replace("\\", "").lower()).replace(
        " ", "-"
    )


def _numbered(anchor: str, seen: Counter[str]) -> str:
    count = seen[anchor]
    seen[anchor] += 1
    return f"{anchor}-{count}" if count else anchor


def addresses(line: str) -> Iterator[tuple[int, int]]:
    """Where the addresses of a line's links and images begin and end."""
    for match in _LINK.finditer(_without_code(line, _code_spans(line))):
        yield match.span(2)


def _without_code(line: str, spans: Iterable[tuple[int, int, str]]) -> str:
    """A line as long as it was: the words of a link may be code, its address never is."""
    parts: list[str] = []
    last = 0
    for start, end, _ in spans:
        parts += line[last:start], "x" * (end - start)
        last = end
    return "".join([*parts, line[last:]])


def _of_line(line: str, number: int) -> Iterator[Found]:
    if "``" not in line and "]:" not in line:
        # Nearly every line: one search decides between code and links.
        for match in _SIMPLE.finditer(line):
            if match[4] is not None:
                yield Found("code", match[4].strip(), number)
            else:
                kind: Kind = "anchor" if match[3] else "image" if match[1] else "link"
                yield Found(kind, match[3] or match[2], number)
        return
    spans = list(_code_spans(line))
    bare = _without_code(line, spans)
    links = list(_LINK.finditer(bare))
    for start, _, text in spans:
        if not any(link.start() < start < link.end() for link in links):
            yield Found("code", text, number)
    for target in links:
        yield Found("image" if target[1] else "link", target[2], number)
    if (defined := _DEFINED.match(bare)) is not None:
        yield Found("link", defined[1], number)
    for anchor in _ID.finditer(bare):
        yield Found("anchor", anchor[1], number)


def _code_spans(line: str) -> Iterator[tuple[int, int, str]]:
    """Start, end and text of each: between two runs of equally many backticks."""
    runs = list(_TICKS.finditer(line))
    closing: dict[int, list[int]] = {}
    for index in range(len(runs) - 1, -1, -1):
        closing.setdefault(len(runs[index][0]), []).append(index)
    index = 0
    while index < len(runs):
        later = closing[len(runs[index][0])]
        while later and later[-1] <= index:
            later.pop()
        if not later:
            index += 1
            continue
        start, end = runs[index], runs[later[-1]]
        yield start.start(), end.end(), line[start.end() : end.start()].strip()
        index = later[-1] + 1
