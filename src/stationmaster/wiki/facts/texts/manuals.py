"""Manual pages of a project in any markup: Markdown, AsciiDoc, scdoc or roff, by sections."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from stationmaster.reading.projects.test_files import is_test
from stationmaster.wiki.facts.code.comments import lines_of
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.text.inline import Place

PAGES_MAX, SECTIONS_MAX = 20, 60
_FILE = re.compile(
    r"(?:[^/]{1,200}/){0,12}([\w.+-]{1,60})\.([1-8])"
    r"(?:\.(?:md|markdown|ronn|adoc|asciidoc|rst|scd|txt|in)){0,2}"
)
_OF_LANGUAGE = re.compile(
    r"(?:^|/)(?:man/[a-z]{2}(?:_[A-Z]{2})?|po4a?|locales?)/|\.[a-z]{2}\.[1-8]$"
)
_OTHERS = frozenset({"vendored", "fixture", "template", "excluded", "symlink", "submodule"})
_BEGINS = re.compile(r"(?im)^(?:#{1,2} |={1,2} |\.sh \"?)?(?:name|synopsis)\"?[ \t]*$")
_HEADING = re.compile(r"(?:#{1,2}|={1,2}) ([A-Z][A-Z ,&/-]{2,60})(?: #+)?[ \t]*")
_CAPITALS = re.compile(r"[A-Z][A-Z ,&/-]{2,60}")
_RULE = re.compile(r"[=~-]{3,}[ \t]*")
_ROFF = re.compile(r"\.(?:SH|Sh)[ \t]++\"?([^\"\n]{2,60}+)\"?[ \t]*+")
_MACRO = re.compile(r"\.([A-Za-z]{1,3})\b[ \t]*(.*)")
_ARGUMENT = re.compile(r"\"[^\"]{0,300}\"|[^\s\"]{1,300}")
_FONT = re.compile(r"\\f(?:\[\w{0,4}\]|\(\w\w|\w)")
_ACCENT = re.compile(r"\\\[['`^~:,](\w)\]")
_ESCAPED = re.compile(r"\\(?:([-'\\ .])|[(\[](\w\w)\]?|[&%/,])")
_SIGNS = {"aq": "'", "cq": "'", "oq": "'", "dq": '"', "em": "-", "en": "-", "bu": "*"}
_JOINED = frozenset({"BR", "RB", "IR", "RI", "BI", "IB"})
_TERMS = frozenset({"TP", "TQ", "It"})
_SHOWN = _JOINED | {"B", "I", "SM", "Fl", "Ar", "Nm", "Ev", "Pa", "Xr", "Cm"}
_APART = frozenset({"PP", "P", "LP", "Pp", "RS", "RE", "br", "sp", "SS"})


_NO_NAME = re.compile(r"[^A-Z0-9_,= ]|[A-Z] [A-Z]")
"""What a line has that is more than names of variables."""
_NAMES = re.compile(r"[A-Z][A-Z0-9_]{2,60}(?==|,|$)")
_BARE = re.compile(r"[`*]|\\(?=_)")
_DEFAULT = re.compile(
    r"(?i)\bdefault(?:s to| is| value is|:) "
    r"([`'\"]?)([\w./:@%+-]{0,60}[\d/:][\w./:@%+-]{0,60}?|true|false|yes|no)\1\.?$"
)
"""A value that is no word of the sentence."""
_ON_VARIABLES = re.compile(r"(?i)environment(?: variables)?")
ON_COMMANDS = re.compile(r"(?i)exit (?:status(?:es)?|codes?|values?)|diagnostics|return values?")
ON_OPTIONS = re.compile(r"(?i).{0,40}\boptions|commands|sub-?commands")
ON_SETTINGS = re.compile(r"(?i)environment(?: variables)?|files|configuration(?: files?)?")


class Section(NamedTuple):
    """A section of `page`, such as `shop(1)`, with its words as Markdown has them."""

    page: str
    title: str
    place: Place
    words: str


@query
def manuals(facts: Facts) -> tuple[tuple[str, str], ...]:
    """The pages by name, `shop(1)`, with their paths."""
    pages: dict[str, str] = {}
    for path in sorted(facts.tree.paths, key=lambda it: (it.count("/"), it)):
        match = _FILE.fullmatch(path)
        record = facts.records.get(path)
        is_others = record and record.file_class in _OTHERS and record.why != "attributes"
        if match is None or is_others or is_test(path):
            continue
        if not _OF_LANGUAGE.search(path) and _BEGINS.search(facts.tree.text(path)):
            pages.setdefault(f"{match[1]}({match[2]})", path)
        if len(pages) == PAGES_MAX:
            break
    return tuple(sorted(pages.items()))


def sections_on(facts: Facts, *titles: re.Pattern[str]) -> list[Section]:
    """Those with one of some titles."""
    return [it for it in sections(facts) if any(like.fullmatch(it.title) for like in titles)]


@query
def sections(facts: Facts) -> tuple[Section, ...]:
    """All sections of all pages."""
    return tuple(it for page, path in manuals(facts) for it in _sections(facts, page, path))


class Variable(NamedTuple):
    """A variable of the environment that a page explains, '' and None for what is missing."""

    name: str
    meaning: str
    default: str | None
    place: Place


def variables(facts: Facts) -> Iterator[Variable]:
    """The terms of sections on the environment."""
    for section in sections_on(facts, _ON_VARIABLES):
        terms: list[str] = []
        meaning: list[str] = []
        for line in (*section.words.split("\n"), "A"):
            bare = _BARE.sub("", line).strip(" \t-#:_,")
            names = _NAMES.findall(bare.replace("_, _", ", "))
            is_term = names and not _NO_NAME.search(bare)
            if is_term or line == "A":
                yield from _explained(facts, section, terms, " ".join(meaning))
                terms, meaning = names, []
            elif terms:
                meaning.append(bare)


def _explained(
    facts: Facts, section: Section, names: Sequence[str], words: str
) -> Iterator[Variable]:
    lines = lines_of(facts, section.place.path)
    span = range(section.place.line or 1, (section.place.end or 1) + 1)
    words = " ".join(words.split())
    default = _DEFAULT.search(words)
    value = default[2].rstrip(".") if default else None
    for name in names if words else ():
        at = next((it for it in span if name in lines[it - 1].replace("\\", "")), span.start)
        yield Variable(name, words, value, Place(section.place.path, at))


def _sections(facts: Facts, page: str, path: str) -> Iterator[Section]:
    lines = lines_of(facts, path)
    is_roff = any(_ROFF.fullmatch(line) for line in lines)
    heads = [*_heads(lines, is_roff=is_roff)][:SECTIONS_MAX]
    for at, (number, title) in enumerate(heads):
        end = heads[at + 1][0] - 1 if at + 1 < len(heads) else len(lines)
        own = lines[number:end]
        own = own[1:] if own and _RULE.fullmatch(own[0]) else own
        words = "\n".join(_of_roff(own) if is_roff else own)
        yield Section(page, title, Place(path, number, end), words)


def _heads(lines: Sequence[str], *, is_roff: bool) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(lines, 1):
        below = lines[number] if number < len(lines) else ""
        match = _ROFF.fullmatch(line) if is_roff else _HEADING.fullmatch(line)
        if match:
            yield number, match[1].strip()
        elif not is_roff and _CAPITALS.fullmatch(line.rstrip()) and _RULE.fullmatch(below):
            yield number, line.strip()


def _of_roff(lines: Sequence[str]) -> Iterator[str]:
    """The lines of a section without the marks of roff: what is described is a point of a list."""
    is_term = False
    for line in lines:
        if line.startswith((".\\", "'\\")):
            continue  # A remark.
        macro = _MACRO.match(line)
        name, rest = (macro[1], macro[2]) if macro else ("", line)
        if name in _TERMS or name in _APART:
            yield ""
            is_term = name in _TERMS
        elif name == "IP":
            yield ""
            is_term = False
            yield from (f"- {_plain(it)}:" for it in _ARGUMENT.findall(rest)[:1] if it[0] != "\\")
        elif name in ("nf", "fi", "EX", "EE"):
            yield "```"
        elif not macro or name in _SHOWN:
            text = _plain("".join(_ARGUMENT.findall(rest)) if name in _JOINED else rest)
            yield f"- {text.rstrip(':')}:" if is_term else text
            is_term = False


def _plain(text: str) -> str:
    bare = _ACCENT.sub(r"\1", _FONT.sub("", text)).replace('"', "")
    return _ESCAPED.sub(lambda it: it[1] or _SIGNS.get(it[2] or "", ""), bare)
