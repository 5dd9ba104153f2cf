"""The texts that people and agents read, and the commands in them.

Markdown, reStructuredText, AsciiDoc and plain text, by lines: what is a heading, a block of code, a
word of code in a line.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Set
from functools import cached_property, lru_cache
from typing import NamedTuple, cast

from stationmaster.catalogue.repositories.expressions import expressions
from stationmaster.catalogue.repositories.layout import layout
from stationmaster.repos.contents import Contents

_LIKE = expressions("documents")

DOCUMENTS_MAX = 2_000
_LINES_MAX = 50_000
_HEAD = 20_000
_PARAGRAPHS_MAX = 40
_SENTENCE_MIN = 15
_FRONT_MAX = 100
_TITLE = re.compile(r"title\s*[:=]\s*([\"']?)(.{1,200})\1\s*$")
"""A field of a page of a site."""
_SENTENCE_MAX = 400
_SENTENCE = re.compile(r".{10,399}?[.!?。](?<!\bi\.e\.)(?<!\be\.g\.)(?<!\bvs\.)(?=\s|$)")
_WRITTEN = frozenset({"md", "mdx", "markdown", "rst", "adoc", "asciidoc"})
_TEXT_ENDINGS = frozenset({"md", "mdx", "markdown", "mdc", "rst", "adoc", "asciidoc", "txt", ""})
_FENCE = re.compile(r"^[ \t>]*(?:[-*+][ \t]+|\d{1,3}[.)][ \t]+)?(`{3,}|~{3,})[ \t]*([^`\n]*)$")
_ATX = re.compile(r"^ {0,3}(#{1,6})[ \t]++(.+)$")
_HTML_HEADING = re.compile(r"(?i)[^<]{0,8}(?:<a\b[^<>]*>)?\s*<h([1-6])\b[^<>]*>(.+?)</h\1>")
_ELEMENT = re.compile(r"<su[bp]>.*|<[^<>]+>|&#?\w{1,9};|!\[[^\]]{0,200}\]\([^)]{0,300}\)")
_ADOC_HEADING = re.compile(r"^(={1,6})[ \t]+(\S.*)$")
_UNDERLINE = re.compile(r"^([=\-~^\"'`#*+.:_])\1{2,}[ \t]*$")
_RULE = re.compile(r"(?:={2,}|-{3,})[ \t]*$")
"""What underlines a heading of Markdown."""
_LANGUAGE = expressions("marks")["language"]
_OF_LANGUAGE = re.compile(rf"(.{{1,80}}?)[._-]({_LANGUAGE.pattern})\.(\w{{2,8}})", re.VERBOSE)
"""The name of a document with its language before its ending."""
_WORDS = re.compile(r"[^\s#`~][^`~]*+")
"""A line without a mark that means more than words to Markdown."""
_INDENT = 4
_LIST_MAX = 60
"""Lines above a block in which the item of a list is looked for that it may belong to."""
_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])(?:\s|$)")
_INLINE = re.compile(r"(`{1,2})(?!`|\s{1,300}`)([^`\n]{1,300})\1(?!`)")


class Heading(NamedTuple):
    """`level` counts from 1, the title of a page."""

    level: int
    text: str
    line: int


class Code(NamedTuple):
    """A block of code, or a word of code in a line. `language` is what the document calls it, in
    lower case, '' where it does not; `line` is that of the code's first line."""

    language: str
    text: str
    line: int


class Parts(NamedTuple):
    """The distinct parts of a document: headings by line, blocks of code, fenced or indented by a
    directive, and words of code within lines of text."""

    headings: tuple[Heading, ...]
    code: tuple[Code, ...]
    inline: tuple[Code, ...]


def parts(path: str, text: str) -> Parts:
    """The parts of a document."""
    reader = _Reader(path)
    reader.take(text.split("\n")[:_LINES_MAX])
    return Parts(tuple(reader.headings), tuple(reader.code), tuple(reader.inline))


class Document:
    """One text of the repository, read on demand. `parse` returns its parts if they are stored."""

    def __init__(
        self, path: str, read: Callable[[str], str], parse: Callable[[str], Parts] | None = None
    ) -> None:
        self.path = path
        self._read = read
        self._parse = parse

    def __repr__(self) -> str:
        return f"Document({self.path!r})"

    @property
    def text(self) -> str:
        """The text of the file, read at each use."""
        return self._read(self.path)

    @property
    def headings(self) -> tuple[Heading, ...]:
        return self._parts.headings

    @property
    def code(self) -> tuple[Code, ...]:
        return self._parts.code

    @property
    def inline(self) -> tuple[Code, ...]:
        return self._parts.inline

    @cached_property
    def _parts(self) -> Parts:
        return self._parse(self.path) if self._parse else parts(self.path, self.text)


