"""Credentials in a commit in plain text, as far as their form makes that sure.

Only forms that issuers give to credentials count, and only where a file is no test, example or
page and the line no comment. Only its kind and place are reported, never the value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from stationmaster.catalogue import lists, secrets
from stationmaster.readiness.facts import Facts, once
from stationmaster.reading.projects import credentials
from stationmaster.reading.projects.model import Place
from stationmaster.reading.projects.test_files import is_test

FILES_MAX = 20_000
SIZE_MAX = 128 * 1024
FOUND_MAX = 20
_KEY_FILE = re.compile(r"(?:.*/)?(?:master|credentials/production|production)\.key")
_KEY = re.compile(r"\s*([0-9a-f]{32})\s*")
_COMMENT = re.compile(r"\s*(?://|#|\*|--|/\*|<!--|;)")


class Leak(NamedTuple):
    """The kind and place of a credential in plain text; never its value."""

    kind: str
    place: Place


@once
def of(facts: Facts) -> Sequence[Leak]:
    """The first of them, in the order of paths and lines."""
    leaks: list[Leak] = []
    paths = [path for path in facts.tree.paths if _may_leak(path)][:FILES_MAX]
    paths = [path for path in paths if facts.files.entry(path).size <= SIZE_MAX]
    facts.files.contents.fetch(paths)
    for path in paths:
        if len(leaks) >= FOUND_MAX:
            break
        leaks += _of_text(path, facts.tree.text(path))
    return leaks[:FOUND_MAX]


def assigns(text: str) -> bool:
    """Does a file of variables give a secret a value that may be real?"""
    return any(
        credentials.is_varied(value) and "$" not in value
        for value in lists.pattern("secret-variable").findall(text)
    )


def _may_leak(path: str) -> bool:
    return not (
        is_test(path)
        or lists.pattern("page-or-lock").search(path)
        or lists.pattern("binary-file").search(path)
        or lists.pattern("harmless-path").search(path)
    )


def _of_text(path: str, text: str) -> Iterator[Leak]:
    if _KEY_FILE.fullmatch(path) and _KEY.fullmatch(text):
        yield Leak("key of encrypted credentials", Place(path))
    for form in secrets.forms("sure"):
        for seen in form.all_in(text):
            begin = text.rfind("\n", 0, seen.start()) + 1
            if credentials.is_varied(seen[1]) and not _COMMENT.match(text, begin, seen.start()):
                yield Leak(form.kind, Place(path, text.count("\n", 0, seen.start()) + 1))
