"""Sections of the project's own documents: what they are about, and what code they name."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence

import msgspec

from stationmaster.reading.projects.documents import Document, is_agent_file
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.facts.texts.documents import chosen, is_dated, plain
from stationmaster.wiki.text.quoting import is_rule

SECTIONS_MAX = 2_000
NAMES_MAX = 60
SETTINGS_MAX = 12
BEGINNINGS_MAX = 3
_SETTINGS = re.compile(r"(?i)\b(?:config\w*|settings?|options?|environment variables?)\b")
_TITLE_MAX = 60
_LETTERS_MIN = 80
"""A section with fewer letters explains nothing."""
_NAME_MIN = 4
_KINDS = "(?:class|object|interface|struct|trait|type|enum|protocol|module)"
_PROCESS = re.compile(
    r"(?i)\b(?:install\w*|contribut\w*|licen[sc]\w*|change ?log|changes|releas\w+|develop\w*"
    r"|build\w*|compil\w*|tests?|testing|deploy\w*|upgrad\w*|migrat\w*|faq|credits?|acknowledg\w*|sponsor\w*"
    r"|support|community|quick ?start|getting started|tutorials?|introduction|overview|contents"
    r"|requirements|prerequisites|thanks|links|resources|roadmap|benchmarks?|ecosystem|why|examples?"
    r"|usage|users?|status|about|readme|authors?|maintainers?|code of conduct|security policy"
    r"|reporting|history|governance|pull requests?|issues?|documentation|screenshots?|demos?"
    r"|comparison|translations?|editors?|integrations?|summary|notes?|further reading|welcome"
    r"|conclusion|see also|motivation|decisions?|local(?:ly)?|solution|features?|patches"
    r"|version\w*|what(?:'s|s| is)|how do i|how can i|can i"
    r"|set ?up|setting up|your|report\w* (?:an? )?(?:bugs?|issues?)|\w+ clients|\d+[ -]minutes?"
    r"|badges?|donat\w*|download\w*|packages?|platforms?|debug\w*|index|glossary|troubleshoot\w*)\b"
)
"""What headings are called that are about work on the project, or about the document."""
_README = re.compile(r"(?i)readme\b")
_BEGINNING = re.compile(
    r"(?i)\b(?:install\w*|set ?up|build\w*|compil\w*|quick ?start|getting started"
    r"|how to (?:use|run)|usage|running|development)\b"
)
_SAYS_WHAT = re.compile(
    r"(?i)\b(?:about|overview|introduction|summary|motivation|why|what|features?|status)\b"
)
_ASIDE = re.compile(r"(?i)(?:^|/)(?:adr|adrs|decisions?|rfcs?|blog|contribut\w*|develop\w*"
                    r"|tutorials?|examples?|i18n|translations?|\.github|tests?|fixtures?|scripts?"
                    r"|tools?|bin|bench\w*|code[_-]?of[_-]?conduct|governance"
                    r"|copying\w*|licen[cs]e\w*|notice|\.agents|\.claude)"
                    r"(?:/|[^/]*$)")  # fmt: skip
_LOCALE = re.compile(r"(?:^|[/_.-])(?:zh|cn|ja|jp|ko|kr|fr|de|es|pt|ru|tr|it|uk|pl|vi|fa|ar|hi|id)"
                     r"(?:[_-][a-z]{2,4})?(?:/|\.\w+$)", re.I)  # fmt: skip


class Passage(msgspec.Struct, frozen=True):
    """A section from `line` to `end`, which counts the heading; `chapter` is the title of its
    document where it is only a part of it, `names` the words of code in it."""

    path: str
    title: str
    chapter: str
    line: int
    end: int
    names: tuple[str, ...]


@query
def passages(facts: Facts) -> tuple[Passage, ...]:
    """Sections that explain the product, nearest to the root first, in the order of documents."""
    found: list[Passage] = []
    for document in chosen(facts):
        path = document.path
        if not (
            is_agent_file(path) or is_dated(path) or _ASIDE.search(path) or _LOCALE.search(path)
        ):
            found += _sections(document)
        if len(found) >= SECTIONS_MAX:
            break
    return tuple(found[:SECTIONS_MAX])


@query
def beginnings(facts: Facts, path: str) -> tuple[Passage, ...]:
    """What a document says first: what stands above its first heading, then its first sections up
    to one about work on the project."""
    document = next((each for each in chosen(facts) if each.path == path), None)
    if document is None:
        return ()
    lines = document.text.split("\n")
    end = document.headings[0].line - 1 if document.headings else len(lines)
    above = [Passage(path, "", "", 0, _last(lines, end), ())] if end > 1 else []
    sections = itertools.takewhile(
        lambda each: (
            each.title == "" or _SAYS_WHAT.search(each.title) or not _PROCESS.search(each.title)
        ),
        _sections(document),
    )
    return (*above, *itertools.islice(sections, BEGINNINGS_MAX))


@query
def passage_on(facts: Facts, name: str) -> Passage | None:
    """The section whose heading is a symbol's name, alone or as `Datasette class`."""
    if len(name) < _NAME_MIN:
        return None
    heading = re.compile(rf"{re.escape(name)}(?:\(\))?( {_KINDS})?")
    for passage in passages(facts):
        found = heading.fullmatch(passage.title)
        if found and (found[1] or name.lower() != facts.commit.name.lower()):
            return passage
    return None


