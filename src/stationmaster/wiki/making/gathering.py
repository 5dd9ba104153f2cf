"""Everything that a wiki is made of, read from one commit.

Code is parsed by other processes while this one reads the project and the history.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from stationmaster.children.messages import Report
from stationmaster.pipelines.scan import scan
from stationmaster.reading.code import classes
from stationmaster.reading.code.classes import Record
from stationmaster.reading.code.looks import SIZE_MAX
from stationmaster.reading.code.model import FileFacts
from stationmaster.reading.code.pool import FileToRead, Pool
from stationmaster.reading.code.shelf import Head, Shelf
from stationmaster.reading.projects import credentials, reading
from stationmaster.reading.projects.queries import Tree
from stationmaster.reading.projects.test_files import may_be_test
from stationmaster.repos.contents import KEPT_MAX
from stationmaster.repos.files import Files
from stationmaster.repos.reading import Snapshot
from stationmaster.wiki.facts.model import Commit, Facts
from stationmaster.wiki.facts.remembered import Remembered
from stationmaster.wiki.making import log
from stationmaster.wiki.making.inventory import inventory
from stationmaster.wiki.making.memo import Memory
from stationmaster.wiki.making.naming import name_of

"""Called with progress: the step, how much of it is done, and of how much."""

BYTES_MAX = 128 * 2**20
"""Of all files that are read besides code: so much that what is read first never decides what is
read at all."""
_HEAD = msgspec.msgpack.Decoder(Head)


def gather(
    snapshot: Snapshot, commit: Commit, memory: Memory, report: Report = lambda *_: None
) -> Facts:
    """Everything that pages may ask about. Raises what reading a repository raises."""
    files = Files(snapshot, BYTES_MAX, is_closed=credentials.never_opened)
    sorted_files, wanted = inventory(files)
    records = dict(sorted_files.records)
    code, missing = _remembered(records, memory)
    answers = Remembered(memory, records)
    files.contents.remember = answers.made
    with snapshot.beside() as other, Pool(_contents(other, missing)) as pool:
        pipelines = scan(files)
        project = reading.read(files, pipelines)
        history = log.read(snapshot, memory)
        _parse(code, missing, pool, memory, report)
    heads = answers.heads = _settle(
        records, code, {it.folder: it.is_for_tests for it in project.manifests}
    )
    sources = [path for path in code if records[path].file_class == "source"]
    if sum(records[path].size for path in sources) <= KEPT_MAX:
        files.contents.fetch(sources)  # Questions read all of them, and one batch is faster.
    tree = Tree(files, project)
    if commit.url is None:
        commit = commit._replace(name=name_of(tree) or commit.name)
    return Facts(
        commit,
        tree,
        pipelines,
        records,
        code,
        heads,
        sorted_files.dropped,
        history,
        wanted,
        answers,
    )


def _remembered(
    records: Mapping[str, Record], memory: Memory
) -> tuple[Shelf, Mapping[str, Record]]:
    """The facts that are stored already, and the files whose facts are not."""
    shelf = Shelf()
    missing: dict[str, Record] = {}
    for record in records.values():
        if record.is_code:
            kept = memory.get("file", record.oid, record.language)
            if kept is None:
                missing[record.path] = record
            else:
                shelf.put(record.path, kept)
    return shelf, missing


def _contents(snapshot: Snapshot, missing: Mapping[str, Record]) -> Iterator[FileToRead]:
    for path, data in snapshot.read_many(missing, SIZE_MAX):
        yield FileToRead(path, missing[path].language, data)


def _parse(
    shelf: Shelf, missing: Mapping[str, Record], pool: Pool, memory: Memory, report: Report
) -> None:
    for count, parsed in enumerate(pool):
        report("parse", count, len(missing))
        shelf.put(parsed.key, parsed.facts)
        if parsed.is_whole:
            record = missing[parsed.key]
            memory.keep(parsed.facts, "file", record.oid, record.language)
    too_large = msgspec.msgpack.encode(FileFacts(status="too-large"))
    for path in missing:
        if path not in shelf:
            shelf.put(path, too_large)


def _settle(
    records: dict[str, Record], code: Shelf, projects: Mapping[str, bool]
) -> Mapping[str, Head]:
    """Sort out what turned out to be no source; the heads of what was read."""
    heads = {path: _HEAD.decode(code.encoded(path)) for path in sorted(code)}
    read = {path: (head.status, head.language) for path, head in heads.items()}
    tests = [
        path for path in heads
        if may_be_test(path) and records[path].file_class == "source"
        and any(test.kind != "fixture" for test in code[path].tests)
    ]  # fmt: skip
    tests += [path for path in classes.compiled_for_tests(code) if path in heads]
    classes.settle(records, read, tests, [*classes.called_as_tests(records, code)], projects)
    code.sort(without={path for path in heads if not records[path].is_ours})
    return heads
