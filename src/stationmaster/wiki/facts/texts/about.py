"""What the repository's own texts say that it, its packages and its modules are for.

They are quoted with their place, never told as ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain

import msgspec

from stationmaster.reading.projects.documents import first_sentence
from stationmaster.reading.projects.model import Manifest
from stationmaster.reading.projects.paths import folder_of
from stationmaster.wiki.facts.code.modules import ROOT_NAME, module
from stationmaster.wiki.facts.code.ranks import by_importance
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.text.inline import Place

READMES = (
    "README.md", "readme.md", "Readme.md", "README.rst", "README.adoc", "README.txt", "README",
    "README.markdown",
)  # fmt: skip
_FACES = (
    "__init__.py", "mod.rs", "lib.rs", "doc.go", "package-info.java", "index.ts", "index.js",
    "index.tsx",
)  # fmt: skip
"""Files that speak for their folder."""
_LEGAL = re.compile(r"(?i)copyright|licen[sc]e|spdx|all rights reserved|generated|eslint|@file")
_MARKS = (
    (re.compile(r":[a-z:]{2,20}:`[~!]?(?:[^`<>]{0,200}<)?[~!.]?(?:[\w.]{0,200}\.)?([^`<>.]{1,100})>?`"),
     r"\1"),
    (re.compile(r"\{@\w{1,20}\s+#?([^{}]{0,200})\}"), r"\1"),
    (re.compile(r"</?\w{1,20}(?:\s[^<>]{0,200})?/?>"), ""),
    (re.compile(r"(?<!\w)\[`?([A-Za-z][^\]`]{0,100})`?\](?:\([^()]{0,300}\)|\[[^\]]{0,100}\])?"),
     r"\1"),
    (re.compile(r"`{1,2}([^`]{1,200})`{1,2}_{0,2}"), r"\1"),
    (re.compile(r"\*\*([^*]{1,200})\*\*"), r"\1"),
    (re.compile(r"(?<!\w)_([^_]{1,200})_(?!\w)"), r"\1"),
)  # fmt: skip
"""Roles of reStructuredText, tags of Javadoc, HTML, links, code, stress."""
_LINKED = re.compile(
    r"<(a|picture|svg|code|pre)\b[^<>]{0,500}>.{0,500}?</\1>|<img\b[^<>]{0,500}>", re.DOTALL
)
_TAG = re.compile(r"</?(?:p|h[1-6]|div|br|center|b|strong|em|i|sub|sup|span)\b[^<>]{0,300}>")
_CHAPTER = re.compile(r"^(?:##|==) ", re.MULTILINE)
_WORK = re.compile(
    r"(?im)^(?:#{1,6}|={1,6}) .{0,20}\b(?:how to|install\w*|usage|using|set ?up|getting started"
    r"|quick|contribut\w*|develop\w*|community|licen[cs]e)\b"
)
"""Chapters behind which no sentence says what the project is."""
_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_HEAD = 20_000
_PARAGRAPHS_MAX = 40
_ASIDE = re.compile(
    r"(?i)\[!|(?:note|important|warning|in addition|see|begin|please|read|we|you|thanks?|if|for)\b"
)
_SENTENCE_MIN = 5
_WORDS_MIN = 3
_LINES_MAX = 400
_FILES_MAX = 60


class Said(msgspec.Struct, frozen=True, array_like=True):
    """A sentence of the repository's, and where it stands."""

    words: str
    place: Place


@query
def about_repository(facts: Facts) -> Said | None:
    """What it is: the description of a manifest at its root, else the beginning of its README."""
    manifests = [manifest for manifest in facts.tree.project.manifests if manifest.folder == "."]
    return next(chain(_described(facts, manifests), _readme(facts, ".")), None)


@query
def about_folder(facts: Facts, folder: str) -> Said | None:
    """What a folder is for: by its manifest, the file that speaks for it, or its README."""
    manifests = [manifest for manifest in facts.tree.project.manifests if manifest.folder == folder]
    base = "" if folder == "." else f"{folder}/"
    faces = [f"{base}{name}" for name in _FACES if f"{base}{name}" in facts.code]
    told = (*_described(facts, manifests), *_documented(facts, faces), *_readme(facts, folder))
    return next(iter(told), None)


