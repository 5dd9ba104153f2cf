"""Whole projects of others that tests read: they say nothing of the repository they lie in."""

from __future__ import annotations

import re
from collections.abc import Sequence

from stationmaster.catalogue.repositories.layout import layout
from stationmaster.reading.projects.paths import folder_of, parents
from stationmaster.reading.projects.test_files import has_test_name, in_tests, is_test_folder

_LICENCE = re.compile(r"(?i)(?:licen[cs]e|copying)(?:[.-].{1,40})?")
_SUITE = re.compile(
    r".{1,200}\.(?:feature|robot|cy\.[jt]sx?)|(?:playwright|cypress|jest|vitest|karma|wdio)\.conf.{1,40}"
    r"|pytest\.ini|phpunit\.xml.{0,20}|\.rspec"
)


def folders(paths: Sequence[str]) -> frozenset[str]:
    """Folders below one of tests with a manifest of their own that are no suite of tests: none of
    their files is named as a test or configures a runner, or they bring their own licence."""
    candidates = {
        folder
        for path in paths
        if path.rpartition("/")[2] in layout().files.projects
        and _is_among_tests(folder := folder_of(path))
    }
    suites: set[str] = set()
    licensed: set[str] = set()
    for path in paths if candidates else ():
        name = path.rpartition("/")[2]
        if has_test_name(path) or _SUITE.fullmatch(name):
            suites.update(candidates.intersection(parents(folder_of(path))))
        elif _LICENCE.fullmatch(name) and folder_of(path) in candidates:
            licensed.add(folder_of(path))
    return frozenset(candidates - suites | licensed)


def _is_among_tests(folder: str) -> bool:
    above, _, name = folder.rpartition("/")
    return above != "" and in_tests(above) and not is_test_folder(name)
