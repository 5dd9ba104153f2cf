"""Lines of a source file that explain it: the comment of a declaration, its words without the
marks, and the statements of a function that are worth showing. Lines count from 1."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence

Span = tuple[int, int]
"""The first and the last line."""
COMMENT_LINES_MAX = 80
HEAD_LINES_MAX = 60
"""Of a declaration, before its docstring."""
EXCERPT_MAX = 36
"""Lines of an excerpt."""
FUNCTION_LINES_MAX = 400
_PATTERN_LINES = 20
"""Of the pattern of an arm, at most."""
_ARM = re.compile(r"\s*+(?:\|\s*+)?&?(?:\w{1,60}::){0,4}[A-Z]\w*+\s*+(?:[({|,]|=>|if\b|$)")
_NAME = re.compile(r"\b[A-Z]\w*")
_CLOSES = re.compile(r"\s*(?:[)\]}]|end\b)")
_MARKER = re.compile(r"^\s*(?:///?!?|//|#!?|/\*\*?|\*/|\*(?!\*)|--\s\||--|;;+|\"\"\"|''')[ ]?")
_COMMENT = re.compile(r"^\s*(?://|#(?!\[|include|define|if|end|pragma)|/\*|\*|--|;;)")
_BESIDE = re.compile(r"^\s*(?:@\w|#\[|\[\w[^\]]*\]\s*$|export\s*$|template\s*<)")
"""Decorators, attributes and annotations between a comment and its declaration."""
_CLOSED = re.compile(r"\s*(?:end|[)\]}]+)[\s;]*")
COMMENT_BEHIND = re.compile(r"\s(?:#|//)\s.*$")
_BEHIND = re.compile(r"\s(?:if|unless)\s+\S.*$")
_GUARD = re.compile(r"\s*(?:\}\s*)?(?:else )?(?:if|while) ?\(")
_DOCSTRING = re.compile(r"^\s*[rRuUbB]{0,2}(\"\"\"|''')")
_TAG = re.compile(
    r"^\s*(?:@\w+|:(?:param|type|return|raise|rtype|arg)\w*\b.{0,200}:|\\(?:param|return)\b"
    r"|</?(?:param|returns|exception|remarks|example)\b|Args:|Returns:|Raises:|Parameters\s*$)"
)
"""The part of a comment about single parameters."""
_REFERENCE = re.compile(
    r"""<see(?:also)?\s+\w+="(?:[A-Z]:)?([^"]{1,200})"\s*/>|\{@\w+\s+([^{}]{1,200})\}"""
    r"""|<(?:code|c|tt)>([^<>]{1,200})</(?:code|c|tt)>"""
)
"""Code in comments of C# and Java."""
_LABELLED = re.compile(
    r"\{@link(?:plain|code)?\s+[^\s(){}|]+(?:\([^(){}]*\))?(?:\s*\||\s)\s*([^{}()|]{1,100})\}"
)
"""A reference in Java or JavaScript with words for it."""
_PARTS = re.compile(r"[A-Z]?[a-z]{2,}|[A-Z]{2,}")
_ASIDE = re.compile(r"\([^()\n]{0,200}\)")
_HEADS = re.compile(r"(?i)\b(?:settings?|options?|configurations?|parameters?)\b")
_GROUP_MIN = 3
"""Names below another that a comment is on as well."""
_ALIKE = 4
"""Letters that words of one meaning begin with."""
_DEPRECATED = re.compile(
    r"(?i)(?:^|\n|[.!?]\s)[ \t]{0,20}@?(deprecated\b(?:[^\n]|\n(?![ \t]{0,80}\n)){0,200})"
)
_NAMES = re.compile(r"[`'\"*]{0,2}([A-Za-z][\w-]*_[\w-]+)")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`])")
_CAPITALS_MIN = 3
"""Words in capitals that are a sentence."""
_RULER = re.compile(r"[-=+*~#_/]{5,}+")
_ASSIGNED = re.compile(r"[ \t]*[\w.\[\]-]{1,100}[ \t]*=(?![=>])")
_XML = re.compile(r"</?(?:summary|para|p|inheritdoc|em|i|b)\b[^<>]{0,200}/?>")


def is_prose(text: str) -> bool:
    """Is a text written for readers: no mark of a section in capitals, ruler or picture of signs,
    no code, and no values behind their keys?"""
    words = text.lstrip("- ").split()
    letters = sum(map(str.isalnum, text))
    is_code = _ASSIGNED.match(text) is not None or text.rstrip().endswith((";", "{"))
    keys = sum(it.endswith(":") and it[:1].isalnum() for it in words)
    is_mark = (text.isascii() and text.isupper() and len(words) < _CAPITALS_MIN) or (
        2 * letters < sum(map(len, words))
    )
    return not (is_mark or is_code or (keys and 2 * keys >= len(words)))


def without_rulers(text: str) -> str:
    """A text without the rows of signs that set parts of it apart."""
    return _RULER.sub(" ", text).strip()


def comment_words(lines: Sequence[str], span: Span) -> str:
    """The words of a comment up to its parameters, without comment marks."""
    kept: list[str] = []
    # Within a docstring stars and signs of numbers are words.
    marker = _DOCSTRING if _DOCSTRING.match(lines[span[0] - 1]) else _MARKER
    for line in lines[span[0] - 1 : min(span[1], span[0] + COMMENT_LINES_MAX)]:
        bare = _XML.sub("", marker.sub("", line).rstrip().removesuffix("*/")).rstrip()
        bare = _with_code(bare)
        if _TAG.match(bare):
            break
        kept.append(bare.removesuffix('"""').removesuffix("'''"))
    words = textwrap.dedent("\n".join(kept[:1])) + "\n" + textwrap.dedent("\n".join(kept[1:]))
    # References may go on in the next line.
    return _with_code(words).strip("\n")


def without_references(text: str) -> str:
    """A text of a comment in which references to code are plain words."""
    return _REFERENCE.sub(r"\1\2\3", _LABELLED.sub(r"\1", text))


def _with_code(text: str) -> str:
    return _REFERENCE.sub(_as_code, _LABELLED.sub(r"\1", text))


def _as_code(match: re.Match[str]) -> str:
    return f"`{' '.join((match[1] or match[2] or match[3]).split())}`"


def first_comment(lines: Sequence[str]) -> tuple[int, int] | None:
    """The lines of the first comment of a file."""
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
            while match[1] not in rest and end + 1 < len(lines) and end - at < FUNCTION_LINES_MAX:
                end += 1
                rest = lines[end]
            return at + 1, end + 1
    return None


def head_end(lines: Sequence[str], line: int) -> int:
    """The last line of the head of a declaration: where its list of parameters is closed, or that
    of its conditions in Rust."""
    depth, last = 0, min(line + HEAD_LINES_MAX, len(lines))
    for at in range(line, last + 1):
        depth += lines[at - 1].count("(") - lines[at - 1].count(")")
        if depth <= 0:
            is_over = lines[at : at + 1] != ["where"]
            return at if is_over else lines.index("{", at, last) if "{" in lines[at:last] else at
    return line


def block_end(lines: Sequence[str], line: int) -> int:
    """The last line of a statement and of the block that it opens, by
    indentation."""
    outer = indent(lines[line - 1])
    for at in range(line + 1, min(len(lines), line + FUNCTION_LINES_MAX) + 1):
        text = lines[at - 1]
        depth = indent(text)
        if text.strip() and depth <= outer:
            return at if depth == outer and _CLOSES.match(text) else _filled(lines, at - 1)
    return line


def arms(lines: Sequence[str], first: int, last: int) -> Iterator[tuple[set[str], int, int]]:
    """The arms of `match` in Rust between two lines: the names in the pattern, first and last
    line."""
    for line in range(first, last + 1):
        ends = (
            range(line, min(last, line + _PATTERN_LINES) + 1) if _ARM.match(lines[line - 1]) else ()
        )
        at = next((at for at in ends if "=>" in lines[at - 1]), 0)
        depths = [indent(it) for it in lines[line - 1 : at] if it.strip()]
        if depths and min(depths) == depths[0]:
            pattern = " ".join(lines[line - 1 : at]).partition("=>")[0]
            yield {*_NAME.findall(pattern)}, line, block_end(lines, at)


def _filled(lines: Sequence[str], line: int) -> int:
    """The last line up to one that is not empty."""
    while not lines[line - 1].strip():
        line -= 1
    return line


def indent(line: str) -> int:
    """The indentation of a line."""
    return len(line) - len(line.lstrip())


def margin(line: str) -> str:
    """The space before the text of a line."""
    return line[: indent(line)]


def closing(text: str, start: int) -> int:
    """The place where the bracket at a place is closed; 0 where that is after the text."""
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] == "(") - (text[at] == ")")
        if not depth:
            return at + 1
    return 0


def is_of_all(words: str, name: str, others: Sequence[str], most: int = _GROUP_MIN) -> bool:
    """Is a comment on more than what is called `name` below it: has it words of the names of the
    `others` behind that, is it called after settings, or are there as many as `most`, and has it no
    word of the first name alone?"""
    said = _begins(_ASIDE.sub("", words))
    parts, own = [_begins(it) for it in others], _begins(name)
    if any(said & (it - own) for it in parts):
        return True
    if said & own.difference(*parts):
        return False
    is_called_so = others and _HEADS.search(words)
    return bool(is_called_so or len(others) >= most or any(said & it for it in parts))


def paragraph_of(paragraphs: Sequence[str], name: str) -> str:
    """The paragraph of a comment that speaks of what is called `name`: the first, unless that has
    no word of it or begins with another name, and one begins with it, or the last has a word of it;
    '' of none."""
    meant = [it for it in paragraphs if not _DEPRECATED.match(it)] or paragraphs
    has_word = [not _begins(name).isdisjoint(_begins(it)) for it in meant]
    begins = _NAMES.match(meant[0]) if meant else None
    if not meant or (has_word[0] and (begins is None or begins[1] == name)):
        return meant[0] if meant else ""
    is_begun = re.compile(rf"(?:The )?[`'\"*]{{0,2}}{re.escape(name)}(?![\w-])").match
    return next(filter(is_begun, meant), meant[-1] if has_word[-1] else meant[0])


