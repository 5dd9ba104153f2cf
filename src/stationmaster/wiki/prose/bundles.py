"""The facts of a page, read from the page: a model is told no more than a reader is.

Rows, items, sentences, commands, quotes and the edges of diagrams, in their order, without line
numbers, without Markdown, and without what is invisible.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from urllib.parse import unquote

from stationmaster.wiki import secrets
from stationmaster.wiki.prose.model import Bundle, Fact, FactKind
from stationmaster.wiki.text.inline import ESCAPED

BYTES_MAX = 48_000
"""Of all facts: with instructions and context less than 24,000 tokens."""
FACT_MAX = 600
CONTEXT_MAX = 40
_CITED = re.compile(
    r"\[`{1,20} ?[^\]]{1,600}\]\(source:([\w.~%/-]{1,4000})(?:#[L\d-]{1,30})?\)", re.A
)
_LINK = re.compile(r"!?\[((?:[^\[\]\\]|\\.){0,500})\]\([^()\s]{1,2000}\)")
_CELL = re.compile(r"(?<!\\)\|")
_NODE = re.compile(r'\s*(n\d{1,4})\["([^"]{1,200})"\]')
_EDGE = re.compile(r'\s*(n\d{1,4}) (?:-->|-\.->|==>)(?:\|"[^"]{0,200}"\|)? (n\d{1,4})')
_ARROW = re.compile(r"^`?([^→`]{1,100}?)`? → `?([^→`(]{1,100}?)`?(?: \([^()]{0,100}\))?$")
_USES, _USED = frozenset({"Uses", "Depends on", "Imports"}), frozenset({"Used by", "Imported by"})
_SKIPPED = frozenset({"Related pages", "Sources"})
Told = tuple[FactKind, str]


def bundle(
    title: str, slot: str, body: str, *, context: Sequence[str] = (), modules: Sequence[str] = ()
) -> Bundle:
    """What a model is told for a slot of a page with this body."""
    facts: list[Fact] = []
    left = BYTES_MAX
    tolds: set[Told] = set()
    for told in _told(title, body):
        if told in tolds:
            continue
        tolds.add(told)
        kind, words = told
        text = normalised(words[: 2 * FACT_MAX])[:FACT_MAX]
        left -= len(text.encode()) + 40
        if left < 0:
            break
        if text:
            facts.append(Fact(f"f{len(facts) + 1}", kind, text))
    return Bundle(
        normalised(title),
        slot,
        tuple(facts),
        tuple(normalised(each) for each in context[:CONTEXT_MAX]),
        tuple(sorted({normalised(module) for module in modules})),
    )


def normalised(words: str) -> str:
    """One line without secrets, and without characters that a reader cannot see."""
    told = " ".join(unicodedata.normalize("NFC", words).split())
    if not told.isprintable():
        told = "".join(filter(str.isprintable, told))
    return secrets.masked(told)


def plain(words: str) -> str:
    """Markdown of a line as text in which code keeps its backticks."""
    bare = _CITED.sub(lambda found: f"`{unquote(found[1])}`", words)
    return ESCAPED.sub(r"\1", _LINK.sub(r"\1", bare).replace("**", ""))


def _told(title: str, body: str) -> Iterator[Told]:
    section = ""
    for block in _blocks(body):
        first = block[0]
        if first.startswith("#"):
            section = plain(first.lstrip("#").strip())
        elif section in _SKIPPED:
            continue
        elif first.startswith("```"):
            yield from _of_code(block)
        elif first.startswith("|"):
            yield from _of_table(block, title, section)
        elif first.startswith(">"):
            yield "excerpt", plain(" ".join(line.lstrip("> ") for line in block))
        elif first.startswith("- "):
            for line in block:
                item = plain(line.removeprefix("- "))
                arrow = _ARROW.fullmatch(item)
                yield ("edge", f"{arrow[1]} → {arrow[2]}") if arrow else ("item", item)
        else:
            yield "sentence", plain(" ".join(block))


def _blocks(body: str) -> Iterator[list[str]]:
    """Paragraphs, tables, lists, and blocks of code as a whole."""
    block: list[str] = []
    fence = ""
    for line in body.split("\n"):
        if fence:
            block.append(line)
            if line == fence:
                fence = ""
        elif line.strip():
            if line.startswith("```"):
                fence = line[: len(line) - len(line.lstrip("`"))]
            block.append(line)
        if block and not fence and (not line.strip() or line.startswith("```")):
            yield block
            block = []
    if block:
        yield block


def _of_table(block: Sequence[str], title: str, section: str) -> Iterator[Told]:
    head, *rows = ([plain(cell.strip()) for cell in _CELL.split(line)[1:-1]] for line in block)
    for cells in rows[1:]:
        named = zip(head, cells, strict=False)
        yield "row", "; ".join(f"{name}: {cell}" for name, cell in named if cell)
        other = cells[0].strip("`") if cells else ""
        if section in _USES and other:
            yield "edge", f"{title} → {other}"
        elif section in _USED and other:
            yield "edge", f"{other} → {title}"


def _of_code(block: Sequence[str]) -> Iterator[Told]:
    if not block[0].endswith("mermaid"):
        yield from (("command", line.strip()) for line in block[1:-1] if line.strip())
        return
    names = {match[1]: match[2] for line in block if (match := _NODE.match(line))}
    for line in block:
        edge = _EDGE.match(line)
        if edge and edge[1] in names and edge[2] in names:
            yield "edge", f"{names[edge[1]]} → {names[edge[2]]}"
