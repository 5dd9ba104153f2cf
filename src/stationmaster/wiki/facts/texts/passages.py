"""Sections of the project's own documents: what they are about, and what code they name."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter

import msgspec

from stationmaster.catalogue.repositories.expressions import expressions
from stationmaster.reading.projects.documents import (
    Document,
    Heading,
    first_sentence,
    is_agent_file,
)
from stationmaster.reading.projects.introductions import is_of_starter
from stationmaster.wiki.facts.code.comments import some_lines
from stationmaster.wiki.facts.model import Facts, of_file, query
from stationmaster.wiki.facts.texts.documents import (
    behind_matter,
    chosen,
    documents_by_path,
    named_by,
    on_parts,
    plain,
    tells_what_is,
)
from stationmaster.wiki.facts.texts.references import resolved
from stationmaster.wiki.text import notes, quoting

_LIKE = expressions("passages")

SECTIONS_MAX = 2_000
NAMES_MAX = 60
SETTINGS_MAX, COMMANDS_MAX = 12, 30
BEGINNINGS_MAX, BEGINNINGS_OF_DEVELOPERS_MAX = 3, 12
CHANGES_MAX, ASKED_MAX, ASKING_MAX = 8, 200, 2_000
"""Sections on changes, those that are searched for what they ask, and letters of one."""
TITLES_MAX = 12
"""Of one section."""
_SETTINGS = re.compile(
    r"(?i)(?<![\w-])(?:config\w*|settings?(?! up)|options?|environment variables?)\b"
)
_ON_ALL = re.compile(
    r"(?i)(?<![\w-])(?:configuration|config files?|settings|environment variables)\b|^config$"
)
_COMMANDS = re.compile(
    r"(?i)^(?:usage|commands|command options)$"
    r"|(?<![\w-])(?:command[- ]?lines?|cli|sub-?commands?|exit (?:codes?|status(?:es)?|values?)"
    r"|commands? (?:and options|flags|reference)|(?:available|global|tool|all) commands)\b"
)
_TITLE_MAX = 60
_LETTERS_MIN = 80
"""A section with fewer letters explains nothing."""
_NAME_MIN = 4
_ENDS = (".", "!", "?", "。")
_KINDS = "(?:class|object|interface|struct|trait|type|enum|protocol|module)"
_README = re.compile(r"(?i)readme\b")
_CODE = re.compile(r"(?m)`|^(?: {4}|\t|[ \t]*\$ )(?![-*+\d\s])")
_PROSE_MAX = 30
"""Lines of instructions up to the first code, and behind each."""


class Passage(msgspec.Struct, frozen=True):
    """A section from `line` to `end`, which counts the heading; `chapter` is the title of its
    document where it is only a part of it, `above` are the headings that it is below, the nearest
    last, and `names` the words of code in it."""

    path: str
    title: str
    chapter: str
    line: int
    end: int
    names: tuple[str, ...]
    above: tuple[str, ...] = ()

    @property
    def parent(self) -> str:
        """The heading that it is directly below, '' at the top of a document."""
        return self.above[-1] if self.above else ""


@query
def passages(facts: Facts) -> tuple[Passage, ...]:
    """Sections that explain the product, nearest to the root first, in the order of documents."""
    sections: list[Passage] = []
    for document in chosen(facts):
        path = document.path
        is_aside = _LIKE["aside"].search(path) or _LIKE["locale"].search(path)
        if not (is_agent_file(path) or is_aside) and tells_what_is(document):
            sections += (it for it in own_sections(facts, path) if not is_on_others(it))
        if len(sections) >= SECTIONS_MAX:
            break
    return tuple(sections[:SECTIONS_MAX])


@of_file
def own_sections(facts: Facts, path: str) -> tuple[Passage, ...]:
    """Those of a chosen document; none of one that a program wrote which started the project."""
    document = documents_by_path(facts)[path]
    return () if is_of_starter(document.text) else tuple(sections_of(document))


def is_on_others(passage: Passage) -> bool:
    """Is a section about what others have made, or what is agreed with visitors?"""
    return any(map(_LIKE["others"].search, (passage.title, passage.parent, passage.chapter)))


@query
def beginnings(facts: Facts, path: str) -> tuple[Passage, ...]:
    """The beginning of a document: what is above its first heading, then its first sections up to
    one about work on the project."""
    document = documents_by_path(facts).get(path)
    if document is None or is_of_starter(document.text):
        return ()
    lines = document.text.split("\n")
    end = document.headings[0].line - 1 if document.headings else len(lines)
    above = [Passage(path, "", "", 0, _last(lines, end), ())] if end > 1 else []

    def is_first(passage: Passage) -> bool:
        is_definition = passage.title == "" or _LIKE["says_what"].search(passage.title)
        return bool(is_definition) or not _LIKE["process"].search(passage.title)

    sections = itertools.takewhile(is_first, sections_of(document))
    return (*above, *itertools.islice(sections, BEGINNINGS_MAX))


@query
def passage_on(facts: Facts, name: str) -> Passage | None:
    """The section whose heading is a symbol's name, as it is or as `Datasette class`."""
    if len(name) < _NAME_MIN:
        return None
    heading = re.compile(rf"{re.escape(name)}(?:\(\))?( {_KINDS})?")
    for passage in passages(facts):
        match = heading.fullmatch(passage.title)
        if match and (match[1] or name.lower() != facts.commit.name.lower()):
            return passage
    return None


