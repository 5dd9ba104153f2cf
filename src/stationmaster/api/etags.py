"""Conditional requests (RFC 9110 section 13): does `If-None-Match` name what we would answer."""

from __future__ import annotations

import re

_TAG = re.compile(r'(?:W/)?("[^"]*")')


def matches(if_none_match: str | None, tag: str) -> bool:
    """By weak comparison, as the header asks for: `*`, or a list in which the tag stands."""
    if if_none_match is None:
        return False
    return if_none_match.strip() == "*" or tag in _TAG.findall(if_none_match)
