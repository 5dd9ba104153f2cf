"""What is read from a page's Markdown: its title, its sections, its text without marks.

Every function takes time linear in the text, whatever the text is.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator, Sequence
from typing import NamedTuple

TITLE_MAX = 200
"""Characters of a title or heading; longer ones are cut."""
SECTION_CHARS_MAX = 16_000
"""Longer sections are searched in pieces, which keeps one row of the index small."""
SECTIONS_MAX = 200
"""Headings beyond these begin no section of their own."""
_LEVELS = 6
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(\S.*)")
_IMAGE_OR_LINK = re.compile(r"!?\[([^\[\]]{0,500})\]\([^()\s]{0,2000}(?: \"[^\"]{0,500}\")?\)")
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,500}>")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_PRIVATE_USE = 0xE000
"""Escaped characters are moved here, in the private use area, while marks are removed."""
_KEPT = {_PRIVATE_USE + ord(mark): mark for mark in string.punctuation}
_LINE_MARK = re.compile(r"[ \t]*(?:[-*+>#]+|\d{1,9}[.)])[ \t]+")


class Section(NamedTuple):
    """A piece of a page: `start` and `size` in bytes, and the headings above it after the title."""

    start: int
    size: int
    headings: tuple[str, ...]
    text: str


def title_of(content: str) -> str | None:
    """The level-1 heading that a page starts with; None where it starts with anything else."""
    first = next((line for line in content.splitlines() if line.strip()), "")
    match = _HEADING.match(first)
    if match is None or len(match[1]) != 1:
        return None
    return heading_text(match[2]) or None


def heading_text(text: str) -> str:
    """A heading as plain text on one line."""
    bare = text.rstrip()
    closed = bare.rstrip("#")
    if closed != bare and (not closed or closed[-1] in " \t"):
        bare = closed
    return plain(bare[: 10 * TITLE_MAX])[:TITLE_MAX].strip()


def sections(content: str) -> Iterator[Section]:
    """All of a page in order, cut at its headings; code in fences has none."""
    start = 0
    for headings, text in _by_heading(content):
        for piece in _pieces(text):
            size = len(piece.encode())
            yield Section(start, size, headings, piece)
            start += size


def plain(text: str) -> str:
    """Markdown as one line of text: links by their words, escaped characters as they are read, no
    marks, nothing invisible."""
    if "\\" in text:
        text = _ESCAPED.sub(lambda match: chr(_PRIVATE_USE + ord(match[1])), text)
    # Searches for fixed text cost little compared with a pattern that is tried at every letter.
    bare = _IMAGE_OR_LINK.sub(r"\1", text) if "](" in text else text
    bare = "\n".join(map(_without_mark, _TAG.sub(" ", bare).split("\n"))).replace("|", " ")
    for mark in "`*~":
        bare = bare.replace(mark, "")
    line = " ".join(bare.translate(_KEPT).split())
    return line if line.isprintable() else "".join(filter(str.isprintable, line)).strip()


def fenced(lines: Sequence[str]) -> list[bool]:
    """Which lines belong to blocks of code, those that begin and end them among them."""
    is_fenced: list[bool] = []
    fence = ""
    for line in lines:
        marker = _FENCE.match(line)
        is_fenced.append(bool(fence or marker))
        if not fence:
            fence = marker[1] if marker else ""
        elif marker and marker[1].startswith(fence) and not line[marker.end() :].strip():
            fence = ""
    return is_fenced


def open_fence(lines: Sequence[str]) -> str:
    """The mark that ends the block of code in which the lines end; empty where they end in none."""
    fence = ""
    for line in lines:
        marker = _FENCE.match(line)
        if marker and not fence:
            fence = marker[1]
        elif marker and marker[1].startswith(fence) and not line[marker.end() :].strip():
            fence = ""
    return fence


def _without_mark(line: str) -> str:
    mark = _LINE_MARK.match(line)
    return line if mark is None else " " + line[mark.end() :]


def _by_heading(content: str) -> Iterator[tuple[tuple[str, ...], str]]:
    path = [""] * _LEVELS
    fence: str | None = None
    lines: list[str] = []
    count = 0
    above: tuple[str, ...] = ()
    for line in content.splitlines(keepends=True):
        marker = _FENCE.match(line)
        if marker is not None:
            if fence is None:
                fence = marker[1]
            elif marker[1].startswith(fence) and not line[marker.end() :].strip():
                fence = None
        elif fence is None and count < SECTIONS_MAX and (match := _HEADING.match(line)):
            if lines:
                yield above, "".join(lines)
                lines = []
            count += 1
            level = len(match[1])
            path[level - 1 :] = [heading_text(match[2]), *[""] * (_LEVELS - level)]
            above = tuple(step for step in path[1:] if step)
        lines.append(line)
    if lines:
        yield above, "".join(lines)


def _pieces(text: str) -> Iterator[str]:
    """A text in pieces of at most SECTION_CHARS_MAX, cut between words where there are words."""
    start = 0
    while len(text) - start > SECTION_CHARS_MAX:
        end = start + SECTION_CHARS_MAX
        cut = max(text.rfind(" ", start, end), text.rfind("\n", start, end)) + 1
        end = cut if cut > start else end
        yield text[start:end]
        start = end
    if start < len(text):
        yield text[start:]