@query
def about_module(facts: Facts, key: str) -> Said | None:
    """By its folder; where that is silent by the one of its files that matters most."""
    found = module(facts, key)
    if found.name.rpartition("/")[2] == ROOT_NAME:
        return None
    if found.files == (found.path,):
        return next(_documented(facts, found.files), None)
    said = None if found.path.endswith("*") else about_folder(facts, found.path)
    if said is not None:
        return said
    named = found.path.rpartition("/")[2].rstrip("*_-")
    own = [path for path in found.files if path.rpartition("/")[2].partition(".")[0] == named]
    in_go = [path for path in found.files if path.endswith(".go") and folder_of(path) == found.path]
    return next(_documented(facts, own + by_importance(facts, in_go)[:_FILES_MAX]), None)


@query
def about_file(facts: Facts, path: str) -> str:
    """The first sentence that a code file says of itself, else what the public symbol says that the
    file is named after; '' for none."""
    said = next(_documented(facts, (path,)), None)
    if said is not None:
        return said.words
    if path not in facts.code:
        return ""
    name = path.rpartition("/")[2].partition(".")[0].replace("_", "").replace("-", "").lower()
    return next(
        (
            plain(symbol.doc)
            for symbol in facts.code[path].symbols
            if symbol.is_public
            and not symbol.container
            and symbol.name.replace("_", "").lower() == name
            and _says(symbol.doc)
        ),
        "",
    )


def _described(facts: Facts, manifests: Sequence[Manifest]) -> Iterator[Said]:
    for manifest in manifests:
        if manifest.description and _says(manifest.description):
            line = _line(facts.tree.text(manifest.path), manifest.description)
            yield Said(plain(manifest.description), Place(manifest.path, line))


def _documented(facts: Facts, paths: Sequence[str]) -> Iterator[Said]:
    for path in paths:
        if path in facts.code and _says(facts.code[path].doc):
            yield Said(plain(facts.code[path].doc), Place(path, 1))


def _readme(facts: Facts, folder: str) -> Iterator[Said]:
    for name in READMES:
        path = name if folder == "." else f"{folder}/{name}"
        if path in facts.records:
            text = facts.tree.text(path)
            words = _sentence(text)
            if _says(words):
                yield Said(plain(words), Place(path, _line(text, words)))


def plain(words: str) -> str:
    """A sentence of a comment without the marks that tools of documentation read."""
    for pattern, kept in _MARKS:
        words = pattern.sub(kept, words)
    return " ".join(words.split())


def _sentence(text: str) -> str:
    """The first whole sentence before the first chapter of a document, also where it is written as
    HTML, that is no remark to the reader; else what comes nearest to one."""
    begin = _CHAPTER.split(_LINKED.sub("", text[:_HEAD]), maxsplit=1)[0]
    for paragraph in _PARAGRAPH.split(_TAG.sub("\n\n", begin))[:_PARAGRAPHS_MAX]:
        sentence = first_sentence(paragraph)
        is_whole = sentence.endswith((".", "!")) and len(sentence.split()) >= _SENTENCE_MIN
        if is_whole and not _ASIDE.match(sentence):
            return sentence
    nearest = first_sentence(_WORK.split(text, maxsplit=1)[0])
    return "" if _ASIDE.match(nearest) else nearest


def _says(words: str) -> bool:
    return len(words.split()) >= _WORDS_MIN and not _LEGAL.search(words)


def _line(text: str, words: str) -> int | None:
    """The line on which a sentence begins, as far as its first words tell."""
    begin = re.findall(r"\w+", words)[:3]
    for number, line in enumerate(text.split("\n")[:_LINES_MAX], 1):
        if re.findall(r"\w+", line)[: len(begin) + 6] and _within(re.findall(r"\w+", line), begin):
            return number
    return None


def _within(words: list[str], begin: list[str]) -> bool:
    count = len(begin)
    return any(words[at : at + count] == begin for at in range(len(words) - count + 1))