@lru_cache(maxsize=65_536)
def is_document(path: str) -> bool:
    """True for a text for people or agents, by its path: a README, a page of a docs folder."""
    folder, _, name = path.rpartition("/")
    if _LIKE["agent"].fullmatch(path):
        return True
    stem, _, ending = name.rpartition(".")
    stem, ending = (stem, ending) if stem else (name, "")
    if not folder and ending.lower() in _WRITTEN:
        return True
    is_in_docs = not layout().folders.documents.isdisjoint(folder.lower().split("/")[:3])
    if is_in_docs and _LIKE["manual"].fullmatch(path):
        return True
    if ending.lower() not in _TEXT_ENDINGS:
        return False
    if (is_in_docs and ending and ending != "txt") or ".docc/" in path:
        return True
    named = _LIKE["named"].fullmatch(stem if ending else name)
    return named is not None or _LIKE["pages"].fullmatch(path) is not None


def is_translation(path: str, there: Set[str]) -> bool:
    """Is a document the translation of an existing one: `README.zh.md` next to or below
    `README.md`, `docs/fr/start.md` where `docs/start.md` or `docs/en/start.md` exists?"""
    folder, _, name = path.rpartition("/")
    if named := _OF_LANGUAGE.fullmatch(name):
        name = f"{named[1]}.{named[3]}"
        above = (folder.rsplit("/", up)[0] for up in range(folder.count("/") + 1))
        originals = [name, *(f"{it}/{name}" for it in (folder, *above))]
        return path not in originals and not there.isdisjoint(originals)
    parts = path.split("/")
    for at, part in enumerate(parts[:-1]):
        if _LANGUAGE.fullmatch(part):
            before, after = "/".join(parts[:at]), "/".join(parts[at + 1 :])
            beside = (f"{before}/{after}", f"{before}/en/{after}", f"{before}/en-US/{after}")
            if any(other.removeprefix("/") in there for other in beside):
                return True
    return False


def is_agent_file(path: str) -> bool:
    """Is it one of the files that agents read as instructions?"""
    return _LIKE["agent"].fullmatch(path) is not None


def choose(
    paths: Iterable[str], contents: Contents, others: Iterable[str] = ()
) -> tuple[Document, ...]:
    """The documents among paths, and others, those nearest to the root first."""

    def parse(path: str) -> Parts:
        def read(text: str) -> Parts:
            return cast(Parts, contents.remember(path, parts, lambda: parts(path, text)))

        return cast(Parts, contents.parsed("document", path, read))

    every = {*filter(is_document, paths), *others}
    chosen = sorted(every, key=lambda path: (path.count("/"), path))[:DOCUMENTS_MAX]
    return tuple(Document(path, contents.text, parse) for path in chosen)


@lru_cache(200)
def first_sentence(text: str) -> str:
    """The first sentence of the first paragraph of text, without markup; '' without one."""
    visible = re.sub(r"(?ms)^(```|~~~).*?(?:^\1|\Z)|<!--.*?(?:-->|\Z)", "", text[:_HEAD])
    for paragraph in re.split(r"\n[ \t]*\n", html.unescape(visible))[:_PARAGRAPHS_MAX]:
        plain = _plain(paragraph)
        if sum(map(str.isalpha, plain)) >= _SENTENCE_MIN and not plain.endswith(":"):
            match = _SENTENCE.match(plain)
            return match[0].strip() if match else shortened(plain, _SENTENCE_MAX)
    return ""


def shortened(text: str, most: int) -> str:
    """A text of at most so many characters, cut between words and with an ellipsis."""
    if len(text) <= most:
        return text
    return f"{text[: most - 2].rpartition(' ')[0] or text[: most - 2]} …"


_QUOTED_HEADING = re.compile(r"^(?:>\s*)+(?:#{1,6}\s+)?")