def with_deprecation(meaning: str, comment: str) -> str:
    """A meaning with the sentence of the whole comment that calls something deprecated, and the
    next where it says no more than that."""
    note = _DEPRECATED.search(comment)
    if note is None or "deprecated" in meaning.lower():
        return meaning
    sentences = _SENTENCE.split(" ".join(note[1].split()))
    said = " ".join(sentences[: 1 if " " in sentences[0] else 2])
    return f"{meaning}{'.' if meaning[-1:].isalnum() else ''} {said}".strip()


def _begins(words: str) -> frozenset[str]:
    """What the words of a text begin with."""
    return frozenset(it.lower()[:_ALIKE] for it in _PARTS.findall(words))


def guard(text: str) -> tuple[str, str]:
    """A condition in brackets before what it is of, as in `if (closed) return;`, and that."""
    opens = COMMENT_BEHIND.sub("", text).rstrip().endswith(":")  # Brackets are part of a condition.
    head = None if opens else _GUARD.match(text)
    end = closing(text, head.end() - 1) if head else 0
    rest = text[end:].strip()
    is_guard = end and rest.rstrip("{ ") and (rest[0].isalpha() or rest[0] == "{")
    return (text[:end].strip().removeprefix("}").strip(), rest) if is_guard else ("", "")


def behind(text: str) -> tuple[str, str]:
    """The condition behind its statement, as in `return if closed?`, and the statement."""
    text = COMMENT_BEHIND.sub("", text).rstrip()
    match = _BEHIND.search(text)
    if match is None or text.endswith(tuple("{:;,(")) or " else " in match[0]:
        return "", ""
    before = text[: match.start()]
    if _CLOSED.fullmatch(before):
        return "", ""  # The statement is in the lines above.
    is_quoted = any(before.count(sign) % 2 for sign in "\"'`")
    return ("", "") if is_quoted or not before.strip() else (match[0].strip(), before)


def unwrapped(text: str) -> str:
    """A condition without the brackets around all of it."""
    end = closing(text, 0) if text.startswith("(") else 0
    return text[1:-1] if end == len(text) > 2 else text
