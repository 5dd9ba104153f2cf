"""Documents and comments as quotes: their words unaltered, their markup made ours.

Pictures, and directives that show nothing, are left out; so are other directives and HTML, and
`[…]` marks their places.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from functools import lru_cache

from stationmaster.catalogue.repositories.expressions import expressions
from stationmaster.wiki.text import tables
from stationmaster.wiki.text.inline import ESCAPED, Md, code, table_row
from stationmaster.wiki.text.spans import ADDRESS, BREAK, POINTER, WORDS, joined_lines, paragraph

QUOTE_MAX = 1_600
"""Characters after which a quote ends with its paragraph."""
CODE_LINES_MAX, ROWS_MAX = 60, 40
_CODE_INDENT = 4
_CUT = "[…]"
_FENCE = re.compile(r"^\s*(`{3,}|~{3,}|-{4,}$|\.{4,}$)\s*([\w+-]*)")
_ITEM = re.compile(r"^(\s*)([-*+•]|\d{1,3}[.)]|#\.)\s+(.*)$")
_QUOTE = re.compile(r"^ {0,3}> ?")
_DEEPER = re.compile(r"^(?: {0,3}> ?)+")
_WITHIN = re.compile(r"^\[[^\]]{1,200}\]\(#[^)]{0,200}\)\s*$")
"""A line of a table of contents."""
_UNSEEN = re.compile(
    r"^\s*$|^\s*:{3,}\s?\w{0,20}(?:\[.*|\{.*)?$"
    r"|^import (?:[\w*{][^;'\"]{0,200} from )?(['\"])[^'\"]{1,200}\1;?\s*$"
    r"|^\s*<(?:/[A-Z][\w.]{0,60}|[A-Z][\w.]{0,60}(?: [^<>]{0,300}[^<>/])?)>\s*$"
    r"|^\s*\{/\*.{0,300}\*/\}\s*$"
)
"""An empty line, the marks around a note, and of MDX imports, tags around paragraphs, comments."""
_ALERT = re.compile(r"^\s*\[!\w{1,20}\]\s*$")
_DIRECTIVE = re.compile(r"^\s*\.\.(?:\s|$)")
_CODE_DIRECTIVE, _SILENT, _SHOWN, _DECLARING = (
    expressions("directives")[it] for it in ("as_written", "silent", "told", "declaring")
)
_GLOSSARY = re.compile(r"^\s*\.\. glossary::")
_PICTURE = re.compile(
    r"^\s*(?:\[!\[|!\[|<(?:img|picture|br|hr|/?p|/?div|/?center|/?a)\b[^<>]*>\s*$)"
)
_LAYING_OUT = re.compile(
    r"^\s*<(?:h[1-6]|p|div|center|b|strong|i|em|span|a|sub)\b(?!.*<(?:table|t[rd]|ul|ol|li|pre|details)\b)"
)
"""The beginning of a paragraph inside elements of HTML which only lay it out."""
_ELEMENT = re.compile(r"</?[A-Za-z][^<>]{0,400}>")
_ANCHOR = re.compile(r"<a\b[^<>]{0,400}>\W{0,3}</a>")
_LINK = re.compile(
    r"<a\b[^<>]{0,400}>[^<>]{0,200}</a>|\[[^\]]{0,200}\]\([^)]{0,500}\)|<[^<>]{0,400}>"
)
_WORDS_MIN = 5
_RULE = re.compile(r"^\s*([=\-~^\"'`#*+.:_])\1{2,}\s*$")
_HIDDEN = re.compile(
    r"^\s*(?:</?[A-Za-z!]|\||\[!|!\[|\[\w[^\]]*\]:|:\w[\w ]*:|\{%|\{\{<|={1,6} |#{1,6} |\+[-=]+)"
)
_COMMENT = re.compile(r"^ {4,}#{1,6} ")
"""Within code by indentation; nearer to the margin it is a heading."""
_LITERAL_END = re.compile(r"(?<=:):$|(?:^|(?<=\s))::$")
"""What ends a paragraph before a block that is shown as it is written."""
_LINKS = re.compile(rf"(?:{WORDS.replace('?P<words>', '?:')}{ADDRESS}|[\s\\|·•*_-])++")
_FURTHER = expressions("marks")["further"]
_BEHIND_LINK = re.compile(r" \(`[^`]{1,600}`\)")
"""Where a link leads whose words do not say it."""
EMPHASIS = re.compile(r"\*\*|__")
_OPTION = re.compile(r"^\s*:[\w-]{1,30}:(?:\s|$)(?!`)")
_EXAMPLE = re.compile(r"^\s*>>> ?\S")
"""A line of a session in Python."""
_TERM = re.compile(
    r"^\s*(?:`[^`]{1,80}`|``[^`]{1,80}``|\*{1,2}[^*\s][^*]{0,80}\*{1,2}|[\w.-]{1,60})\s*$"
)
"""What a definition below it is of."""
_OPTIONS = re.compile(
    r"^ {0,9}(--?\w[^\s`]{0,60}(?:, --?[\w-]{1,60})?(?: [A-Z<\[]\S{0,40})?)(?: {2,}(\S.*))?$"
)
"""An option of a manual, with its meaning behind it or below it."""
_DRAWN = re.compile(r"[\u2500-\u257f]|^\s*[xo·◦▪‣]\s")
_DEPTHS_MIN = 3
"""Different depths of lines that make a drawing of a paragraph."""
_LAID_OUT = str.maketrans("\t\n", "  ")


def quoted(words: str, most: int = QUOTE_MAX, rows: int = ROWS_MAX) -> Md:
    """Lines of a quote, marked, which ends with the paragraph after so many characters, and a table
    in it after so many rows; empty where nothing of it can be shown."""
    blocks = list(_cut(_blocks(words.expandtabs(4).split("\n")), most, rows))
    if not any(part != _CUT for part in blocks):
        return Md("")
    joined = "\n\n".join(blocks)
    return Md("\n".join(f"> {line}".rstrip() for line in joined.split("\n")))


@lru_cache(200)
def bare(words: str) -> str:
    """The paragraphs of a document as plain text, without marks and references, and without what is
    no text."""
    kept = "\n".join(line for line in words.split("\n") if not _DIRECTIVE.match(line))
    return "\n\n".join(
        ESCAPED.sub(r"\1", paragraph(it).replace("`", ""))
        if not _HIDDEN.match(it) and not _ITEM.match(it)
        else it
        for it in re.split(r"\n[ \t]*\n", kept)
    )


def is_rule(line: str) -> bool:
    """Is a line nothing but a mark, as below headings?"""
    return _RULE.match(line) is not None


def _cut(blocks: Iterator[str], most: int, rows: int) -> Iterator[str]:
    size = 0
    last = ""
    for part in blocks:
        if size > most:
            yield _CUT
            return
        lines = part.split("\n") if part.startswith("| ") else []
        if len(lines) > rows + 2:
            part = "\n".join([*lines[: rows + 2], "", _CUT])
        if part != _CUT or last != _CUT:
            yield part
        size += len(part)
        last = part


def _blocks(written: Sequence[str]) -> Iterator[str]:
    lines = [*written]
    at = 0
    while at < len(lines):
        line = lines[at]
        if _UNSEEN.match(line) or (_RULE.match(line) and not _FENCE.match(line)):
            at += 1
        elif (marked := _CODE_DIRECTIVE.match(line)) is not None:
            at, body = _indented(lines, at + 1, _indent(line))
            yield _code([line for line in body if not re.match(r"\s*:\w+:", line)], marked[1])
        elif (fence := _FENCE.match(line)) is not None and _closes(lines, at, fence[1]):
            end = _closes(lines, at, fence[1])
            yield _code(lines[at + 1 : end], fence[2])
            at = end + 1
        elif (read := tables.read(lines, at)) is not None:
            at = read.end
            yield _table(read.rows)
        elif _DIRECTIVE.match(line):
            at, body = _indented(lines, at + 1, _indent(line))
            yield from _directed(line, body)
        elif line.lstrip().startswith("<!--"):  # No reader of the document sees it.
            while at < len(lines) and "-->" not in lines[at]:
                at += 1
            at += 1
        elif _EXAMPLE.match(line):
            start = at
            while at < len(lines) and lines[at].strip():
                at += 1
            yield _code(lines[start:at], "pycon")
        elif _HIDDEN.match(line) and not _COMMENT.match(line):
            start = at
            while at < len(lines) and lines[at].strip():
                at += 1
            if not all(map(_PICTURE.match, lines[start:at])):
                yield _within_elements(" ".join(lines[start:at])) or _CUT
        elif _QUOTE.match(line):
            start = at
            while at < len(lines) and _QUOTE.match(lines[at]):
                at += 1
            yield from _inside([_QUOTE.sub("", line, count=1) for line in lines[start:at]])
        elif _ITEM.match(line):
            at, shown, below = _points(lines, at)
            yield from filter(None, (shown, below))
        elif _indent(line) >= _CODE_INDENT:
            at, body = _indented(lines, at, 3)
            yield _code(body, "")
        else:
            at, shown = _paragraph(lines, at)
            at, below = _literal(lines, at, _indent(line))
            yield from filter(None, (shown, below))


def _literal(lines: Sequence[str], at: int, indent: int) -> tuple[int, str]:
    """The block that `::` at the end of the paragraph above announces."""
    if not _LITERAL_END.search(lines[at - 1].rstrip()):
        return at, ""
    at, body = _indented(lines, at, indent)
    return at, _code(body, "") if any(map(str.strip, body)) else ""


def _points(lines: list[str], start: int) -> tuple[int, str, str]:
    """A list up to the first words below an item, which then begin at the margin, and code that the
    item announces."""
    at, shown = _list(lines, start)
    inner = next(filter(None, map(_ITEM.match, reversed(lines[start:at])))).start(3)
    at, below = _literal(lines, at, inner)
    _move_out(lines, at, min(_indent(lines[start]), _CODE_INDENT - 1), inner)
    return at, shown, below


def _move_out(lines: list[str], at: int, indent: int, inner: int) -> None:
    """Has the words below an item, which are further in than it, begin at the margin; `inner` is
    where the item's own words begin: code is four places behind that."""
    while (
        (first := _following(lines, at)) < len(lines)
        and (depth := _indent(lines[first])) > indent
        and not _ITEM.match(lines[first])
    ):
        cut = inner if depth >= inner + _CODE_INDENT else depth
        end, body = _indented(lines, first, depth - 1)
        lines[first:end] = [line[cut:] for line in body]
        at = end