def _plain(paragraph: str) -> str:
    lines = [_QUOTED_HEADING.sub("", line.strip()) for line in _without_items(paragraph)]
    kept = [
        line
        for at, line in enumerate(lines)
        if line
        and not re.match(
            r"#|=+\s|={2,}|[-*+•]\s|\d{1,3}[.)]\s|-{2,}|\*{3,}|\||\.\. |:|\[!\[|!\[|<[!/a-z]"
            r"|\[(?!!)[^\]]{1,200}\](?:\([^)]{0,500}\)|\[[^\]]{0,100}\])?[\s|·•/-]*(?:\[|:|$)",
            line,
        )
        and not (at + 1 < len(lines) and re.fullmatch(r"[=\-~^]{3,}", lines[at + 1]))
    ]
    plain = re.sub(r"!\[[^\]]{0,200}\]\([^)]{0,500}\)|<[^>]{0,500}>", "", " ".join(kept))
    plain = re.sub(r"\[([^\]]{1,200})\]\([^)]{0,500}\)|`([^`]{1,200})`_{0,2}", r"\1\2", plain)
    printable = "".join(c if c.isprintable() else " " for c in re.sub(r"[*_]{2}|[*>]", "", plain))
    return " ".join(printable.split())


def _without_items(paragraph: str) -> list[str]:
    """The lines of a paragraph without continuation lines of list items."""
    kept: list[str] = []
    item = -1
    for line in paragraph.split("\n"):
        if _ITEM.match(line.lstrip()):
            item = _depth(line)
        elif 0 <= item < _depth(line):
            continue
        kept.append(line)
    return kept


def _behind_front_matter(lines: list[str]) -> int:
    """The line after the YAML or TOML that a page of a site may begin with."""
    if (mark := lines[0].rstrip()) in ("---", "+++"):
        for at, line in enumerate(lines[1:_FRONT_MAX], 1):
            if line.rstrip() == mark:
                return at + 1
    return 0


