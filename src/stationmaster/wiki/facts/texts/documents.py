"""The documents that the repository has already, and what they cover."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from posixpath import splitext

from stationmaster.catalogue.repositories.expressions import expressions
from stationmaster.reading.projects.documents import Document, is_translation
from stationmaster.reading.projects.paths import folder_of
from stationmaster.reading.projects.test_files import is_test
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.text.spans import ADDRESS

DOCUMENTS_MAX = 800
ALIKE_MAX = 24
"""Documents of one name in folders without code beside each other, beyond which they are entries of
a collection, and are on something else than the product."""
PARTS_MIN = 10
"""Documents on parts that lie together."""
_OF_FOLDER = frozenset({"_index", "index", "readme"})
"""Names of documents on their folders."""
_TITLE_MAX = 100
_PICTURE = re.compile(
    r"\[?!\[[^\]]{0,200}\](?:\([^)]{0,500}\)|\[[^\]]{0,200}\])"
    r"(?:\](?:\([^)]{0,500}\)|\[[^\]]{0,200}\]))?|\{%[^%\n]{0,200}%\}"
)
_MARKUP = re.compile(
    rf"\\([!-/:-@\[-`{{-~])|\[([^\]]{{0,200}})\]{ADDRESS}"
    r"|:[a-z][a-z:]{1,20}:(?=`)|<[^>]{0,200}>|[`*]|\{:?[ ]?[#.][^}]{0,80}\}"
)
_TO_TOP = re.compile(
    r"(?<=\S)\s{1,5}(?:<\w{1,8}>){0,3}\[[^\]]{0,30}\]\(#[^)]{0,60}\)(?:</\w{1,8}>){0,3}\s*$"
)
"""A link behind a heading to another place of its document."""
_DATED = re.compile(
    r"(?is)(?:^|.*[/_ -])(?:changelog|changes|news|history|releases?|upgrad\w*|migrating"
    r"|migration[ _-]guides?|what'?s[-_]?new)[^/]*$"
    r"|(?:.*/)?(?:versioned_docs|archive|blog|_posts|history|upgrad\w*|release[-_]?notes)/.*"
)


_MATTER = re.compile(r"(---|\+\+\+)[ \t]*\n(?:(?!\1[ \t]*\n).*\n){0,200}?\1[ \t]*\n")
_TITLE = re.compile(r"^title[ \t]*[:=][ \t]*(.{1,200})$", re.MULTILINE)
_PROPOSALS = re.compile(
    r"(?is)(?:.*/)?(?:enhancements?|proposals?|rfcs?|keps?|design[-_]?(?:docs?|proposals?))/.*"
    r"|(?:.*/)?(?:roadmap|rfc|proposal)[^/]*"
)
_PROPOSED = re.compile(
    r"(?i)(?:motivation|proposal|proposed (?:solution|changes?|design)|(?:goals and )?non-?goals"
    r"|goals|drawbacks|alternatives(?: considered)?|unresolved questions|open questions|prior art"
    r"|risks and mitigations|rollout(?: plan)?|graduation criteria)"
)
_SKILL = re.compile(r"(?:(?!\.[^/]+/)[^/]*/)*+\.[^/]+/(?:.*/)?skills/")
_PROPOSED_MIN = 3
"""Different headings of proposals that make a document one."""
_OTHERS = frozenset(
    {"vendored", "generated", "fixture", "template", "excluded", "symlink", "submodule"}
)


@query
def chosen(facts: Facts) -> Sequence[Document]:
    """The first documents of the product, nearest to the root first; for other questions."""
    own = [it for it in guides(facts) if _is_own(facts, it.path)]
    alike = Counter(map(_place, (it.path for it in own)))
    coded = {folder for path in facts.code for folder in _folders(path)}
    own = [it for it in own if alike[_place(it.path)] <= ALIKE_MAX or folder_of(it.path) in coded][
        :DOCUMENTS_MAX
    ]
    facts.tree.files.contents.fetch(it.path for it in own)
    # A script may have the name of a document: `install`.
    return [it for it in own if not it.text.startswith("#!")]


@query
def on_parts(facts: Facts) -> Mapping[str, str]:
    """The documents on one of many parts of the product each, such as plugins: those that lie
    together, most of which are named after what one folder of the code has; by path, with the file
    or folder of the part, '' where it has another name."""
    named: dict[str, dict[str, str]] = defaultdict(dict)
    for document in chosen(facts):
        folder, name = folder_of(document.path), document.path.rpartition("/")[2].partition(".")[0]
        if name.lower() in _OF_FOLDER:
            folder, name = folder_of(folder), folder.rpartition("/")[2]
        named[folder][document.path] = _letters(name)
    parts: dict[str, dict[str, str]] = defaultdict(dict)
    for path in facts.code:
        if facts.records[path].file_class == "source":
            for part in (path, *_folders(path)):
                name = part.rpartition("/")[2].partition(".")[0]
                parts[folder_of(part)][_letters(name)] = part
    many = [it for it in named.values() if len(it) >= PARTS_MIN]
    return {
        path: part.get(name, "")
        for by_path in many
        for part in parts.values()
        if 2 * len(part.keys() & by_path.values()) > len(by_path)
        for path, name in by_path.items()
    }


def _letters(name: str) -> str:
    return re.sub(r"[-_]", "", name).lower()


def _place(path: str) -> tuple[str, str]:
    """What documents have in common that are entries of one collection, as of themes: the folder
    of their folders, and their name."""
    return folder_of(folder_of(path)), path.rpartition("/")[2]


def _folders(path: str) -> Iterator[str]:
    folder = folder_of(path)
    while folder != ".":
        yield folder
        folder = folder_of(folder)


@query
def documents_by_path(facts: Facts) -> Mapping[str, Document]:
    """The chosen documents. For other questions."""
    return {it.path: it for it in chosen(facts)}


@query
def lines_of_code(facts: Facts, path: str) -> Mapping[int, int]:
    """The lines of a chosen document that are code, with the first of their block."""
    document = documents_by_path(facts).get(path)
    return {
        line: block.line
        for block in (document.code if document else ())
        for line in range(block.line, block.line + block.text.count("\n") + 1)
    }


@query
def guides(facts: Facts) -> list[Document]:
    """All documents but translations of others, what agents are taught of any project, and what
    Markdown beside them has, too: of twins the other one is mostly what was before. For other
    questions."""
    documents = facts.tree.documents
    there = frozenset(it.path for it in documents)
    return [
        it
        for it in documents
        if not is_translation(it.path, there)
        and not _SKILL.match(it.path)
        and (it.path.endswith(".md") or f"{splitext(it.path)[0]}.md" not in there)
    ]


def _is_own(facts: Facts, path: str) -> bool:
    record = facts.records.get(path)
    return record is not None and record.file_class not in _OTHERS and not is_test(path)


def tells_what_is(document: Document) -> bool:
    """Is a document about the present? A list of changes is about times that are over, and what a
    proposal states may never have become true."""
    path = document.path
    if _DATED.fullmatch(path) or _PROPOSALS.fullmatch(path):
        return False
    headings = {plain(heading.text).lower() for heading in document.headings}
    proposed = [*filter(_PROPOSED.fullmatch, headings)]
    return len(proposed) < _PROPOSED_MIN or path.rpartition("/")[2].lower().startswith("readme")


def title_of(document: Document) -> str:
    """The title of a document: its only heading of the first level, the field above its text, its
    only top heading, else the name of the file."""
    text = document.text
    matter = _MATTER.match(text)
    begin = behind_matter(text)
    field = _TITLE.search(matter[0]) if matter else None
    headings = [heading for heading in document.headings if heading.line > begin]
    top = min((heading.level for heading in headings), default=1)
    titles = [heading for heading in headings if heading.level == top]
    title = field[1].strip("\"' ") if field else ""
    if len(titles) == 1 and (top == 1 or not title):
        title = titles[0].text
    return plain(title) or named_by(document.path)


def named_by(path: str) -> str:
    """The title of a document that has none, by its name: `Rendering process` of
    `rendering-process.md`."""
    name = path.rpartition("/")[2]
    words = re.sub(r"[-_]+", " ", name.partition(".")[0]).strip()
    return words[:1].upper() + words[1:] if words else name


def behind_matter(text: str) -> int:
    """How many lines the fields take that a page of a site begins with."""
    matter = _MATTER.match(text)
    return text.count("\n", 0, matter.end()) if matter else 0


@lru_cache(20_000)
def plain(words: str) -> str:
    """A heading without its markup."""
    bare = expressions("marks")["raised"].sub("", _TO_TOP.sub("", words))
    bare = _PICTURE.sub("", bare)
    return " ".join(_MARKUP.sub(r"\1\2", bare).split())[:_TITLE_MAX]