@query
def on_settings(facts: Facts) -> tuple[Passage, ...]:
    """Sections of documents that are about settings by their headings, or by that of all settings
    above; those on all settings come before those on one thing. Options of commands are none."""
    on_all, on_one = list[Passage](), list[Passage]()
    for passage in passages(facts):
        if any(map(_ON_ALL.search, (passage.title, *passage.above))):
            on_all.append(passage)
        elif _SETTINGS.search(passage.title) and not _is_on_commands(passage):
            on_one.append(passage)
    return _of_whole_first(facts, (*on_all, *on_one))[:SETTINGS_MAX]


def _of_whole_first(facts: Facts, some: Iterable[Passage]) -> tuple[Passage, ...]:
    """Sections of documents on the whole product, then of those on parts of it."""
    return tuple(sorted(some, key=lambda it: it.path in on_parts(facts)))


def _is_on_commands(passage: Passage) -> bool:
    return any(map(_COMMANDS.search, (passage.title, *passage.above)))


@query
def on_commands(facts: Facts) -> tuple[Passage, ...]:
    """Sections on what people type, by their headings, and all of a document that is about it."""
    every = passages(facts)
    first = {it.path: "" if _README.match(it.path) else it.title for it in reversed(every)}
    matching = (
        it for it in every
        if len(it.title) <= _TITLE_MAX
        and (_COMMANDS.search(it.title) or not _LIKE["process"].search(it.title))
        and (_is_on_commands(it) or any(map(_COMMANDS.search, (it.chapter, first[it.path]))))
    )  # fmt: skip
    return _of_whole_first(facts, matching)[:COMMANDS_MAX]


@query
def on_beginning(facts: Facts) -> tuple[Passage, ...]:
    """Sections on how to install, build or run the project: those of its documents for developers,
    then those of the README at the root."""
    return _instructive(facts, False)


@query
def on_tests(facts: Facts) -> tuple[Passage, ...]:
    """Sections on how to test the project, of the same documents."""
    return _instructive(facts, True)


@query
def section_at(facts: Facts, path: str, line: int) -> Passage | None:
    """The section of a document that has a line."""
    document = documents_by_path(facts).get(path)
    sections = sections_of(document, is_short=True) if document else iter(())
    return next((it for it in sections if it.line < line <= it.end), None)


@query
def titles_at(facts: Facts, path: str, line: int) -> tuple[str, ...]:
    """The headings that a line of a document is below, the nearest first."""
    document = documents_by_path(facts).get(path)
    titles: list[Heading] = []
    for heading in document.headings if document else ():
        if heading.line <= line:
            titles = [heading, *(it for it in titles if it.level < heading.level)]
    return tuple(plain(it.text) for it in titles)