class _Reader:
    """Reads the lines of one document."""

    def __init__(self, path: str) -> None:
        ending = path.rpartition(".")[2].lower()
        self._is_rst = ending == "rst"
        self._is_adoc = ending in ("adoc", "asciidoc")
        self._is_markdown = ending in ("md", "mdx", "markdown")
        self._is_data = ending in ("yml", "yaml")
        self.headings: list[Heading] = []
        self.code: list[Code] = []
        self.inline: list[Code] = []
        self._levels: list[str] = []

    def take(self, lines: list[str]) -> None:
        """Collect the headings, the blocks of code and the words of code in the lines."""
        at = _behind_front_matter(lines) if self._is_markdown else 0
        for field in lines[1 : max(1, at - 1)]:
            if title := _TITLE.match(field):
                self.headings.append(Heading(1, title[2].strip(), at))
        is_marked = self._is_rst or self._is_adoc
        while at < len(lines):
            if is_marked or not _is_plain(lines, at):
                at = self._block(lines, at) or self._text(lines, at, lines[at])
            else:
                at += 1

    def _block(self, lines: list[str], at: int) -> int:
        """The line after the block of code that begins here; 0 without one."""
        line = lines[at]
        if not (self._is_rst or self._is_adoc):
            fence = _FENCE.match(line) if "```" in line or "~~~" in line else None
            if fence:
                return self._fenced(lines, at, fence[1], fence[2])
            is_code = not self._is_data and _is_code_by_indent(lines, at)
            return self._indented(lines, at - 1, _INDENT - 1, "") if is_code else 0
        if self._is_adoc:
            if line.rstrip() in ("----", "....") or line.startswith("```"):
                before = _LIKE["adoc_source"].match(lines[at - 1]) if at else None
                language = before[1] if before else line.strip("`-. ")
                return self._fenced(lines, at, line.rstrip()[:4], language)
            return 0
        directive = _LIKE["directive"].match(line)
        if directive is not None:
            return self._indented(lines, at, _depth(line), directive[2].lower())
        if line.rstrip().endswith("::") and not line.lstrip().startswith(".."):
            self._words(line, at)
            return self._indented(lines, at, _depth(line), "")
        return 0

    def _fenced(self, lines: list[str], at: int, fence: str, info: str) -> int:
        end = at + 1
        mark = fence[0]
        while end < len(lines):
            closing = lines[end].strip().lstrip("> ") if fence in lines[end] else ""
            if len(closing) >= len(fence) and set(closing) == {mark}:
                break
            end += 1
        words = info.strip().lstrip("{.").split()
        language = re.split(r"[,{}:]", words[0])[0].lower() if words else ""
        mark = lines[at][: len(lines[at]) - len(lines[at].lstrip(" >"))].rstrip()
        inside = (
            line.removeprefix(mark).removeprefix(" " if mark else "")
            for line in lines[at + 1 : end]
        )
        self.code.append(Code(language, "\n".join(inside), at + 2))
        return end + 1

    def _indented(self, lines: list[str], at: int, indent: int, language: str) -> int:
        end = at + 1
        while end < len(lines) and (not lines[end].strip() or _depth(lines[end]) > indent):
            end += 1
        begin = at + 1
        while begin < end and (not (line := lines[begin].strip()) or line.startswith(":")):
            begin += 1
        if inside := lines[begin:end]:
            depth = min(len(line) - len(line.lstrip()) for line in inside if line.strip())
            text = "\n".join(line[depth:] for line in inside).rstrip()
            self.code.append(Code(language, text, begin + 1))
        return end

    def _text(self, lines: list[str], at: int, line: str) -> int:
        heading = _ADOC_HEADING.match(line) if self._is_adoc else _ATX.match(line)
        if heading is not None and not self._is_rst:
            title = heading[2].strip() if self._is_adoc else _without_marks(heading[2])
            self.headings.append(Heading(len(heading[1]), title, at + 1))
        elif self._is_markdown and (heading := _HTML_HEADING.match(line)):
            if title := " ".join(_ELEMENT.sub(" ", heading[2]).split()):
                self.headings.append(Heading(int(heading[1]), title, at + 1))
        elif self._is_underlined(lines, at):
            mark = self._style(lines, at)
            self.headings.append(Heading(self._level(mark), line.strip(), at + 1))
        self._words(line, at)
        return at + 1

    def _is_underlined(self, lines: list[str], at: int) -> bool:
        if self._is_adoc or at + 1 >= len(lines):
            return False
        line, below = lines[at].strip(), lines[at + 1]
        is_rule = (_UNDERLINE if self._is_rst else _RULE).match(below)
        if not is_rule or not line or _UNDERLINE.match(line):
            return False
        return len(below.rstrip()) >= len(line) - 1 if self._is_rst else line[0] not in "|>-*"

    def _style(self, lines: list[str], at: int) -> str:
        """The mark below a heading, doubled where it is above it, too: that is another level."""
        mark = lines[at + 1][0]
        is_framed = self._is_rst and at > 0 and lines[at - 1].startswith(mark * 3)
        is_own = at < 2 or not lines[at - 2].strip()
        return mark * 2 if is_framed and is_own and _UNDERLINE.match(lines[at - 1]) else mark

    def _level(self, mark: str) -> int:
        if not self._is_rst:
            return 1 if mark == "=" else 2
        if mark not in self._levels:
            self._levels.append(mark)
        return self._levels.index(mark) + 1

    def _words(self, line: str, at: int) -> None:
        for match in _INLINE.finditer(line) if "`" in line else ():
            self.inline.append(Code("", match[2].strip(), at + 1))


def _is_plain(lines: list[str], at: int) -> bool:
    """Are there only words in a line, without a rule below it that makes it a heading?"""
    line = lines[at]
    if not line:
        return True
    is_of_words = _WORDS.fullmatch(line) is not None and "<h" not in line and "<H" not in line
    return is_of_words and not (at + 1 < len(lines) and _RULE.match(lines[at + 1]))


def _depth(line: str) -> int:
    """The indentation of a line; a tab goes to the next multiple of four."""
    wide = line.expandtabs(_INDENT)
    return len(wide) - len(wide.lstrip())


def _is_code_by_indent(lines: list[str], at: int) -> bool:
    """Does a block begin here that is code because it is indented by four, and that does not belong
    to an item of a list?"""
    line = lines[at]
    if not line.startswith((" ", "\t")) or not line.strip():
        return False
    if _depth(line) < _INDENT or (at and lines[at - 1].strip()):
        return False
    for before in range(at - 1, max(-1, at - _LIST_MAX), -1):
        above = lines[before]
        if above.strip() and not above.startswith((" ", "\t")):
            return _ITEM.match(above) is None
    return at < _LIST_MAX


def _without_marks(heading: str) -> str:
    """The text between the marks of a heading; the first mark if it has only marks."""
    return heading.rstrip(" \t").rstrip("#").strip() or heading[:1].strip()
