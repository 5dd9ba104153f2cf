"""How good a wiki is, in numbers that need no person and no model.

What has to be measured over several runs (sameness of bytes, speed, memory) or against the work of
others is in `benchmarks`.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple
from urllib.parse import unquote

from stationmaster.wiki.checks import links, scanning
from stationmaster.wiki.checks.links import Report
from stationmaster.wiki.facts.code.modules import modules
from stationmaster.wiki.facts.code.ranks import ranks
from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.text.inline import Place

PAGE_BYTES = 200 * 1024
NODES = 25
CLICKS = 3
FACTS_MIN = 5
_WORD = re.compile(r"\w{2,}")
_SPAN = re.compile(r"(?<!`)`++([^`]++)`++")
_NODE = re.compile(r"^  (n\d+)[\[({]", re.MULTILINE)
_FENCE = re.compile(r"^```(\w*)\n(.*?)(?:^```$|\Z)", re.MULTILINE | re.DOTALL)
_FILLER = re.compile(
    r"(?i)\b(?:robust|seamless(?:ly)?|comprehensive|powerful|cutting-edge|state-of-the-art"
    r"|leverag(?:es|ing)|blazing(?:ly)?)\b"
)
_QUOTED = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`|^[>|-][^\n]*$|“[^“”]*”", re.DOTALL | re.MULTILINE)
"""Code, and what a repository says itself."""


class Metric(NamedTuple):
    """`value` of `of`; `gate` is the least share that passes, `goal` what is wanted."""

    id: str
    name: str
    value: int
    of: int
    gate: float
    goal: float

    @property
    def share(self) -> float:
        return self.value / self.of if self.of else 1.0

    @property
    def passes(self) -> bool:
        return self.share >= self.gate


class Wiki(NamedTuple):
    """The texts of a wiki by file, what checking them told, the facts of its commit, the text of a
    file of that commit ('' for one that cannot be read), and what an address cites."""

    pages: Mapping[str, str]
    report: Report
    facts: Facts
    text: Callable[[str], str]
    cited: Callable[[str], Place | None]


def measure(wiki: Wiki) -> list[Metric]:
    """Every metric, by id."""
    sources = [p for p, record in wiki.facts.records.items()
               if record.is_code and record.file_class == "source"]  # fmt: skip
    unresolved = wiki.report.unresolved or 0
    broken = sum(problem.code not in ("no-file", "no-line") for problem in wiki.report.problems)
    return [
        Metric("Q1", "citations that resolve", wiki.report.citations - unresolved,
               wiki.report.citations, 1, 1),
        Metric("Q2", "citations whose lines name what they stand for", *_about(wiki), 0.99, 0.998),
        Metric("Q3", "links that lead somewhere", wiki.report.links - broken,
               wiki.report.links, 1, 1),
        Metric("Q4", "source files in one module", *_covered(wiki, sources), 1, 1),
        Metric("Q5", "rank of files that a module's page names", *_narrated(wiki, sources),
               0.9, 0.97),
        Metric("Q21", "diagrams within their limits", *_diagrams(wiki), 1, 1),
        Metric("Q22", "pages within their sizes", *_sizes(wiki), 1, 1),
        Metric("Q23", "pages without filler", *_dense(wiki), 1, 1),
        Metric("Q24", "pages within three clicks of the first", *_reached(wiki), 1, 1),
    ]  # fmt: skip


def _about(wiki: Wiki) -> tuple[int, int]:
    """Of citations with lines beside a name in code: those whose lines hold a word of it; not of
    files that are too large to read."""
    good = all_ = 0
    lines_of: dict[str, list[str]] = {}
    for text in wiki.pages.values():
        for line in text.splitlines():
            places = [each for each in _places(wiki, line) if each.line is not None]
            if len(places) != 1:
                continue
            place = places[0]
            shown = f"{place.path}:{place.line}"
            words = {
                word
                for span in _SPAN.findall(line)
                if not span.startswith(shown) and place.path not in span
                for word in _WORD.findall(span)
            }
            if place.path not in lines_of:
                lines_of[place.path] = wiki.text(place.path).splitlines()
            if not words or not lines_of[place.path]:
                continue
            all_ += 1
            first = place.line or 1
            cited = "\n".join(lines_of[place.path][first - 1 : place.end or first]).lower()
            good += any(word.lower() in cited for word in words)
    return good, all_


def _places(wiki: Wiki, line: str) -> Iterator[Place]:
    for found in scanning.scan(line):
        place = None
        if found.kind == "link":
            place = wiki.cited(found.text)
        elif found.kind == "code" and (span := links.span(found.text)) is not None:
            place = span if span.path in wiki.facts.records else None
        if place is not None:
            yield place


def _covered(wiki: Wiki, sources: list[str]) -> tuple[int, int]:
    count = Counter(path for module in modules(wiki.facts) for path in module.files)
    return sum(count[path] == 1 for path in sources), len(sources)


def _narrated(wiki: Wiki, sources: list[str]) -> tuple[int, int]:
    """In millionths of the whole rank."""
    named = {
        path
        for file, text in wiki.pages.items()
        if file.startswith("modules/")
        for line in text.splitlines()
        for path in _named(line)
    }
    rank = ranks(wiki.facts)
    whole = sum(rank.get(path, 0.0) for path in sources)
    told = sum(rank.get(path, 0.0) for path in sources if path in named)
    return (round(told / whole * 10**6), 10**6) if whole else (0, 0)


def _named(line: str) -> Iterator[str]:
    """Paths, and names of files behind their folder's in a list."""
    spans = [span.strip().partition(":")[0] for span in _SPAN.findall(line)]
    yield from spans
    if line.startswith("- ") and spans:
        yield from (each if spans[0] == "." else f"{spans[0]}/{each}" for each in spans[1:])


