"""From a commit to a wiki: read, link, plan, write.

Everything is a function of the commit and of this version. What is remembered from earlier runs
(`Memory`) saves work, and changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import msgspec

from stationmaster.code import classes
from stationmaster.code.classes import Record
from stationmaster.code.languages import VERSION
from stationmaster.code.model import FileFacts
from stationmaster.code.pool import Pool
from stationmaster.code.reading import SIZE_MAX
from stationmaster.pipelines.scan import scan
from stationmaster.projects import reading
from stationmaster.projects.queries import Tree
from stationmaster.repos.files import Files
from stationmaster.repos.reading import Snapshot
from stationmaster.wiki.facts.model import Commit, Facts
from stationmaster.wiki.memo import Memory
from stationmaster.wiki.pages import catalogue
from stationmaster.wiki.pages.model import Planned
from stationmaster.wiki.text.page import Page

Tell = Callable[[str, int, int], None]
"""Told of progress: the step, how much of it is done, and of how much."""

STEPS = ("inventory", "parse", "link", "render", "validate", "store")


class Written(msgspec.Struct, frozen=True):
    """A page as it is stored: `body` begins with its title, citations are not yet addresses."""

    key: str
    title: str
    description: str
    body: str
    sources: tuple[str, ...]


class Wiki(NamedTuple):
    commit: Commit
    pages: tuple[Written, ...]
    stats: Mapping[str, int]


def generate(
    snapshot: Snapshot, commit: Commit, memory: Memory, tell: Tell = lambda *_: None
) -> Wiki:
    """Raises what reading a repository raises."""
    tell("inventory", 0, 1)
    facts = gather(snapshot, commit, memory, tell)
    tell("link", 0, 1)
    planned = catalogue.plan(facts)
    pages = []
    for count, each in enumerate(planned):
        tell("render", count, len(planned))
        pages.append(_page(each, facts, memory))
    stats = {
        "files": len(facts.records),
        "codeFiles": len(facts.code),
        "lines": sum(each.lines for each in facts.code.values()),
        "pages": len(pages),
    }
    return Wiki(commit, tuple(pages), stats)


def gather(
    snapshot: Snapshot, commit: Commit, memory: Memory, tell: Tell = lambda *_: None
) -> Facts:
    """Everything that pages may ask about."""
    files = Files(snapshot)
    pipelines = scan(files)
    project = reading.read(files, pipelines)
    records = classes.sort(files, project.products)
    code = _code(snapshot, records, memory, tell)
    return Facts(commit, Tree(files, project), pipelines, records, code)


def _code(
    snapshot: Snapshot, records: Mapping[str, Record], memory: Memory, tell: Tell
) -> Mapping[str, FileFacts]:
    wanted = [each for each in records.values() if each.is_code]
    known: dict[str, FileFacts] = {}
    missing: list[Record] = []
    for record in wanted:
        kept = memory.file(record.oid, record.language, VERSION)
        if kept is None:
            missing.append(record)
        else:
            known[record.path] = kept
    if missing:
        by_path = {each.path: each for each in missing}

        def contents() -> Iterator[tuple[str, str, bytes]]:
            for path, data in snapshot.read_many(by_path, SIZE_MAX):
                yield path, by_path[path].language, data

        with Pool() as pool:
            for count, (path, told) in enumerate(pool.read(contents())):
                tell("parse", count, len(missing))
                if told is None:
                    known[path] = FileFacts(status="timeout")
                else:
                    known[path] = msgspec.msgpack.decode(told, type=FileFacts)
                    memory.keep_file(by_path[path].oid, by_path[path].language, VERSION, told)
        for path in by_path:
            known.setdefault(path, FileFacts(status="too-large"))
    return {path: known[path] for path in sorted(known)}


def _page(planned: Planned, facts: Facts, memory: Memory) -> Written:
    kept = memory.page(planned, facts)
    if kept is not None:
        return kept
    with facts.noting() as asked:
        page = Page(facts, planned.key, planned.title)
        planned.write(page, facts, planned.subject)
        written = Written(planned.key, planned.title, page.description, page.body(), page.sources)
    memory.keep_page(planned, list(asked), written)
    return written
