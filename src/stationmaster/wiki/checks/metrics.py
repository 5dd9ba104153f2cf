"""How good a generated wiki is, in numbers that need no model.

Source: wiki reference, section 18, whose ids these are.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from stationmaster.wiki.checks import links
from stationmaster.wiki.checks.links import Counts, Report
from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.facts.modules import modules
from stationmaster.wiki.facts.ranks import ranks
from stationmaster.wiki.model import PAGE_BYTES_MAX, PAGES_MAX
from stationmaster.wiki.written import Written

_CONTAINERS = frozenset({"class", "interface", "struct", "enum", "trait", "protocol", "object",
                         "type", "function"})  # fmt: skip
_HEADING = re.compile(r"(#{1,6}) ")
_LINK = re.compile(r"\]\(((?:\.\./)*[\w./%-]+)\.md(?:#[^)]*)?\)")
_FILLER = re.compile(
    r"(?i)\b(?:robust|seamless(?:ly)?|comprehensive|powerful|cutting-edge|state-of-the-art"
    r"|leverag(?:es|ing)|blazing(?:ly)?)\b"
)
_CODE = re.compile(r"```.*?```|`[^`\n]*`|^>.*$", re.DOTALL | re.MULTILINE)
_PARAGRAPH_MIN = 80
_CLICKS_MAX = 3


class Metric(NamedTuple):
    """`value` is a share, or a count where `is_least` says that less is better; None where there is
    nothing to measure."""

    id: str
    name: str
    value: float | None
    gate: float
    goal: float
    is_least: bool = False

    @property
    def passes(self) -> bool:
        if self.value is None:
            return True
        return self.value <= self.gate if self.is_least else self.value >= self.gate


def measure(
    facts: Facts, pages: Sequence[Written], lines_of: Counts | None = None
) -> tuple[Metric, ...]:
    """Of the pages that were written of these facts; citations only where lines can be counted."""
    bodies = {each.key: each.body for each in pages}
    files = {f"{key}.md": body for key, body in bodies.items()}
    report = links.check(files, cited=links.source, lines_of=lines_of)
    steps = _clicks(bodies)
    sizes = [len(body.encode()) for body in bodies.values()]
    return (
        *_of_links(report),
        *_of_coverage(facts, pages),
        Metric("Q22", "pages beyond their size or number",
               sum(size > PAGE_BYTES_MAX for size in sizes) + max(0, len(sizes) - PAGES_MAX),
               0, 0, is_least=True),
        Metric("Q23", "empty sections, repeated paragraphs, filler words", _filler(bodies), 0, 0,
               is_least=True),
        Metric("Q24", "pages that no link leads to", len(bodies) - len(steps), 0, 0, is_least=True),
        Metric("Q24b", "clicks from the first page to the farthest", max(steps.values(), default=0),
               _CLICKS_MAX, _CLICKS_MAX, is_least=True),
    )  # fmt: skip


def _of_links(report: Report) -> tuple[Metric, ...]:
    bad = Counter(each.code in ("no-file", "no-line") for each in report.problems)
    held = None
    if report.unresolved is not None and report.citations:
        held = 1 - report.unresolved / report.citations
    whole = 1 - bad[False] / report.links if report.links else None
    return (
        Metric("Q1", "citations that stand where they say", held, 1, 1),
        Metric("Q3", "links that lead somewhere", whole, 1, 1),
    )


def _of_coverage(facts: Facts, pages: Sequence[Written]) -> tuple[Metric, ...]:
    source = [path for path in facts.code if facts.records[path].file_class == "source"]
    owners = Counter(path for each in modules(facts) for path in each.files)
    listed = "\n".join(each.body for each in pages if each.key.startswith("source-index"))
    covered = [path for path in source if owners[path] == 1 and path.rpartition("/")[2] in listed]
    told = {path for each in pages if each.key.startswith("modules/") for path in each.sources}
    mass = ranks(facts)
    total = sum(mass.values())
    symbols = [
        each.name for path in source for each in facts.code[path].symbols
        if each.is_public and not each.container and each.kind in _CONTAINERS
    ]  # fmt: skip
    words = set(re.findall(r"\w+", " ".join(each.body.replace("\\", "") for each in pages)))
    return (
        Metric("Q4", "source files in one module and on the index", _share(covered, source), 1, 1),
        Metric("Q5", "rank of files that module pages cite",
               sum(mass.get(path, 0) for path in told) / total if total else None, 0.9, 0.97),
        Metric("Q6", "public symbols that are named",
               _share([name for name in symbols if name in words], symbols), 0.9, 0.98),
    )  # fmt: skip


def _share(some: Sequence[str], of: Sequence[str]) -> float | None:
    return len(some) / len(of) if of else None


def _filler(bodies: Mapping[str, str]) -> int:
    count = 0
    seen: Counter[str] = Counter()
    for body in bodies.values():
        blocks = [each for each in body.split("\n\n") if each.strip()]
        for block, following in zip(blocks, [*blocks[1:], "# "], strict=True):
            heading, then = _HEADING.match(block), _HEADING.match(following)
            if heading and then:
                count += len(then[1]) <= len(heading[1])
        plain = _CODE.sub("", body)
        count += len(_FILLER.findall(plain))
        paragraphs = map(str.strip, plain.split("\n\n"))
        seen.update(each for each in paragraphs
                    if len(each) >= _PARAGRAPH_MIN and each[0].isalpha())  # fmt: skip
    return count + sum(times - 1 for times in seen.values() if times > 1)


def _clicks(bodies: Mapping[str, str]) -> Mapping[str, int]:
    """How many links each page is away from the first one, of those that can be reached."""
    steps = {"index": 0} if "index" in bodies else {}
    waiting = deque(steps)
    while waiting:
        key = waiting.popleft()
        for other in _linked(key, bodies[key]):
            if other in bodies and other not in steps:
                steps[other] = steps[key] + 1
                waiting.append(other)
    return steps


def _linked(key: str, body: str) -> Iterable[str]:
    for address in _LINK.findall(body):
        folder = key.split("/")[:-1]
        while address.startswith("../"):
            address, folder = address[3:], folder[:-1]
        yield "/".join([*folder, address])
