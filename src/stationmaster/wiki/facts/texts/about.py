"""Purposes of the repository, its packages and its modules, in its own texts.

They are quoted with their place, never restated as ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain

import msgspec

from stationmaster.catalogue.repositories.expressions import expressions
from stationmaster.reading.projects.introductions import introducing, introduction
from stationmaster.reading.projects.model import Manifest
from stationmaster.reading.projects.paths import folder_of
from stationmaster.wiki.facts.code.modules import ROOT_NAME, module, modules
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
"""Files that describe their folder."""
_LEGAL = re.compile(r"(?i)copyright|licen[sc]e|spdx|all rights reserved|generated|eslint|@file")
_OF_PACKAGE = re.compile(r"(?:Package|Command) \w|[A-Z]?\w+ (?:is|provides|implements|contains) ")
_NO_PROSE = re.compile(r"\.\. |[$>] |(?i:visit|see) |.*@\w+ .*@\w+ ")
"""Directives of reStructuredText, commands, what only leads elsewhere, and marks of tools."""
_UNDERLINE = re.compile(r"[ \n](?:[~=^-]{4,}|\*{4,})(?=[ \n]|$)")
_MARKS = (
    (":`", re.compile(r":[a-z:]{2,20}:`([^`<>]{1,200}?)\s{0,3}<[^`<>]{1,200}>`"), r"\1"),
    (":`",
     re.compile(r":[a-z:]{2,20}:`[~!]?(?:[^`<>]{0,200}<)?[~!.]?(?:[\w.]{0,200}\.)?([^`<>.]{1,100})>?`"),
     r"\1"),
    ("{@", re.compile(r"\{@\w{1,20}\s+#?([^{}]{0,200})\}"), r"\1"),
    ("<", expressions("marks")["raised"], ""),
    # Elements within code are what it is about.
    ("<", re.compile(rf"(`[^`]{{1,200}}`)|{expressions('marks')['element'].pattern}"), r"\1"),
    ("[",
     re.compile(r"(?<!\w)\[[`*]?([A-Za-z][^\]`]{0,100}?)[`*]?\](?:\([^()]{0,300}\)|\[[^\]]{0,100}\])?"),
     r"\1"),
    ("`", re.compile(r"`{1,2}([^`]{1,200})`{1,2}_{0,2}"), r"\1"),
    ("**", re.compile(r"(\*{2,3})([^*]{1,200})\1"), r"\2"),
    ("*", re.compile(r"(?<![\w*])\*([^*\s](?:[^*]{0,200}[^*\s])?)\*(?![\w*])"), r"\1"),
    ("_", re.compile(r"(?<!\w)_([^_]{1,200})_(?!\w)"), r"\1"),
)  # fmt: skip
"""Roles of reStructuredText, tags of Javadoc, HTML, links, code, stress, with their signs."""
_TARGET = re.compile(r"\]\([^()]{0,500}\)")
"""The target of a link of Markdown."""
_OF_DOCUMENTS = re.compile(r"(?i)[-_ ](?:docs?|documentation|website)$")
"""The name of a package that only builds the documents of a product."""
_WORDS_MIN = 3
_LINES_MAX = 400
_FILES_MAX = 60


class Said(msgspec.Struct, frozen=True, array_like=True):
    """A sentence of the repository's, and its place."""

    words: str
    place: Place

    @property
    def is_whole(self) -> bool:
        """Is it understood without what follows?"""
        return not self.words.rstrip().endswith(":")


@query
def about_repository(facts: Facts) -> Said | None:
    """What it is: the description of a manifest at its root, else the beginning of its README."""
    manifests = introducing(facts.tree.project.manifests)
    manifests.sort(key=lambda it: _OF_DOCUMENTS.search(it.name or "") is not None)
    return next(chain(_described(facts, manifests), _readme(facts, ".")), None)


