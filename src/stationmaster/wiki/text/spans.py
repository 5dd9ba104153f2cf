"""The words of a document on one line: their code as code, their stress ours, without links."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from functools import lru_cache

from stationmaster.catalogue.repositories.expressions import expressions
from stationmaster.wiki.text.inline import Md, code, text

_SPAN_MAX = 600
"""Characters of code within a line."""
ADDRESS = r"\((?:[^()]|\([^()]{0,200}\)){0,500}+\)"
"""Of a link or a picture; names of pages of encyclopedias end with a word in parentheses."""
WORDS = r"\[(?P<words>(?:[^\[\]`]|`[^`]{0,100}`){1,300})\]"
POINTER, _POINTING = (expressions("marks")[it] for it in ("pointer", "pointing"))
_SENTENCE_END = re.compile(r"[.!?:] ")
BREAK = re.compile(r"(?<!\\)\\\n")
_INLINE = re.compile(
    r"\\(?P<escaped>[!-/:-@\[-`{-~])"
    r"|(?P<ticks>`{1,2})(?!`)(?P<code>[^`\n]{1,600}?)(?P=ticks)(?P<link>_{1,2})?"
    rf"|\[!\[[^\]]{{0,300}}\]{ADDRESS}\]{ADDRESS}|!\[[^\]]{{0,300}}\]{ADDRESS}"
    rf"|{WORDS}(?:{ADDRESS}|\[[^\]]{{0,100}}\])"
    r"|(?<!\w)\[(?P<bare>[A-Z`][^\[\]]{1,100})\](?![\[(:])"
    r"|\*{3}(?P<both>[^*\s](?:[^*`\n]|`[^`\n]{1,100}`){0,300})\*{3}"
    r"|\*\*(?P<strong>(?:[^*`\n]|`[^`\n]{1,100}`){1,300})\*\*"
    r"|(?<![\w*])\*(?P<star>[^*`\s][^*`\n]{0,200})\*(?!\*)|(?<!\w)_(?P<line>[^_`\n]{1,200})_(?!\w)"
    rf"|<!--[^\n]{{0,300}}?-->|{expressions('marks')['raised'].pattern}"
    rf"|{expressions('marks')['element'].pattern}"
)
_ELSEWHERE = re.compile(
    r"(?i)(?:click )?(?:here|this|link|this (?:link|page|guide|article|issue|example|document))"
)
"""Words of a link that do not say where it leads."""
_LED_TO = re.compile(r"https?://[^\s\"'<>]{1,300}|[\w./-]{1,200}\.[a-z]{2,5}")
_ROLE = re.compile(r":[a-z][a-z:]{1,20}:$")
_TARGET = re.compile(r"<[^<>]{1,300}>$")


@lru_cache(2_000)
def paragraph(words: str) -> Md:
    """Words of a document on one line, with its code as code."""
    parts: list[str] = []
    at = 0
    line = " ".join(BREAK.sub(" ", words).split())
    for match in _INLINE.finditer(line):
        before = line[at : match.start()]
        role = _ROLE.search(before) if match["code"] else None
        if role:
            before = before[: role.start()]
        parts += [_spaced(before), _piece(match, is_role=role is not None)]
        at = match.end()
    parts.append(_spaced(line[at:]))
    shown = "".join(parts).strip()
    return Md(_POINTING.sub("", shown).strip() if "](" in line else shown)


def joined_lines(lines: Iterable[str]) -> Md:
    """Lines of a document as one."""
    return paragraph("\n".join(lines))


def _piece(match: re.Match[str], *, is_role: bool) -> str:
    if match["escaped"]:
        return text(match["escaped"])
    if match["code"]:
        target = _TARGET.search(match["code"])
        if match["link"] or (is_role and target):
            return _spaced(match["code"][: target.start()].rstrip() if target else match["code"])
        return code(match["code"].lstrip("~!") if is_role else match["code"], _SPAN_MAX)
    if stressed := match["star"] or match["line"] or match["strong"] or match["both"]:
        mark = "***" if match["both"] else "**" if match["strong"] else "*"
        inside = paragraph(stressed)
        return f"{mark}{inside}{mark}" if inside else ""
    if (
        ".](" in match[0]
        and POINTER.match(match[0])
        and _SENTENCE_END.match(match.string, match.start() - 2)
    ):
        return ""
    words = paragraph(match["words"] or match["bare"] or "")
    address = match[0].rpartition("](")[2].removesuffix(")").partition(" ")[0]
    is_needed = _ELSEWHERE.fullmatch(words) and _LED_TO.fullmatch(address)
    return f"{words} ({code(address, _SPAN_MAX)})" if is_needed else words


def _spaced(words: str) -> str:
    """Escaped, with the spaces between it and code."""
    bare = html.unescape(words)
    if not bare.strip():
        return " " if bare else ""
    before, after = bare[:1].isspace(), bare[-1:].isspace()
    shown = text(bare)
    return f"{' ' if before else ''}{shown}{' ' if after else ''}"