@query
def on_work(facts: Facts) -> tuple[Passage, ...]:
    """All sections on beginning and on tests, however many there are."""
    rows = (row for on_tests in (False, True) for some in _rows(facts, on_tests) for row in some)
    return tuple(row[-1] for row in rows)


@query
def _instructive(facts: Facts, on_tests: bool) -> tuple[Passage, ...]:
    """The first sections of documents for developers and of the README, in their order."""
    own, of_readme = _rows(facts, on_tests)
    left = BEGINNINGS_MAX if own else BEGINNINGS_OF_DEVELOPERS_MAX
    kept = (own[:BEGINNINGS_OF_DEVELOPERS_MAX], of_readme[:left])
    return tuple(row[-1] for some in kept for row in sorted(some, key=lambda it: it[2]))


_Rows = list[tuple[bool, bool, int, Passage]]


@query
def _rows(facts: Facts, on_tests: bool) -> tuple[_Rows, _Rows]:
    """Sections of documents for developers and of the README, the plainest first. Of a document
    that as a whole explains how to begin, all come behind those with such a heading."""
    own: _Rows = []
    of_readme: _Rows = []
    for document in chosen(facts):
        path = document.path
        is_readme = _README.match(path) is not None
        is_aside = _LIKE["locale"].search(path) or _LIKE["of_editor"].search(path)
        if is_aside or not (is_readme or _LIKE["for_developers"].match(path)):
            continue
        sections = list(sections_of(document, is_short=True))
        titles = {it.chapter for it in sections}
        for passage in sections:
            if _is_on_tests(passage) != on_tests or _LIKE["not_beginning"].search(passage.title):
                continue
            if passage.end - passage.line > _PROSE_MAX * (1 + _codes(facts, passage)):
                continue  # It is on the project and not on work.
            is_called = _is_beginning(passage, is_readme=is_readme)
            if is_readme and is_called and passage.title not in titles:
                is_of_users = _LIKE["working"].search(passage.title) is None
                of_readme.append((False, is_of_users, len(of_readme), passage))
            elif not is_readme and (is_called or _LIKE["beginning"].search(passage.chapter)):
                is_apart = not _LIKE["beginning_file"].fullmatch(path)
                own.append((is_apart, not is_called, len(own), passage))
    return sorted(own), sorted(of_readme)


def _codes(facts: Facts, passage: Passage) -> int:
    return sum(1 for _ in _CODE.finditer(words_of(facts, passage)))


def _is_on_tests(passage: Passage) -> bool:
    above = "" if passage.parent == passage.chapter else passage.parent
    return any(map(_LIKE["tests"].search, (passage.title, above)))


@query
def on_changes(facts: Facts) -> tuple[Passage, ...]:
    """Sections of the documents for developers on what is asked of a change, and of the README;
    those that ask for more with some changes come first."""
    documents = (
        document for document in chosen(facts)
        if _LIKE["for_developers"].match(document.path) or _README.match(document.path)
    )  # fmt: skip
    sections = (it for document in documents for it in sections_of(document, is_short=True))
    first, others = list[Passage](), list[Passage]()
    for passage in itertools.islice(sections, ASKED_MAX):
        words = words_of(facts, passage)[:ASKING_MAX]
        is_guide = "contributing" in passage.path.lower()
        if _LIKE["asking"].search(words):
            first.append(passage)
        elif _LIKE["changing"].search(passage.title) or (
            is_guide and _LIKE["branch"].search(words)
        ):
            others.append(passage)
    return tuple([*first, *others][:CHANGES_MAX])


def _is_beginning(passage: Passage, *, is_readme: bool) -> bool:
    """By its heading or the one above, but for the title of a README."""
    above = "" if is_readme and passage.parent == passage.chapter else passage.parent
    return any(map(_LIKE["beginning"].search, (passage.title, above)))


def words_of(facts: Facts, passage: Passage) -> str:
    """A section without its heading, and without the lines that underline headings."""
    return _words(facts, passage.path, passage.line, passage.end)