def _within_elements(words: str) -> str:
    """The sentence that elements of HTML lay out; '' for a bar of links and what is no sentence."""
    if not _LAYING_OUT.match(words) or len(re.findall(r"\w+", _LINK.sub("", words))) < _WORDS_MIN:
        return ""
    return paragraph(_ELEMENT.sub(" ", _ANCHOR.sub("", words)))


def _directed(line: str, body: Sequence[str]) -> Iterator[str]:
    """What a directive of reStructuredText shows, as far as it is text."""
    kept = textwrap.dedent("\n".join(it for it in body if not _OPTION.match(it))).split("\n")
    if _GLOSSARY.match(line):
        yield from _defined(kept)
    elif shown := _SHOWN.match(line):
        yield from _blocks([shown["first"], *kept] if shown["first"] else kept)
    elif declared := _DECLARING.match(line):
        yield from _declared(declared["name"], _blocks(kept))
    elif not _SILENT.match(line):
        yield _CUT


def _defined(lines: Sequence[str]) -> Iterator[str]:
    """Terms at the beginning of lines, with their meanings below them."""
    at = 0
    while at < len(lines):
        terms = []
        while at < len(lines) and (not lines[at].strip() or not _indent(lines[at])):
            terms += [lines[at]] if lines[at].strip() else []
            at += 1
        at, body = _indented(lines, at, 0)
        if terms and body:
            yield f"- {paragraph(', '.join(terms))}: {joined_lines(body)}"


