"""Credentials that stand in a commit in plain text, as far as their form makes that sure.

Only forms that issuers give to credentials count, and only where a file is no test, example or
page and the line no comment. A value is never told, only its kind and place.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from stationmaster.catalogue import secrets
from stationmaster.readiness.facts import Facts
from stationmaster.reading.projects.model import Place
from stationmaster.reading.projects.queries import Tree
from stationmaster.reading.projects.test_files import is_test

FILES_MAX = 20_000
SIZE_MAX = 128 * 1024
FOUND_MAX = 20
ENTROPY_MIN = 3.2
"""Bits a character. Words and repeated letters have less, random text of 20 letters more."""
_KEY_FILE = re.compile(r"(?:.*/)?(?:master|credentials/production|production)\.key")
_KEY = re.compile(r"\s*([0-9a-f]{32})\s*")
_HARMLESS_PATH = re.compile(
    r"(?:^|[/._-])(?:tests?|testing|spec|specs|e2e|examples?|samples?|mocks?|fixtures?|fakes?"
    r"|dumm(?:y|ies)|demo|docs?|dev"
    r"|development|local(?:host)?|ci|\.github|\.gitlab|\.circleci|stubs?|snakeoil|self-?signed"
    r"|insecure|devcontainer|vagrant|playground|benchmarks?)(?:[/._-]|$)",
    re.I,
)
_PAGE = re.compile(
    r"\.(?:md|mdx|rst|adoc|txt|html?|ipynb|svg|lock|sum|map|snap|po|csv|min\.js|css)$|(?:^"
    r"|/)(?:package-lock\.json|pnpm-lock\.yaml|yarn\.lock)$",
    re.I,
)
_BINARY = re.compile(
    r"\.(?:png|jpe?g|gif|webp|ico|pdf|zip|gz|tgz|jar|woff2?|ttf|eot|otf|mp[34]|wasm|so|dll|exe"
    r"|bin|dat|db|sqlite3?|p12|jks|keystore|lockb)$",
    re.I,
)
_PLACEHOLDER = re.compile(
    r"example|xxxx|0000|1234|abcd|your|change|dummy|fake|sample|placeholder|redacted|test|\*\*\*",
    re.I,
)
_COMMENT = re.compile(r"\s*(?://|#|\*|--|/\*|<!--|;)")
_VARIABLE = re.compile(
    r"^[ \t]*(?:export\s+)?\w{0,60}(?:KEY|SECRET|TOKEN|PASSWORD"
    r"|PASSWD)\w{0,40}\s*=\s*[\"']?([^\s\"'#]{16,500})",
    re.M,
)


class Leak(NamedTuple):
    """What kind of credential stands in plain text, and where; never its value."""

    kind: str
    place: Place


def of(facts: Facts) -> Sequence[Leak]:
    """The first of them, in the order of paths and lines."""
    return facts.remembered("leaks", lambda: _find(facts.tree))


def _find(tree: Tree) -> Sequence[Leak]:
    leaks: list[Leak] = []
    for path in [path for path in tree.paths if _may_leak(path)][:FILES_MAX]:
        if len(leaks) >= FOUND_MAX:
            break
        if tree.files.entry(path).size <= SIZE_MAX:
            leaks += _of_text(path, tree.text(path))
    return leaks[:FOUND_MAX]


def assigns(text: str) -> bool:
    """Does a file of variables give a secret a value that may be real?"""
    return any(_is_random(value) and "$" not in value for value in _VARIABLE.findall(text))


def _may_leak(path: str) -> bool:
    return not (
        _PAGE.search(path) or _BINARY.search(path) or _HARMLESS_PATH.search(path) or is_test(path)
    )


def _of_text(path: str, text: str) -> Iterator[Leak]:
    if _KEY_FILE.fullmatch(path) and _KEY.fullmatch(text):
        yield Leak("key of encrypted credentials", Place(path))
    for form in secrets.forms("sure"):
        for seen in form.all_in(text):
            begin = text.rfind("\n", 0, seen.start()) + 1
            if _is_random(seen[1]) and not _COMMENT.match(text, begin, seen.start()):
                yield Leak(form.kind, Place(path, text.count("\n", 0, seen.start()) + 1))


def _is_random(value: str) -> bool:
    if _PLACEHOLDER.search(value):
        return False
    counts = Counter(value)
    entropy = -sum(n / len(value) * math.log2(n / len(value)) for n in counts.values())
    return entropy >= ENTROPY_MIN