@query
def _words(facts: Facts, path: str, line: int, end: int) -> str:
    lines = some_lines(facts, path, line + 1, end)
    # In Markdown they begin and end code.
    fences = ("```", "~~~") if path.lower().endswith((".md", ".mdx", ".markdown")) else ()

    def is_left_out(line: str) -> bool:
        bare = line.strip()
        return not bare or (quoting.is_rule(line) and not bare.startswith(fences))

    while lines and is_left_out(lines[0]):
        lines = lines[1:]
    while lines and is_left_out(lines[-1]):
        lines = lines[:-1]
    return resolved(facts, path, "\n".join(notes.in_words(lines)))


_FENCE = re.compile(r"(?m)^[ \t]{0,8}(?:```|~~~)")


def opening(facts: Facts, passage: Passage) -> str:
    """The first sentence of a section as it is read, but of a note; '' where it has none that is
    whole."""
    paragraphs = re.split(r"\n[ \t]*\n", _FENCE.split(words_of(facts, passage), 1)[0])
    words = "\n\n".join(it for it in paragraphs if not notes.IN_WORDS.match(it.lstrip("> ")))
    sentence = first_sentence(quoting.bare(words))
    return sentence if sentence.endswith(_ENDS) else ""


def is_about_code(title: str) -> bool:
    """May a heading name a concept of the code?"""
    return bool(title) and len(title) <= _TITLE_MAX and not _LIKE["process"].search(title)


def is_recipe(passage: Passage) -> bool:
    """Does a section explain how something is added, by its heading or the one above?"""
    return any(map(_LIKE["extending"].search, (passage.title, passage.parent)))


def sections_of(
    document: Document, *, is_short: bool = False, least: int = _LETTERS_MIN
) -> Iterator[Passage]:
    """Those with so many letters, or `is_short`: with some code."""
    lines = document.text.split("\n")
    headings = [heading for heading in document.headings if heading.line <= len(lines)]
    top = min((heading.level for heading in headings), default=1)
    first = [heading for heading in headings if heading.level == top]
    if not headings or (_is_untitled(document.path, headings) and top == headings[0].level):
        end = headings[0].line - 1 if headings else len(lines)
        yield from _above_headings(document, lines, end)
    title = plain(first[0].text) if len(first) == 1 else ""
    line_of = attrgetter("line")
    inline = sorted(document.inline, key=line_of)
    above: list[Heading] = []
    begun = 0
    """The first heading of a section that has several, one directly below the other."""
    for at, heading in enumerate(headings):
        above = [*(outer for outer in above if outer.level < heading.level), heading]
        if at and headings[at - 1][::2] != (heading.level, heading.line - 1):
            begun = at
        end = headings[at + 1].line - 1 if at + 1 < len(headings) else len(lines)
        text = lines[heading.line : end]
        has_code = is_short and any(heading.line < code.line <= end for code in document.code)
        if sum(map(len, text)) < least and not has_code:
            continue
        begin, behind = (bisect_right(inline, at, key=line_of) for at in (heading.line, end))
        names = [span.text for span in inline[begin:behind]]
        titles = headings[max(begun, at - TITLES_MAX + 1) : at + 1]
        own = ", ".join(plain(it.text) for it in titles)
        chapter = "" if heading.level == top else title
        yield Passage(
            document.path,
            own,
            chapter,
            heading.line,
            _last(lines, end),
            tuple(dict.fromkeys(names))[:NAMES_MAX],
            tuple(plain(it.text) for it in above[:-1]),
        )


def _is_untitled(path: str, headings: Sequence[Heading]) -> bool:
    """May a document begin with words on all of it? A README begins with pictures and links."""
    return headings[0].level > 1 and not _README.match(path.rpartition("/")[2])


def _above_headings(document: Document, lines: Sequence[str], end: int) -> Iterator[Passage]:
    """What a document says before its first heading."""
    path, begin = document.path, behind_matter(document.text)
    if sum(map(len, lines[begin:end])) >= _LETTERS_MIN:
        names = dict.fromkeys(it.text for it in document.inline if begin < it.line <= end)
        yield Passage(path, named_by(path), "", begin, _last(lines, end), (*names,)[:NAMES_MAX])


def _last(lines: Sequence[str], end: int) -> int:
    while end > 1 and not lines[end - 1].strip():
        end -= 1
    return end
