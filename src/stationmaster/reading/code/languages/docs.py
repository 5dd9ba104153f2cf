"""What comments say of what they stand above, where they have tags: Javadoc, KDoc, PHPDoc, YARD."""

from __future__ import annotations

import re

from stationmaster.reading.code.languages.source import first_sentence

_TAGS = re.compile(r"^[ \t]*@\w.*", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"\{@\w++\s*+([^{}]*+)\}")
_MARKUP = re.compile(r"</?[A-Za-z][^<>]*>")
_PARAGRAPH = re.compile(r"<p/?>")


def sentence(comment: str) -> str:
    """The first sentence of a comment whose signs are gone, without tags and markup."""
    if not comment:
        return ""
    told = _TAGS.sub("", comment).strip()
    if "<" in told:
        told = _MARKUP.sub("", _PARAGRAPH.sub("\n\n", told.removeprefix("<p>")))
    if "{@" in told:
        told = _INLINE.sub(lambda found: found[1].replace("#", ".").strip("."), told)
    return first_sentence(told)
