"""What the log of two years proves: how often files change, what changes together, what moved.

Programs that commit by themselves do not count. Nothing here tells who somebody is.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from itertools import combinations
from typing import NamedTuple

from stationmaster.reading.projects.paths import folder_of, parents
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.facts.modules import module, module_of
from stationmaster.wiki.log import Change

TOGETHER_FILES_MAX = 30
"""Files of a commit that says something of each pair: more are a sweep through everything."""
TOGETHER_MIN = 4
TOGETHER_SHARE_MIN = 0.4
MOVE_FILES_MIN = 4
REMOVED_FILES_MIN = 5
FOUND_MAX = 200
_BIRTH_DEPTH_MAX = 3


class Span(NamedTuple):
    """Commits that are no merges, those of programs apart. `since` is the oldest one, as a date;
    `is_complete` says that the history began there."""

    commits: int
    by_bots: int
    since: str
    until: str
    is_complete: bool


class Churn(NamedTuple):
    """Of a file or folder: commits, how many people made them, and the dates of the first and last
    one that are known; '' for what did not change."""

    commits: int
    authors: int
    since: str
    until: str


class Month(NamedTuple):
    """`month` is `2026-03`; `files` counts changes of files."""

    month: str
    commits: int
    files: int


class Together(NamedTuple):
    """Two files of different modules that change together: in how many commits, and in what part
    of those of the one that changes less."""

    one: str
    other: str
    commits: int
    share: float


class Moved(NamedTuple):
    """Files that went from one folder to another unchanged, in one commit; `` is the root."""

    start: str
    end: str
    files: int
    at: str


class Dated(NamedTuple):
    """A folder, and when its first file came or its last one went."""

    folder: str
    files: int
    at: str


class Release(NamedTuple):
    name: str
    at: str


@query
def span(facts: Facts) -> Span:
    changes = facts.log.changes
    people = [each for each in changes if not each.is_by_bot]
    dates = sorted(each.at for each in people)
    return Span(
        len(people), len(changes) - len(people), _date(dates[0]) if dates else "",
        _date(dates[-1]) if dates else "", facts.log.is_complete,
    )  # fmt: skip


@query
def churn(facts: Facts, path: str) -> Churn:
    """Of a file, or of all files of a folder together."""
    found = _changes_of(facts).get(path, ())
    return _churn(facts, found)


@query
def churns(facts: Facts) -> Mapping[str, int]:
    """Commits by file, of those that there are and that changed at all."""
    return {
        path: len(found) for path, found in sorted(_changes_of(facts).items())
        if path in facts.records
    }  # fmt: skip


@query
def churn_of_module(facts: Facts, key: str) -> Churn:
    """Of its files together: a commit that changes two of them counts once."""
    return _churn(facts, _changes_of_module(facts, key))


@query
def authors_of_module(facts: Facts, key: str) -> tuple[int, ...]:
    """How many commits each of the people made who changed it, the most first."""
    changes = facts.log.changes
    counts = Counter(changes[number].author for number in _changes_of_module(facts, key))
    return tuple(sorted(counts.values(), reverse=True))


@query
def activity(facts: Facts) -> tuple[Month, ...]:
    """By month from the first to the last, those without a commit too."""
    commits: Counter[str] = Counter()
    files: Counter[str] = Counter()
    for each in _by_people(facts):
        month = _date(each.at)[:7]
        commits[month] += 1
        files[month] += len(each.files)
    if not commits:
        return ()
    return tuple(Month(month, commits[month], files[month])
                 for month in _months(min(commits), max(commits)))  # fmt: skip


@query
def together(facts: Facts) -> tuple[Together, ...]:
    """Pairs across modules, the most frequent first: a hint, never a dependency."""
    counts: Counter[tuple[str, str]] = Counter()
    single: Counter[str] = Counter()
    for each in _by_people(facts):
        owners = {one.path: key for one in each.files if (key := module_of(facts, one.path))}
        single.update(owners.keys())
        if len(owners) <= TOGETHER_FILES_MAX:
            pairs = combinations(sorted(owners), 2)
            counts.update((one, other) for one, other in pairs if owners[one] != owners[other])
    found = []
    for (one, other), commits in counts.items():
        share = round(commits / min(single[one], single[other]), 2)
        if commits >= TOGETHER_MIN and share >= TOGETHER_SHARE_MIN:
            found.append(Together(one, other, commits, share))
    found.sort(key=lambda each: (-each.commits, -each.share, each.one, each.other))
    return tuple(found[:FOUND_MAX])


@query
def moves(facts: Facts) -> tuple[Moved, ...]:
    """Large ones, the newest first."""
    found = []
    for each in _by_people(facts):
        gone = {one.oid: one.path for one in each.files if one.status == "D"}
        if len(gone) < MOVE_FILES_MIN:
            continue
        ways = Counter(
            _way(gone[one.oid], one.path) for one in each.files
            if one.status == "A" and one.oid in gone
        )  # fmt: skip
        found += [
            Moved(start, end, files, _date(each.at))
            for (start, end), files in sorted(ways.items()) if files >= MOVE_FILES_MIN
        ]  # fmt: skip
    return tuple(found[:FOUND_MAX])


@query
def births(facts: Facts) -> tuple[Dated, ...]:
    """Folders all of whose files came within the log, the newest first; of one inside another that
    came in the same month only the outer one."""
    came: dict[str, int] = {}
    for each in facts.log.changes:  # The newest first, so the oldest addition stays.
        came.update((one.path, each.at) for one in each.files if one.status == "A")
    inside: dict[str, list[int | None]] = defaultdict(list)
    for path in facts.records:
        for folder in parents(folder_of(path))[:-1]:
            if folder.count("/") < _BIRTH_DEPTH_MAX:
                inside[folder].append(came.get(path))
    born: dict[str, Dated] = {}
    for folder, times in inside.items():
        known = [at for at in times if at is not None]
        if len(known) == len(times):
            born[folder] = Dated(folder, len(known), _date(min(known)))
    outer = [
        each for folder, each in born.items()
        if folder_of(folder) not in born or born[folder_of(folder)].at[:7] != each.at[:7]
    ]  # fmt: skip
    return tuple(sorted(outer, key=_newest)[:FOUND_MAX])


@query
def removals(facts: Facts) -> tuple[Dated, ...]:
    """Folders that lost their last file within the log without having moved, the newest first; only
    the outer ones."""
    here = {folder for path in facts.records for folder in parents(folder_of(path))}
    moved = {each.start for each in moves(facts)}
    went: dict[str, int] = {}
    counts: Counter[str] = Counter()
    for each in facts.log.changes:
        for one in each.files:
            if one.status == "D":
                for folder in parents(folder_of(one.path))[:-1]:
                    if folder not in here:
                        went.setdefault(folder, each.at)
                        counts[folder] += 1
    found = [
        Dated(folder, counts[folder], _date(at)) for folder, at in went.items()
        if folder_of(folder) not in went and counts[folder] >= REMOVED_FILES_MIN
        and not any(each == folder or each.startswith(f"{folder}/") for each in moved)
    ]  # fmt: skip
    return tuple(sorted(found, key=_newest)[:FOUND_MAX])


@query
def releases(facts: Facts) -> tuple[Release, ...]:
    """Tags by time, the newest first. Nothing where none are known, as in a mirror."""
    return tuple(Release(each.name, _date(each.at)) for each in facts.log.tags)


@query
def _changes_of(facts: Facts) -> Mapping[str, tuple[int, ...]]:
    """The numbers in the log of the commits by people that changed each file and folder."""
    found: dict[str, list[int]] = defaultdict(list)
    for number, change in enumerate(facts.log.changes):
        if change.is_by_bot:
            continue
        paths = {one.path for one in change.files}
        folders = {folder for path in paths for folder in parents(folder_of(path))}
        for each in paths | folders:
            found[each].append(number)
    return {path: tuple(numbers) for path, numbers in found.items()}


def _changes_of_module(facts: Facts, key: str) -> list[int]:
    by_path = _changes_of(facts)
    return sorted({number for path in module(facts, key).files for number in by_path.get(path, ())})


def _by_people(facts: Facts) -> Iterator[Change]:
    return (each for each in facts.log.changes if not each.is_by_bot)


def _churn(facts: Facts, numbers: Iterable[int]) -> Churn:
    found = [facts.log.changes[number] for number in numbers]
    if not found:
        return Churn(0, 0, "", "")
    times = [each.at for each in found]
    return Churn(
        len(found), len({each.author for each in found}), _date(min(times)), _date(max(times))
    )


def _way(start: str, end: str) -> tuple[str, str]:
    """The folders that differ, without what both paths end with."""
    one, other = start.split("/"), end.split("/")
    while one and other and one[-1] == other[-1]:
        one, other = one[:-1], other[:-1]
    if not one or not other:
        return "/".join(one), "/".join(other)
    if len(one) == len(start.split("/")):  # The name itself is another one.
        return folder_of(start), folder_of(end)
    return "/".join(one), "/".join(other)


def _months(first: str, last: str) -> Iterator[str]:
    year, month = map(int, first.split("-"))
    while (told := f"{year:04}-{month:02}") <= last:
        yield told
        year, month = (year, month + 1) if month < 12 else (year + 1, 1)


def _newest(each: Dated) -> tuple[int, str]:
    return -int(each.at.replace("-", "")), each.folder


def _date(at: int) -> str:
    return datetime.fromtimestamp(at / 1000, UTC).date().isoformat()
