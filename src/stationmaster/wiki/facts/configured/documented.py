"""What the project's own documents say of settings: headings that are names, definitions, points of
lists and rows of tables, each with a meaning and a default."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise, takewhile
from typing import NamedTuple

import msgspec

from stationmaster.reading.projects.documents import Document
from stationmaster.wiki.facts.configured import setting_files
from stationmaster.wiki.facts.configured.samples.shown_keys import shown_keys, value_of
from stationmaster.wiki.facts.model import Facts, of_file, query
from stationmaster.wiki.facts.texts import about, manuals
from stationmaster.wiki.facts.texts.documents import chosen, documents_by_path, plain, tells_what_is
from stationmaster.wiki.text import tables
from stationmaster.wiki.text.quoting import is_rule

SENTENCES = re.compile(r"(?<=[.!?])\s+(?=[A-Z`])")
WRITTEN = (".md", ".mdx", ".markdown", ".rst", ".adoc", ".asciidoc")
FENCE = re.compile(r"\s*(?:```|~~~)")
POINT = re.compile(r"^[ \t]*(?:[*+>-]|\d{1,3}\.)[ \t]+")
MEANING_MAX = 300
_ENTRIES_MAX = 10_000
_BODY_MAX = 80
"""Lines below a heading that are read for what it means."""
_ROW_LINES_MAX = 60
_BEFORE_CELL = " \t|*-"
_WORD = r"[A-Za-z_$][\w$]{0,60}(?:[.:-][\w$]{1,60}){0,9}"
_NAME = re.compile(rf"(?=.{{2,100}}$){_WORD}")
_TEMPLATE = re.compile(
    r"[A-Z][A-Z0-9_]{2,60}(?:\$\{?\w{1,60}\}?|[{\[*<]\w{0,60}[}\]>]?)[\w$]{0,60}"
)
"""The name of several variables, with a hole as documents write it."""
_HEADING = re.compile(rf"({_WORD})(?:=\S{{0,100}}| *\([^()]{{0,60}}\))?")
_MEANING = re.compile(
    r"(?i)(?:descriptions?|meaning|purpose|explanation|details?|usage|notes?|what\b.*)"
    r"(?: (?:and|&|/) defaults?)?"
)
_BEHIND = re.compile(r"(?i)\(?\bdefaults?(?: value)?(?: is|:| to) (`{1,2})([^`]{1,80})\1\)?\.?$")
"""The default at the end of a meaning."""
_DEFAULTS = re.compile(r"(?i)default(?: values?)?")
_WHOLE = frozenset({'""', "''", "[]", "{}"})
"""The first and the last letter of what is a value with its spaces."""
_CODE = re.compile(r"(`{1,2})[^`]{1,80}\1")
_CONDITION = re.compile(r"(?i)(?:only )?(?:if|when|unless)(?: \w+){1,2}\.?")
"""A cell that says when there is a value, and not which."""
_PARAMETER = re.compile(
    r"<ParamField\b(?=[^<>]*?\spath=[\"'](?P<name>[A-Z][A-Z0-9_]{2,99})[\"'])"
    r"(?:[^<>]*?\sdefault=[\"'](?P<default>[^\"'<>]{1,80})[\"'])?[^<>]*>\s*"
    r"(?P<words>.{0,2000}?)(?:\n\s*\n|\n\s*<[A-Z]|</ParamField>)",
    re.DOTALL,
)
"""A variable of a page of MDX, with the first paragraph on it."""
_MARKUP = re.compile(
    r"<(?:sup|super|sub)>.{0,20}?</(?:sup|super|sub)>|<[^>]{0,200}>|(?<!\\)[`*]|\[\^[^\]]{1,20}\]"
)
_LINK = re.compile(r"!?\[([^\]]{0,200})\]\([^)]{0,500}\)")
_ADDRESS = re.compile(r"<(https?://[^<>\s]{1,200})>")
_ITEM = re.compile(
    rf"([ \t]*(?::[ \t]+)?)[*+-][ \t]+"
    rf"(?:([`*]{{1,3}})({_WORD})(?:=[^`*\n]{{0,60}})?\2|([A-Z][A-Z0-9_]{{2,99}}))"
    r"[ \t]*(?:\([^()\n]{0,60}\)[ \t]*)?(?::|--?|–|—)\**[ \t]+(\S.{0,1000})"
)
"""A point of a list: a name, what is said of its type, a colon or a dash, the meaning."""
_TERM = re.compile(rf"([ \t]*)(?:\.\. [a-z]{{3,20}}:: *)?([`*]{{0,2}})({_WORD})\2[ \t]*$")
"""What a definition is of that is further in, or begins with a colon."""
_ENDS = re.compile(r"[ \t]*(?:[*+#>|-]|```|~~~|\d{1,3}\.|$)")
_DEFAULT = re.compile(
    r"(?i)[ \t]*(?:[-*+:] )?[:*_`]{0,3}defaults?(?: values?)?[*_`]{0,3} ?(?::|=|is\b|to\b)"
    r"[:*_ \t]{0,5}"
    r"(?:(`{1,2})([^`\n]{1,80})\1|(\"[^\"\n]{1,60}\"|[\w./-][\w./:-]{0,59})\.?[ \t]*$)"
)
_FIELD = re.compile(
    r"(?i)[ \t]*(?:[-*+] )?[:*_`]{0,3}(?:type|defaults?|required|since|version\w*)\b.{0,60}?:"
)
_SKIPPED = re.compile(r"[ \t]*(?:!!!|\.\. |```|~~~|\||:::|<!--|([=\-~^\"'`#*+.])\1{2,}[ \t]*$)")
_ROLE = re.compile(r"[ \t]*:[a-z][a-z ]{1,30}:[ \t]")
"""Of a list of fields, not of code."""
_LAST = 2
_LETTERS = re.compile(r"[^a-z0-9]+")
_SETTINGS = re.compile(r"config|setting|option|variable|parameter")
"""Of the letters of a heading."""
_WORDS_MIN = 3


class Entry(msgspec.Struct, frozen=True, array_like=True, dict=True):
    """What a document says of a name at a line: '' and None for nothing. `above` are the headings
    that it stands below, the nearest first, and the document's own name; a key of a file of
    settings is `in_section` where it stands below another, and `sample` is what a file to be
    copied has for it, '' for nothing."""

    name: str
    meaning: str
    default: str | None
    path: str
    line: int
    above: tuple[str, ...]
    in_section: bool = False
    sample: str = ""

    @property
    def place(self) -> tuple[str, int]:
        """The path and the line."""
        return self.path, self.line

    @cached_property
    def letters_above(self) -> str:
        """Those of all headings above."""
        return "".join(self.above)

    @property
    def whole_section(self) -> str:
        """The letters of the keys that hold one of a file, the outermost first."""
        return "".join(reversed(self.above[:-1]))

    @property
    def is_on_settings(self) -> bool:
        """Does a heading above, or the name of the document, say that it is about settings?"""
        return any(map(_SETTINGS.search, self.above))


@query
def entries(facts: Facts) -> Mapping[str, tuple[Entry, ...]]:
    """By name, those of tables, of headings and definitions, of lists; several by a name with a
    hole, as it is written."""
    entries: dict[str, list[tuple[int, Entry]]] = {}
    count = 0
    for document in chosen(facts):
        if not document.path.lower().endswith(WRITTEN) or not tells_what_is(document):
            continue
        for rank, entry in _of(facts, document.path):
            count += 1
            entries.setdefault(entry.name, []).append((rank, entry))
        if count > _ENTRIES_MAX:
            break
    for path in setting_files.samples(facts):
        # What a program embeds is what it falls back on.
        lines = facts.tree.text(path).split("\n")
        has_defaults = setting_files.is_embedded(facts, path)
        for key in shown_keys(lines, is_yaml=setting_files.is_yaml(path)):
            default, written = key.default, lines[key.line - 1]
            if has_defaults and "=" in written and not key.is_out:
                default = written.partition("=")[2].strip().strip("\"'`")
            above = (*map(_letters, reversed(key.holders)), "settings")
            meaning = cut(" ".join(key.words.split()))
            sample = "" if has_defaults or key.is_out else value_of(written)
            row = Entry(
                key.name, meaning, default, path, key.line, above, bool(key.holders), sample
            )
            entries.setdefault(key.name, []).append((_LAST, row))
    for it in manuals.variables(facts):
        above = ("environmentvariables", "settings")
        row = Entry(it.name, cut(it.meaning), it.default, it.place.path, it.place.line or 1, above)
        entries.setdefault(it.name, []).append((_LAST, row))
    return {
        name: tuple(entry for _, entry in sorted(some, key=lambda it: it[0]))
        for name, some in entries.items()
    }


def of_setting(
    rows: Mapping[str, tuple[Entry, ...]], name: str, written: str, *, is_shared: bool
) -> tuple[Entry, ...]:
    """What documents say of a setting, and of the variable or the name in capitals that it is
    `written` as, '' for neither. Where keys in others end with the name, too, all must say the same
    for it to be meant."""
    if written and (written == name or written in rows):
        return rows.get(written, ())
    same = rows.get(name, ()) or _below(rows, name)
    same = tuple(it for it in same if not it.in_section or "." in name or "]" in name)
    # What stands above a key where it is shipped is on that key alone.
    on_settings = (it for it in same if it.is_on_settings)
    meant = tuple(sorted(on_settings, key=lambda it: not it.in_section))
    return () if is_shared and len({row.meaning for row in meant}) > 1 else meant


def _below(rows: Mapping[str, tuple[Entry, ...]], key: str) -> tuple[Entry, ...]:
    """What is called by the last word of a key, and has the others in headings above."""
    *holders, last = key.replace("[]", "").replace(".*", "").replace("] ", ".").split(".")
    words = [_letters(it).removesuffix("s") for it in holders]
    fitting: Sequence[Entry] = rows.get(last, ())
    for word in words:
        fitting = [row for row in fitting if word in row.letters_above]
    exact = "".join(map(_letters, holders))
    return tuple(it for it in fitting if not it.in_section or it.whole_section.endswith(exact))


class _Section(NamedTuple):
    """Lines, the first of which is `line` of a document."""

    lines: Sequence[str]
    line: int
    above: tuple[str, ...]


@of_file
def _of(facts: Facts, path: str) -> list[tuple[int, Entry]]:
    """What a document says, with how much it is to be preferred: the less the more."""
    return [*_entries(documents_by_path(facts)[path])]


def _entries(document: Document) -> Iterator[tuple[int, Entry]]:
    for match in _PARAMETER.finditer(document.text) if document.path.endswith(".mdx") else ():
        name, default, words = match.group("name", "default", "words")
        line = document.text.count("\n", 0, match.start()) + 1
        meaning = cut(plain_words(words))
        yield 0, Entry(name, meaning, default, document.path, line, ("parameters",))
    for title, section in _sections(document):
        rows = [*_rows(section)]
        points = [*_definitions(section), *_items(section)]
        whole = _HEADING.fullmatch(title.strip("`* "))
        if whole and _NAME.fullmatch(whole[1]):
            meaning, default = _body(section.lines[:_BODY_MAX])
            points.append((whole[1], meaning, default, section.line - 1))
        for rank, some in enumerate((rows, points)):
            for name, meaning, default, line in some:
                yield rank, Entry(name, meaning, default, document.path, line, section.above)
        for holders, (name, meaning, default, line) in _samples(section):
            above = (*map(_letters, holders), *section.above)
            yield _LAST, Entry(name, meaning, default, document.path, line, above)


def _sections(document: Document) -> Iterator[tuple[str, _Section]]:
    lines = document.text.split("\n")
    file = _letters(document.path.rpartition("/")[2].rpartition(".")[0])
    headings = document.headings
    first = headings[0].line - 1 if headings else len(lines)
    yield "", _Section(lines[:first], 1, (file,))
    above: list[tuple[int, str]] = []
    for at, heading in enumerate(headings):
        above = [it for it in above if it[0] < heading.level]
        title = plain(heading.text)
        end = headings[at + 1].line - 1 if at + 1 < len(headings) else len(lines)
        names = (*(it for _, it in reversed([*above, (0, _letters(heading.text))])), file)
        yield title, _Section(lines[heading.line : end], heading.line + 1, names)
        above.append((heading.level, _letters(heading.text)))


def _letters(words: str) -> str:
    return _LETTERS.sub("", words.lower())


_Told = tuple[str, str, str | None, int]
"""A name, its meaning, its default, and the line."""


def _items(section: _Section) -> Iterator[_Told]:
    """Points of lists, each with the lines that it goes on in."""
    for number, line in enumerate(section.lines, 1):
        if item := _ITEM.match(line):
            rest = takewhile(lambda text: not _ENDS.match(text), section.lines[number : number + 5])
            meaning = cut(plain_words(" ".join((item[5], *rest))))
            yield item[3] or item[4], meaning, None, section.line + number - 1


def _definitions(section: _Section) -> Iterator[_Told]:
    for at, (line, behind) in enumerate(pairwise(section.lines)):
        term = _TERM.match(line)
        if term is None or not (term[2] or "::" in line or term[3].isupper() or "_" in term[3]):
            continue
        following = behind if behind.strip() else "".join(section.lines[at + 2 : at + 3])
        is_colon = following.lstrip().startswith(": ")
        is_deeper = indentation(following) > len(term[1]) and (behind.strip() or "::" in line)
        if is_colon or is_deeper:
            indent = 0 if is_colon else len(term[1]) + 1
            meaning, default = _body([*_deeper(section.lines[at + 1 : at + _BODY_MAX], indent)])
            if meaning or default is not None:
                yield term[3], meaning, default, section.line + at


def _deeper(lines: Sequence[str], indent: int) -> Iterator[str]:
    """Lines up to one that is not so far in."""
    return takewhile(lambda line: not line.strip() or indentation(line) >= indent, lines)


def indentation(line: str) -> int:
    return len(line) - len(line.lstrip())


def _body(lines: Sequence[str]) -> tuple[str, str | None]:
    """What the first paragraph of a body says, and the default that one of its lines names."""
    default, words = None, list[str]()
    is_over = is_code = False
    depth = -1
    underline = lines[:1] if lines and is_rule(lines[0]) else ()
    for line in lines[len(underline) :]:
        if line.lstrip().startswith(("```", "~~~")):
            is_code = not is_code
        if depth >= 0 and (not line.strip() or indentation(line) > depth):
            continue
        depth = -1
        if (match := _DEFAULT.match(line)) and default is None and not is_code:
            default = (match[2] or match[3].rstrip(".")).strip("\"'")
            is_over = is_over or bool(words)
        if is_code or _SKIPPED.match(line):
            if line.lstrip().startswith((".. ", "!!!")):
                depth = indentation(line)
            is_over = is_over or bool(words)
        elif line.rstrip().endswith("::") and not words and _FIELD.match(line):
            depth = indentation(line)
        elif not line.strip() or _ROLE.match(line):
            is_over = is_over or bool(words)
        elif not (is_over or (not words and (_FIELD.match(line) or _DEFAULT.match(line)))):
            words.append(POINT.sub("", line, count=1).strip().removeprefix(": "))
    sentence = plain_words(" ".join(words))
    return (cut(sentence) if len(sentence.split()) >= _WORDS_MIN else ""), default


def cut(words: str) -> str:
    """Whole sentences, as many as there is room for, at least one."""
    kept = ""
    for sentence in SENTENCES.split(words):
        if kept and len(kept) + len(sentence) > MEANING_MAX:
            break
        if kept and sentence.endswith(":"):
            break  # It begins what is not shown.
        kept = f"{kept} {sentence}".strip()
    return kept


def _rows(section: _Section) -> Iterator[_Told]:
    at = 0
    while at < len(section.lines):
        table = tables.whole(section.lines, at)
        if table is not None:
            yield from _of_table(section, at, table.rows)
        at = table.end if table else at + 1


def _of_table(section: _Section, at: int, rows: Sequence[Sequence[str]]) -> Iterator[_Told]:
    """What the rows say below a head; the first column has the names."""
    heads = [plain_words(cell) for cell in rows[0]]
    column, default = _column(heads, _MEANING), _column(heads, _DEFAULTS)
    for row in rows[1:] if column or default else ():
        first = row[0].lstrip(_BEFORE_CELL)
        near = range(at + 1, min(at + _ROW_LINES_MAX, len(section.lines)))
        begins = (it for it in near if section.lines[it].lstrip(_BEFORE_CELL).startswith(first))
        at = next(begins, at)
        text = row[column] if column else ""
        value = _value(row[default]) if default else None
        if default is None and (default_ := _BEHIND.search(text)):
            text, value = text[: default_.start()], default_[2]
        meaning = plain_words(text)
        meaning = "" if _CONDITION.fullmatch(meaning) else meaning
        is_told = meaning or (default and plain_words(row[default]))
        if is_told and (name := _named(plain_words(row[0]))):
            yield name, meaning, value, section.line + at


def _samples(section: _Section) -> Iterator[tuple[Sequence[str], _Told]]:
    """Keys of files that a document shows with a comment above, with the keys that hold them."""
    blocks: list[tuple[int, list[str]]] = []
    is_code = False
    for number, line in enumerate(section.lines, section.line):
        if FENCE.match(line):
            is_code = not is_code
            blocks.append((number + 1, []))
        elif is_code:
            blocks[-1][1].append(line)
    for start, lines in blocks:
        for key in shown_keys(lines, start, is_example=True):
            meaning = cut(plain_words(key.words))
            if meaning or key.default:
                yield key.holders, (key.name, meaning, key.default, key.line)


def _column(heads: Sequence[str], like: re.Pattern[str]) -> int | None:
    return next((at for at, head in enumerate(heads) if like.fullmatch(head)), None)


def _named(cell: str) -> str:
    name = _HEADING.fullmatch(cell)
    return name[1] if name else cell if _TEMPLATE.fullmatch(cell) else ""


def _value(cell: str) -> str | None:
    """What a cell of defaults says, where it is a value and no words: those are a value alone where
    the cell shows them as code, as a text or as a list."""
    shown = _bare(cell)
    value = shown.strip("\"'")
    is_remark = shown[:1] + shown[-1:] == "()" or value in "-–—"
    is_whole = shown[:1] + shown[-1:] in _WHOLE or bool(_CODE.fullmatch(cell.strip()))
    return value if value and (is_whole or " " not in value) and not is_remark else None


@lru_cache(2_000)
def plain_words(cell: str) -> str:
    """The words of a cell without markup and escapes, and with one colon before what follows."""
    words = _bare(cell)
    return f"{words[:-2]}:" if words.endswith("::") else words


def _bare(cell: str) -> str:
    bare = _MARKUP.sub("", _LINK.sub(r"\1", about.plain(_ADDRESS.sub(r"\1", cell))))
    return " ".join(re.sub(r"\\(\W|_)", r"\1", bare).split())