def _diagrams(wiki: Wiki) -> tuple[int, int]:
    drawn = [
        body
        for text in wiki.pages.values()
        for kind, body in _FENCE.findall(text)
        if kind == "mermaid"
    ]
    return sum(len(set(_NODE.findall(each))) <= NODES for each in drawn), len(drawn)


def _sizes(wiki: Wiki) -> tuple[int, int]:
    good = sum(len(text.encode()) <= PAGE_BYTES for text in wiki.pages.values())
    return good, len(wiki.pages)


def _dense(wiki: Wiki) -> tuple[int, int]:
    """Pages that state something in plain words: no section is empty, nothing is said twice."""
    good = 0
    for file, text in wiki.pages.items():
        found = sum(each.kind != "anchor" for each in scanning.scan(text))
        blocks = [block.strip("\n") for block in text.split("\n\n") if block.strip()]
        paragraphs = [each for each in blocks if len(each) > 80 and each[0] not in "#|-`>*"]
        empty = any(
            one.startswith("#") and _level(two) and _level(one) >= _level(two)
            for one, two in pairwise(blocks)
        )
        is_plain = _FILLER.search(_QUOTED.sub("", text)) is None
        repeats = len(set(paragraphs)) < len(paragraphs)
        says_enough = found >= FACTS_MIN or file.startswith("gaps")
        good += says_enough and not empty and not repeats and is_plain
    return good, len(wiki.pages)


def _level(block: str) -> int:
    """Of a heading; 0 for anything else."""
    return len(block) - len(block.lstrip("#")) if block.startswith("#") else 0


def _reached(wiki: Wiki) -> tuple[int, int]:
    leads: dict[str, set[str]] = {}
    for file, text in wiki.pages.items():
        folder = posixpath.dirname(file)
        leads[file] = {
            posixpath.normpath(posixpath.join(folder, unquote(found.text.partition("#")[0])))
            for found in scanning.scan(text)
            if found.kind == "link" and ":" not in found.text
        }
    seen = {"index.md"}
    edge = {"index.md"}
    for _ in range(CLICKS):
        edge = {to for each in edge for to in leads.get(each, ())} & wiki.pages.keys() - seen
        seen |= edge
    return len(seen & wiki.pages.keys()), len(wiki.pages)