def _declared(name: str, blocks: Iterator[str]) -> Iterator[str]:
    """A name with the first words on it, then all else."""
    first = next(blocks, "")
    is_words = first and first != _CUT and not first.startswith(("```", "- ", ">", "|"))
    yield f"- {code(name)}: {first}" if is_words else f"- {code(name)}"
    if first and not is_words:
        yield first
    yield from blocks


def _table(rows: Sequence[Sequence[str]]) -> str:
    shown: list[str] = [table_row(map(paragraph, cells)) for cells in rows]
    shown.insert(1, f"|{' --- |' * len(rows[0])}")
    return "\n".join(shown)


def _paragraph(lines: Sequence[str], at: int) -> tuple[int, str]:
    """Words up to a blank line, a term with its meaning, or a drawing, as it is written; '' for
    a paragraph of nothing but links."""
    line, start = lines[at], at
    behind = lines[at + 1] if at + 1 < len(lines) else ""
    is_deeper = behind.strip() and _indent(behind) > _indent(line)
    if is_deeper and _TERM.match(line) and not (_ITEM.match(behind) or _DRAWN.match(behind)):
        at, body = _indented(lines, at + 1, _indent(line))
        return at, f"- {paragraph(line)}: {joined_lines(body)}"
    while at < len(lines) and lines[at].strip() and not _begins(lines[at], at > start):
        at += 1
    if _OPTIONS.match(line) and (at > start + 1 or "  " in line.strip()):
        return at, _options(lines[start:at])
    if _is_drawn(lines[start:at]):
        return at, _code(lines[start:at], "")
    words = "\n".join(lines[start:at]).rstrip()
    if _LINKS.fullmatch(words) and (".](" not in words or POINTER.match(words)):
        return at, ""
    parts = map(paragraph, BREAK.split(_LITERAL_END.sub("", words)))
    shown = "\\\n".join(filter(None, parts))
    is_leading = "](" in words and _FURTHER.fullmatch(_BEHIND_LINK.sub("", shown))
    return at, "" if is_leading else shown


