"""Where running text of documents names a setting, and the sentence that says what it means."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from html import unescape
from itertools import takewhile

from stationmaster.reading.code.explaining import (
    comment_above,
    is_prose,
    paragraph_of,
    with_deprecation,
    without_rulers,
)
from stationmaster.wiki.facts.code.comments import lines_of, numbered
from stationmaster.wiki.facts.configured.documented import (
    FENCE,
    POINT,
    SENTENCES,
    WRITTEN,
    cut,
    entries,
    indentation,
    plain_words,
)
from stationmaster.wiki.facts.configured.samples.shown_keys import LEFT_OUT, RULES
from stationmaster.wiki.facts.model import Facts, Place
from stationmaster.wiki.facts.texts.decisions import decisions
from stationmaster.wiki.facts.texts.documents import documents_by_path, guides, tells_what_is

_VARIABLE = re.compile(r"\b_{0,3}[A-Z][A-Z0-9_]{2,99}\b")
_NO_GUIDE = re.compile(
    r"(?i)(?:.*/)?[^/]*(?:change|news|history|release|licen[cs]e)[^/]*(?:/[^/]*)?"
)
_BEGINS = re.compile(r"[ \t]*(?:[*+>-][ \t]|\d{1,3}\.[ \t]|#|\||```|~~~|\.\. |$)")
_OF_SETTINGS = re.compile(r"(?i)(?:config|settings|env)[\w.-]{0,40}(?:/[\w.-]{1,60})?\.[a-z]{2,4}$")
_ON_SETTINGS = re.compile(r"(?i)config|settings|environment")
"""Of the path of a document that is on them, which says best what one means."""
_CHOOSES = re.compile(r"[=!]==? | \? ")
"""What a row has that compares a value, or chooses by it."""
_ALONE = re.compile(r"$|//|#|/?\*|[)\]}]")
"""What stands below a row that is no other row."""
_KEY = re.compile(r"[A-Za-z_][\w.-]*")
_MARKS = re.compile(r"^[ \t]*(?:(?:/{2,3}|#+|/?\*+|\|)[ \t|]*)?")
_FOLLOWS = re.compile(
    r"(?i)(?:good|bad|now|instead|otherwise|however|also|then|therefore|thus|so|but|and|or|because"
    r"|this|that|these|those|its?(?!['’]s\b)|they|their|such|both|either|here|there|similarly|likewise|alternatively"
    r"|additionally|furthermore|moreover|finally|again|still|previously|formerly|note that this"
    r"|you (?:can|could|may|must|should|will)? ?(?:also|still|now|then))\b"
)
"""The beginning of a sentence that is understood only behind another."""
_LISTING = re.compile(r"[A-Z][A-Z0-9_]+(?:, | [A-Z][A-Z0-9]*_)")
"""The beginning of a sentence on several."""
_NAMES_MAX = 6
"""Names in a sentence that is no list of them."""
_IN_TABLE = re.compile(r"\s\|\s.*\s\|\s")
_OF_ANOTHER = re.compile(r"\W{0,3}([A-Z][A-Z0-9]*_[A-Z0-9_]+)\b")
"""The beginning of a comment on a setting, which need not be that of the row below."""
_TWO_SIGNS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2}")
"""As much as a word in writing that puts no space between words."""
_TO_DO = re.compile(r"(?:TODO|FIXME|HACK|XXX)\b")
"""What is still to be done."""
_OF_LICENCE = re.compile(r"(?i)\bcopyright\b|\blicensed under\b|\bSPDX-")
_SENTENCE_MIN = 5
"""Words beside the name that make a sentence say something."""
_PARAGRAPH_MAX, _COMMENT_MAX, _BLANK_MAX = 12, 40, 1


def mentioned(
    facts: Facts, names: Iterable[str], examples: Mapping[str, tuple[list[Place], str]]
) -> Mapping[str, tuple[Place, ...]]:
    """Where examples and guides name a variable. A plain word such as `DEBUG` counts in a guide
    only as code or with a value, and changelogs tell of other times."""
    wanted = frozenset(names)
    by_name: dict[str, list[Place]] = defaultdict(list)
    for name, (places, _) in examples.items():
        by_name[name] += places
    rows = entries(facts)
    for name in sorted(wanted.intersection(rows)):
        by_name[name] += dict.fromkeys(row.place for row in rows[name] if not row.in_section)
    for document in guides(facts) if wanted else ():
        if _NO_GUIDE.fullmatch(document.path):
            continue
        text = document.text
        seen: set[str] = set()
        for line, match in numbered(_VARIABLE, text):
            name = match[0]
            if name not in wanted or name in seen:
                continue
            if name in rows and any(row.path == document.path for row in rows[name]):
                continue
            around = text[max(match.start() - 1, 0) : match.end() + 1]
            if "_" in name or around[:1] in "`${" or around[-1:] == "=":
                seen.add(name)
                by_name[name].append((document.path, line))
    return {name: tuple(places) for name, places in by_name.items()}


def sentence(facts: Facts, name: str, places: Sequence[tuple[str, int]]) -> str:
    """The sentence in which a document names a variable at one of some places, rather one that
    begins with it; '' for none, also where only documents on other times do, or on what was weighed
    up. For questions."""
    found = ""
    weighed_up = {it.place.path for it in decisions(facts)}
    for path, line in sorted(places, key=lambda it: not _ON_SETTINGS.search(it[0])):
        document = documents_by_path(facts).get(path)
        if path in weighed_up or (document and not tells_what_is(document)):
            continue
        lines = facts.tree.text(path).split("\n") if path.lower().endswith(WRITTEN) else []
        if not 0 < line <= len(lines) or sum(map(bool, map(FENCE.match, lines[:line]))) % 2:
            continue
        sentences = SENTENCES.split(plain_words(" ".join(_paragraph(lines, line - 1))))
        words = next((it for it in sentences if name in it), "")
        if _FOLLOWS.match(words) or _LISTING.match(words) or _IN_TABLE.search(words):
            continue
        if len({*_VARIABLE.findall(words)}) > _NAMES_MAX:
            continue
        if words[:1].isalnum() and len(words.replace(name, "").split()) >= _SENTENCE_MIN:
            meaning = re.sub(rf"^{re.escape(name)}\s*[–—:-]\s", "", unescape(words))
            if meaning != words:
                return meaning.strip()
            found = found or meaning
    return found


def _paragraph(lines: Sequence[str], at: int) -> Sequence[str]:
    """The lines of the paragraph, or of the point of a list, that a line stands in; none for those
    of tables, headings and code."""
    first = at
    while first > 0 and at - first < _PARAGRAPH_MAX and not _BEGINS.match(lines[first]):
        if not lines[first - 1].strip():
            break
        first -= 1
    if lines[first].startswith("!!!") and first < at:  # What is noted is further in.
        first += 1
        start = lines[first].strip()
    else:
        start = POINT.sub("", lines[first], count=1)
    if _BEGINS.match(start) or (start is lines[first] and indentation(start) >= 4):
        return ()
    rest = takewhile(lambda text: not _BEGINS.match(text), lines[first + 1 : at + _PARAGRAPH_MAX])
    return (start, *rest)


def remark(facts: Facts, name: str, reads: Sequence[Place]) -> str:
    """What a comment above the only row that it can be about says, in a file of settings that reads
    a variable before any other of that row; '' for none. For questions."""
    for path, line in reads:
        lines = lines_of(facts, path) if _OF_SETTINGS.search(path) else ()
        # What a variable only chooses has a comment of its own.
        row = lines[line - 1] if line <= len(lines) else ""
        is_own = bool(row) and not _CHOOSES.search(row)
        if (
            is_own
            and name == next(iter(_VARIABLE.findall(row)), name)
            and (meaning := above(lines, line))
        ):
            return meaning
    return ""


def above(lines: Sequence[str], line: int, words_min: int = _SENTENCE_MIN) -> str:
    """What a comment above a row says that can be about no other; '' for none."""
    below = lines[line] if line < len(lines) else ""
    is_last = line <= len(lines) and indentation(below) < indentation(lines[line - 1])
    comment = _comment(lines, line) if is_last or _ALONE.match(below.strip()) else ()
    words = [_MARKS.sub("", it) for it in comment]
    behind = (at for at in range(len(words), 0, -1) if LEFT_OUT.fullmatch(words[at - 1]))
    words = [RULES.sub("", it) for it in words[next(behind, 0) :]]
    # One that begins a file says under what licence it is.
    is_of_file = any(map(_OF_LICENCE.search, words))
    row = "".join(lines[line - 1 : line])
    paragraphs = []
    for paragraph in () if is_of_file else re.split(r"\n(?:[ \t]*\n)+", "\n".join(words)):
        meaning = of_comment(" ".join(paragraph.replace("*/", "").split()).removesuffix(" /"))
        is_long = len(meaning.split()) + len(_TWO_SIGNS.findall(meaning)) >= words_min
        if is_long and not of_another(meaning, row) and not _TO_DO.match(meaning):
            paragraphs.append(meaning)
    name = _KEY.search(row)
    meaning = paragraph_of(paragraphs, name[0] if name else "")
    return with_deprecation(meaning, "\n".join(words)) if meaning else ""


def of_comment(words: str) -> str:
    """Whole sentences of a comment, none of what is no prose."""
    prose = without_rulers(words)
    return cut(prose) if is_prose(prose) else ""


def meaning_of(docs: Sequence[str]) -> str:
    """The first, and one behind that only calls the setting deprecated with that."""
    first, *others = docs or [""]
    is_note = bool(others) and with_deprecation("", first) == first
    return with_deprecation(others[0], first) if is_note else first


def of_another(words: str, row: str) -> bool:
    """Does a comment begin with a name in capitals that a row has not?"""
    other = _OF_ANOTHER.match(words)
    bare, all_of_row = (re.sub(r"[\W_]", "", it) for it in (other[1] if other else "", row.upper()))
    return bare not in all_of_row


def _comment(lines: Sequence[str], line: int) -> Sequence[str]:
    """The lines of the comment above one, whatever those of a block begin with."""
    end = line - 1
    while end > 0 and line - end <= _BLANK_MAX and not lines[end - 1].strip():
        end -= 1
    if end > 0 and lines[end - 1].rstrip().endswith("*/"):
        first = range(max(end - _COMMENT_MAX, 0), end)
        begin = next((at for at in reversed(first) if "/*" in lines[at]), end)
        return lines[begin:end]
    span = comment_above(lines, end + 1)
    return lines[span[0] - 1 : span[1]] if span else ()
