"""Lines of a source file that explain it: the comment of a declaration, its words without the
marks, and the statements of a function that are worth showing. Lines count from 1."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence

from stationmaster.reading.code.model import Symbol

Span = tuple[int, int]
"""The first and the last line."""
COMMENT_LINES_MAX = 80
HEAD_LINES_MAX = 60
"""Of a declaration, before its docstring."""
EXCERPT_MAX = 24
"""Lines of an excerpt."""
_LINES_ENOUGH = 8
"""Of a function that calls nothing known."""
FUNCTION_LINES_MAX = 400
_GOES_ON = re.compile(r"\s*(?:[)\]}>.?:&|]|else\b|elif\b|except\b|catch\b|finally\b|end\b|rescue\b"
                      r"|when\b|case\b|default\b|do\b|where\b|->|=>)")  # fmt: skip
"""A line that belongs to the statement above."""
_CLOSES = re.compile(r"\s*(?:[)\]}]|end\b)")
_LAST = re.compile(r"(?:return|throw|raise)\b(?!.*[{(\[,]$).{1,120}")
_GIVES = re.compile(r"(?:^|[{;:)])\s*return\b")
_EARLIER_MIN = 2
"""Of statements that give something before the end."""
_OPENS = re.compile(r"(?:[:{]|\bdo(?: \|.*\|)?|\bthen|->|=>|\bin|\belse|\))\s*(?:#.*|//.*|\*/)?$")
"""The end of a line behind which a block begins."""
_UNFINISHED = re.compile(r"(?:[,(\[\\*=<|&^]|(?<!\+)\+|(?<!-)-|\b(?:and|or|not))\s*(?:#.*|//.*)?$")
_MARKER = re.compile(r"^\s*(?:///?!?|//|#!?|/\*\*?|\*/|\*(?!\*)|--\s\||--|;;+|\"\"\"|''')[ ]?")
_COMMENT = re.compile(r"^\s*(?://|#(?!\[|include|define|if|end|pragma)|/\*|\*|--|;;)")
_BESIDE = re.compile(r"^\s*(?:@\w|#\[|\[\w[^\]]*\]\s*$|export\s*$|template\s*<)")
"""Decorators, attributes and annotations, which stand between a comment and what it is about."""
_DOCSTRING = re.compile(r"^\s*[rRuUbB]{0,2}(\"\"\"|''')")
_TAG = re.compile(
    r"^\s*(?:@\w+|:(?:param|type|return|raise|rtype|arg)\w*\b.{0,200}:|\\(?:param|return)\b"
    r"|</?(?:param|returns|exception|remarks|example)\b|Args:|Returns:|Raises:|Parameters\s*$)"
)
"""What a comment says of single parameters."""
_REFERENCE = re.compile(
    r"""<see(?:also)?\s+\w+="(?:[A-Z]:)?([^"]{1,200})"\s*/>|\{@\w+\s+([^{}]{1,200})\}"""
    r"""|<(?:code|c|tt)>([^<>]{1,200})</(?:code|c|tt)>"""
)
"""Code in comments of C# and Java."""
_LABELLED = re.compile(
    r"\{@link(?:plain|code)?\s+[^\s(){}|]+(?:\([^(){}]*\))?(?:\s*\||\s)\s*([^{}()|]{1,100})\}"
)
"""A reference in Java or JavaScript with words for it."""
_XML = re.compile(r"</?(?:summary|para|p|inheritdoc|em|i|b)\b[^<>]{0,200}/?>")


def comment_words(lines: Sequence[str], span: Span) -> str:
    """What the lines of a comment say up to its parameters, without their marks."""
    kept: list[str] = []
    for line in lines[span[0] - 1 : span[1]]:
        bare = _XML.sub("", _MARKER.sub("", line).rstrip().removesuffix("*/")).rstrip()
        bare = _with_code(bare)
        if _TAG.match(bare):
            break
        kept.append(bare.removesuffix('"""').removesuffix("'''"))
    words = textwrap.dedent("\n".join(kept[:1])) + "\n" + textwrap.dedent("\n".join(kept[1:]))
    # References may go on in the next line.
    return _with_code(words).strip("\n")


def without_references(text: str) -> str:
    """A text of a comment with the words alone of its references to code."""
    return _REFERENCE.sub(r"\1\2\3", _LABELLED.sub(r"\1", text))


def _with_code(text: str) -> str:
    return _REFERENCE.sub(_as_code, _LABELLED.sub(r"\1", text))


def _as_code(found: re.Match[str]) -> str:
    return f"`{' '.join((found[1] or found[2] or found[3]).split())}`"


