"""What calls are made on, as words."""

from __future__ import annotations

import re
from functools import lru_cache

from tree_sitter import Node

from stationmaster.reading.code.languages.source import Source, one_line

_LOOKED_AT_MAX = 2000
"""Bytes of a receiver that are read."""
_LENGTH_MAX, _CHAIN_MAX = 80, 400
"""Letters of a receiver, and of a chain of calls, whose type is that of its last."""
_BRACKETS = re.compile(r"([()])")
_UNWRAPPING = re.compile(
    r"\.(?:unwrap|expect|as_ref|as_mut|as_deref|lock|borrow|borrow_mut)(?:\(\)|$)"
)


@lru_cache(2_000)
def without_arguments(text: str) -> str:
    """A chain of calls without their arguments: `a(b, c(d)).e` is `a().e`."""
    kept, depth = [], 0
    for part in _BRACKETS.split(text):
        depth -= part == ")"
        if not depth:
            kept.append(part)
        depth += part == "("
    return "".join(kept)


def unwrapped(chain: str) -> str:
    """A chain of calls without those that take a value of Rust out of what may have none, or lends
    it to one at a time."""
    return _UNWRAPPING.sub("", chain)


def receiver(source: Source, node: Node | None) -> str:
    """The receiver of a call, as written and cut."""
    if node is None:
        return ""
    start = node.start_byte
    text = source.data[start : min(node.end_byte, start + _LOOKED_AT_MAX)].decode(errors="replace")
    length_max = _LENGTH_MAX
    if len(text) > length_max:
        text = without_arguments(text)
        length_max = _CHAIN_MAX if "()" in text else length_max
    return text if text.isidentifier() else one_line(text, length_max)
