"""All files, in chapters that fit on a page."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping

from stationmaster.reading.projects.paths import folder_of, parents
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.facts.symbols import public_of

CHAPTER_FILES = 400
CHAPTERS_MAX = 60


@query
def chapters(facts: Facts) -> tuple[str, ...]:
    """Folders whose files of source and tests fit on a page each; by path."""
    return tuple(_chapters(facts))


@query
def files_of(facts: Facts, chapter: str) -> tuple[str, ...]:
    """The files of source and tests of a chapter, by folder and name."""
    found = _chapters(facts).get(chapter, ())
    return tuple(sorted(found, key=lambda path: (path.rpartition("/")[0], path)))


@query
def others_of(facts: Facts, chapter: str) -> tuple[tuple[str, str, int], ...]:
    """The other files of a chapter: their folder and kind, and how many; the most first."""
    homes = _chapters(facts)
    counts: Counter[tuple[str, str]] = Counter()
    for path, record in facts.records.items():
        if not record.is_ours:
            folder = folder_of(path)
            home = next(
                (parent for parent in parents(folder) if parent in homes), next(iter(homes))
            )
            if home == chapter:
                counts[folder, record.file_class] += 1
    order = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    return tuple((*pair, count) for pair, count in order)


@query
def public_names(facts: Facts, path: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each.qualified for each in public_of(facts, path)))


@query
def _chapters(facts: Facts) -> Mapping[str, tuple[str, ...]]:
    """The smallest folders down from the root that hold no more than a page takes; what lies
    beside them is a chapter of the folder itself."""
    ours = [path for path, record in facts.records.items() if record.is_ours]
    most = max(CHAPTER_FILES, len(ours) // CHAPTERS_MAX)
    below = Counter(parent for path in ours for parent in parents(folder_of(path)))
    found: dict[str, list[str]] = defaultdict(list)
    for path in ours:
        line = list(reversed(parents(folder_of(path))))
        found[next((each for each in line if below[each] <= most), line[-1])].append(path)
    folders = {above for each in found for above in parents(each)}
    for each in sorted(folders, key=lambda folder: (-folder.count("/"), folder)):
        home, size = folder_of(each), len(found.get(each, ()))
        if each != "." and 0 < size < most // 4 and len(found.get(home, ())) + size <= most:
            found[home] += found.pop(each)
    return {each: tuple(found[each]) for each in sorted(found)}