def first_comment(lines: Sequence[str]) -> tuple[int, int] | None:
    """The first comment of a file, behind a licence that stands apart from it."""
    at = 0
    spans = []
    while at < min(len(lines), HEAD_LINES_MAX):
        end = at
        while end < len(lines) and end - at < COMMENT_LINES_MAX and _COMMENT.match(lines[end]):
            end += 1
        if end > at:
            spans.append((at + 1, end))
        at = max(end, at + 1)
    return spans[0] if spans else None


def comment_above(lines: Sequence[str], line: int) -> tuple[int, int] | None:
    """The comment that ends above a declaration: its first and last line, from 1."""
    at = line - 1
    while at > 0 and _BESIDE.match(lines[at - 1]):
        at -= 1
    if at > 1 and not lines[at - 1].strip() and lines[at - 2].rstrip().endswith("*/"):
        at -= 1
    end = at
    while at > 0 and end - at < COMMENT_LINES_MAX and _COMMENT.match(lines[at - 1]):
        at -= 1
    return (at + 1, end) if at < end else None


def docstring(lines: Sequence[str], line: int) -> tuple[int, int] | None:
    """The text that a declaration in Python begins with."""
    for at in range(line, min(line + HEAD_LINES_MAX, len(lines))):
        match = _DOCSTRING.match(lines[at])
        if match is not None:
            rest = lines[at][match.end() :]
            end = at
            while match[1] not in rest and end + 1 < len(lines) and end - at < COMMENT_LINES_MAX:
                end += 1
                rest = lines[end]
            return at + 1, end + 1
    return None


def statements(
    lines: Sequence[str], symbol: Symbol, called: Sequence[int]
) -> tuple[int, int] | None:
    """The first and last of some statements of a function, told by how far they stand in."""
    said = docstring(lines, symbol.line)
    first = said[1] if said and said[0] <= symbol.end else symbol.line
    indents = {
        at: _indent(lines[at - 1])
        for at in range(first, min(symbol.end, first + FUNCTION_LINES_MAX) + 1)
        if lines[at - 1].strip()
    }
    numbers = sorted(indents)
    best: tuple[tuple[int, int, int, int], tuple[int, int]] | None = None
    for index, start in enumerate(numbers[1:], 1):
        indent = indents[start]
        if not _is_new(lines, indents, numbers[index - 1], start):
            continue
        for at, after in zip(numbers[index:], [*numbers[index + 1 :], 0], strict=True):
            if indents[at] < indent or at - start >= EXCERPT_MAX:
                break
            if after and (indents[after] > indent or not _is_new(lines, indents, at, after)) and (
                indents[after] >= indent
            ):  # fmt: skip
                continue
            held = len({line for line in called if start <= line <= at})
            length = at - start if held else min(at - start, _LINES_ENOUGH)
            worth = (held, -indent, length) if held else (0, length, -indent)
            score = (*worth, -start)
            if best is None or score > best[0]:
                best = score, (start, at)
    return best[1] if best else None


def _is_new(lines: Sequence[str], indents: Mapping[int, int], before: int, start: int) -> bool:
    """Does a statement begin at a line?"""
    line, above = lines[start - 1], lines[before - 1]
    if _GOES_ON.match(line) or _UNFINISHED.search(above):
        return False
    return indents[before] >= indents[start] or bool(_OPENS.search(above))


def block_end(lines: Sequence[str], line: int) -> int:
    """The last line of a statement and of the block that it opens, told by how far lines stand
    in."""
    indent = _indent(lines[line - 1])
    for at in range(line + 1, min(len(lines), line + FUNCTION_LINES_MAX) + 1):
        text = lines[at - 1]
        stands = _indent(text)
        if text.strip() and stands <= indent:
            return at if stands == indent and _CLOSES.match(text) else _filled(lines, at - 1)
    return line


def _filled(lines: Sequence[str], line: int) -> int:
    """The last line up to one that is not empty."""
    while not lines[line - 1].strip():
        line -= 1
    return line


def last_statement(lines: Sequence[str], symbol: Symbol) -> tuple[str, int] | None:
    """What a function gives or raises at its end, with its line, where that is one line of its own
    body. None where it gives something at several places before: the last tells little of it."""
    outer = _indent(lines[symbol.line - 1])
    at = symbol.end
    if _CLOSES.match(lines[at - 1]) and _indent(lines[at - 1]) == outer:
        at = _filled(lines, at - 1)
    inner = [
        _indent(text) for text in lines[symbol.line : at] if text.strip() and _indent(text) > outer
    ]
    text = lines[at - 1].strip()
    if at <= symbol.line or not _LAST.fullmatch(text) or _indent(lines[at - 1]) > min(inner):
        return None
    earlier = sum(1 for line in lines[symbol.line : at - 1] if _GIVES.search(line))
    return (text.rstrip(";"), at) if earlier < _EARLIER_MIN else None


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