@query
def about_folder(facts: Facts, folder: str) -> Said | None:
    """What a folder is for: by its manifest, the file that describes it, or its README."""
    manifests = [manifest for manifest in facts.tree.project.manifests if manifest.folder == folder]
    base = "" if folder == "." else f"{folder}/"
    faces = [f"{base}{name}" for name in _FACES if f"{base}{name}" in facts.code]
    abouts = (*_described(facts, manifests), *_documented(facts, faces), *_readme(facts, folder))
    return next(iter(abouts), None)


@query
def about_module(facts: Facts, key: str) -> Said | None:
    """By its folder; without one there, by the one of its files that matters most. A sentence on
    the whole repository does not describe its files at the root."""
    entry = module(facts, key)
    if entry.name.rpartition("/")[2] == ROOT_NAME:
        return None
    if entry.files == (entry.path,):
        return next(_documented(facts, entry.files), None)
    is_piece = entry.path.endswith("*") or (entry.path == "." and len(modules(facts)) > 1)
    about = None if is_piece else about_folder(facts, entry.path)
    if about is not None:
        return about
    named = entry.path.rpartition("/")[2].rstrip("*_-")
    own = [path for path in entry.files if path.rpartition("/")[2].partition(".")[0] == named]
    in_go = [path for path in entry.files if path.endswith(".go") and folder_of(path) == entry.path]
    return next(_documented(facts, own + by_importance(facts, in_go)[:_FILES_MAX]), None)


@query
def about_file(facts: Facts, path: str) -> str:
    """The first sentence of the comment of a code file, else of the public symbol that the file is
    named after; '' for none."""
    about = next(_documented(facts, (path,)), None)
    if about is not None:
        return about.words
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
            and _is_sentence(symbol.doc)
        ),
        "",
    )


def _described(facts: Facts, manifests: Sequence[Manifest]) -> Iterator[Said]:
    for manifest in manifests:
        if manifest.description and _is_sentence(manifest.description):
            line = _line(facts.tree.text(manifest.path), manifest.description)
            yield Said(plain(manifest.description), Place(manifest.path, line))


@query
def readme(facts: Facts) -> str | None:
    """The README at the root."""
    return next((name for name in READMES if name in facts.records), None)


def _documented(facts: Facts, paths: Sequence[str]) -> Iterator[Said]:
    """What files say of themselves: in Go only what begins as comments of packages do, and in the
    face of a folder no remark on its imports, which begins with a small letter."""
    for path in paths:
        words = facts.code[path].doc if path in facts.code else ""
        is_about = path.endswith(".go") <= (_OF_PACKAGE.match(words) is not None)
        is_remark = path.rpartition("/")[2] in _FACES and words[:1].islower()
        if is_about and not is_remark and _is_sentence(words):
            yield Said(plain(words), Place(path, 1))


def _readme(facts: Facts, folder: str) -> Iterator[Said]:
    for name in READMES:
        path = name if folder == "." else f"{folder}/{name}"
        if path in facts.records:
            text = facts.tree.text(path)
            words = introduction(text)
            if _is_sentence(words):
                yield Said(plain(words), Place(path, _line(text, words)))


@lru_cache(2_000)
def plain(words: str) -> str:
    """A sentence of a comment without the marks that tools of documentation read."""
    words = _UNDERLINE.sub("", words)
    for sign, pattern, kept in _MARKS:
        words = pattern.sub(kept, words) if sign in words else words
    return " ".join(words.split())


def _is_sentence(words: str) -> bool:
    is_prose = not (_LEGAL.search(words) or _NO_PROSE.match(words))
    return is_prose and len(words.split()) >= _WORDS_MIN


def _line(text: str, words: str) -> int | None:
    """The line on which a sentence begins, by its first words."""
    begin = re.findall(r"\w+", words)[:3]
    for number, line in enumerate(text.split("\n")[:_LINES_MAX], 1):
        if _within(re.findall(r"\w+", _TARGET.sub("]", line)), begin):
            return number
    return None


def _within(words: list[str], begin: list[str]) -> bool:
    count = len(begin)
    return any(words[at : at + count] == begin for at in range(len(words) - count + 1))