@query
def on_settings(facts: Facts) -> tuple[Passage, ...]:
    """Sections of documents that by their headings are about settings."""
    found = [each for each in passages(facts) if _SETTINGS.search(each.title)]
    return tuple(found[:SETTINGS_MAX])


@query
def on_beginning(facts: Facts) -> tuple[Passage, ...]:
    """Sections of the README at the root on how to install, build or first use the project."""
    found = [
        each for each in passages(facts)
        if "/" not in each.path and _README.match(each.path) and _BEGINNING.search(each.title)
    ]  # fmt: skip
    return tuple(found[:BEGINNINGS_MAX])


def words_of(facts: Facts, passage: Passage) -> str:
    """A section without its heading, and without the lines that underline headings."""
    lines = facts.tree.text(passage.path).split("\n")[passage.line : passage.end]
    # In Markdown they begin and end code.
    fences = ("```", "~~~") if passage.path.lower().endswith((".md", ".mdx", ".markdown")) else ()

    def is_left_out(line: str) -> bool:
        bare = line.strip()
        return not bare or (is_rule(line) and not bare.startswith(fences))

    while lines and is_left_out(lines[0]):
        lines = lines[1:]
    while lines and is_left_out(lines[-1]):
        lines = lines[:-1]
    return "\n".join(lines)


def is_about_code(title: str) -> bool:
    """May a heading name a concept of the code?"""
    return bool(title) and len(title) <= _TITLE_MAX and not _PROCESS.search(title)


def _sections(document: Document) -> Iterator[Passage]:
    lines = document.text.split("\n")
    headings = [each for each in document.headings if each.line <= len(lines)]
    if not headings:
        return
    top = min(each.level for each in headings)
    first = [each for each in headings if each.level == top]
    title = plain(first[0].text) if len(first) == 1 else ""
    inline = sorted(document.inline, key=lambda each: each.line)
    for at, heading in enumerate(headings):
        end = headings[at + 1].line - 1 if at + 1 < len(headings) else len(lines)
        text = lines[heading.line : end]
        if sum(map(len, text)) < _LETTERS_MIN:
            continue
        names = [each.text for each in inline if heading.line < each.line <= end]
        own = plain(heading.text)
        chapter = "" if heading.level == top else title
        yield Passage(document.path, own, chapter, heading.line, _last(lines, end),
                      tuple(dict.fromkeys(names))[:NAMES_MAX])  # fmt: skip


def _last(lines: Sequence[str], end: int) -> int:
    while end > 1 and not lines[end - 1].strip():
        end -= 1
    return end
