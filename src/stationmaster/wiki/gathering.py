"""Everything that a wiki is made of, read from one commit.

Code is parsed by other processes while this one reads the project and the history.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import msgspec

from stationmaster.code import classes
from stationmaster.code.classes import Record
from stationmaster.code.languages import VERSION
from stationmaster.code.looks import SIZE_MAX
from stationmaster.code.model import FileFacts, Status
from stationmaster.code.pool import Pool
from stationmaster.code.shelf import Head, Shelf
from stationmaster.pipelines.scan import scan
from stationmaster.projects import credentials, reading
from stationmaster.projects.queries import Tree
from stationmaster.repos.files import Files
from stationmaster.repos.reading import Snapshot
from stationmaster.wiki import log
from stationmaster.wiki.facts.model import Commit, Facts
from stationmaster.wiki.memo import Memory

Tell = Callable[[str, int, int], None]
"""Told of progress: the step, how much of it is done, and of how much."""

_HEAD = msgspec.msgpack.Decoder(Head)


def gather(
    snapshot: Snapshot, commit: Commit, memory: Memory, tell: Tell = lambda *_: None
) -> Facts:
    """Everything that pages may ask about."""
    files = Files(snapshot, is_closed=credentials.never_opened)
    pipelines = scan(files)
    project = reading.read(files, pipelines)
    inventory = classes.sort(files, project.products)
    records = dict(inventory.records)
    code = _parsed(snapshot, records, memory, tell)
    heads = _settle(records, code)
    told = log.read(snapshot, memory)
    tree = Tree(files, project)
    return Facts(commit, tree, pipelines, records, code, heads, inventory.dropped, told)


def _parsed(snapshot: Snapshot, records: Mapping[str, Record], memory: Memory, tell: Tell) -> Shelf:
    shelf = Shelf()
    missing: dict[str, Record] = {}
    for record in records.values():
        if record.is_code:
            kept = memory.file(record.oid, record.language, VERSION)
            if kept is None:
                missing[record.path] = record
            else:
                shelf.put(record.path, kept)

    def contents() -> Iterator[tuple[str, str, bytes]]:
        for path, data in snapshot.read_many(missing, SIZE_MAX):
            yield path, missing[path].language, data

    if missing:
        with Pool() as pool:
            for count, (path, told) in enumerate(pool.read(contents())):
                tell("parse", count, len(missing))
                if told is not None:
                    memory.keep_file(missing[path].oid, missing[path].language, VERSION, told)
                shelf.put(path, told or _unread("timeout"))
        for path in missing:
            if path not in shelf:
                shelf.put(path, _unread("too-large"))
    return shelf


def _settle(records: dict[str, Record], code: Shelf) -> Mapping[str, Head]:
    """Sort out what turned out to be no source; the heads of what was read."""
    heads = {path: _HEAD.decode(code.encoded(path)) for path in sorted(code)}
    classes.settle(records, {path: (each.status, each.language) for path, each in heads.items()})
    code.sort(without={path for path in heads if not records[path].is_ours})
    return heads


def _unread(status: Status) -> bytes:
    return msgspec.msgpack.encode(FileFacts(status=status))