def _options(lines: Sequence[str]) -> str:
    """Options of a program, with their meanings."""
    options: list[tuple[str, list[str]]] = []
    for line in lines:
        if option := _OPTIONS.match(line):
            options.append((option[1], [option[2] or ""]))
        else:
            options[-1][1].append(line)
    return "\n".join(
        f"- {code(name)}: {words}" if (words := joined_lines(meaning)) else f"- {code(name)}"
        for name, meaning in options
    )


def _inside(lines: Sequence[str]) -> Iterator[str]:
    """A quote in the quote, with a mark of its own; the signs of deeper ones are left out."""
    bare = [_DEEPER.sub("", line) for line in lines if not _ALERT.match(line)]
    if blocks := list(_blocks(bare)):
        yield "\n".join(f"> {line}".rstrip() for line in "\n\n".join(blocks).split("\n"))


def _begins(line: str, is_behind: bool) -> bool:
    """Does a line end the paragraph above it?"""
    return is_behind and bool(
        _ITEM.match(line) or _QUOTE.match(line) or _UNSEEN.match(line) or _DIRECTIVE.match(line)
        or line.lstrip().startswith(("```", "~~~", "<!--"))
        or _RULE.match(line)
    )  # fmt: skip


def _is_drawn(lines: Sequence[str]) -> bool:
    """Does the beginning of its lines carry meaning, as in a tree?"""
    return len({*map(_indent, lines)}) >= _DEPTHS_MIN or any(map(_DRAWN.search, lines))


def _list(lines: Sequence[str], at: int) -> tuple[int, str]:
    """Items of one list with those inside others, whatever blank lines are between; as it is
    written where it has marks that are none of a list."""
    start, items, outer = at, list[str](), list[tuple[int, int]]()
    while at < len(lines):
        match = _ITEM.match(lines[at])
        if match is None:
            following = _following(lines, at)
            if following == at or not _ITEM.match("".join(lines[following : following + 1])):
                break
            at = following
            continue
        at += 1
        if _WITHIN.match(match[3]):
            continue
        words, indent = [match[3]], len(match[1])
        while (
            at < len(lines) and lines[at].strip() and not _begins(lines[at], is_behind=True)
            and (_indent(lines[at]) > indent or not _HIDDEN.match(lines[at]))
        ):  # fmt: skip
            words.append(lines[at])
            at += 1
        words[-1] = _LITERAL_END.sub("", words[-1])
        while outer and outer[-1][0] >= indent:
            outer.pop()
        mark = match[2] if match[2][0].isdigit() else "-"
        items.append(f"{' ' * sum(width for _, width in outer)}{mark} {joined_lines(words)}")
        outer.append((indent, len(mark) + 1))
    if any(map(_DRAWN.search, lines[start:at])):
        return at, _code(lines[start:at], "")
    return at, "\n".join(items)


def _closes(lines: Sequence[str], at: int, mark: str) -> int:
    """The line that ends a block of code; 0 where nothing does."""
    for number in range(at + 1, len(lines)):
        if lines[number].strip().startswith(mark) and not lines[number].strip().strip(mark[0]):
            return number
    return 0


def _indented(lines: Sequence[str], at: int, indent: int) -> tuple[int, list[str]]:
    """Lines that are further in, and the number of the first that is not."""
    body: list[str] = []
    while at < len(lines) and (not lines[at].strip() or _indent(lines[at]) > indent):
        body.append(lines[at])
        at += 1
    return at, body


def _following(lines: Sequence[str], at: int) -> int:
    """The first line from there on that is not blank; behind the last one without any."""
    return next((it for it in range(at, len(lines)) if lines[it].strip()), len(lines))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _code(body: Sequence[str], language: str) -> str:
    kept = textwrap.dedent("\n".join(body)).strip("\n").split("\n")
    if not any(line.strip() for line in kept):
        return _CUT
    shown = block("\n".join(kept[:CODE_LINES_MAX]), language)
    return f"{shown}\n\n{_CUT}" if len(kept) > CODE_LINES_MAX else shown


def block(words: str, language: str = "") -> Md:
    """A block of code, whatever its content."""
    fence = "```"
    while fence in words:
        fence += "`"
    name = language if re.fullmatch(r"[\w+-]{1,20}", language) and language != "mermaid" else ""
    if not words.translate(_LAID_OUT).isprintable():
        words = "".join(sign for sign in words if sign.isprintable() or sign in "\t\n")
    return Md(f"{fence}{name}\n{words}\n{fence}")
