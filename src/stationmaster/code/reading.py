"""From the bytes of one file to what it says. Runs in a process that may be killed."""

from __future__ import annotations

import re
from functools import lru_cache

from tree_sitter import Language, Parser

from stationmaster.code import languages
from stationmaster.code.languages.source import Source
from stationmaster.code.model import FileFacts

SIZE_MAX = 512 * 1024
LINE_MAX = 5_000
DEPTH_MAX = 500
_BRACKET = re.compile(rb"[\[\](){}]")


def read(language: str, data: bytes) -> FileFacts:
    """What a file says; for one that is not worth parsing, why."""
    lines = data.count(b"\n") + 1
    if len(data) > SIZE_MAX:
        return FileFacts(status="too-large", lines=lines)
    if max(map(len, data.split(b"\n")), default=0) > LINE_MAX:
        return FileFacts(status="long-lines", lines=lines)
    if _depth(data) > DEPTH_MAX:
        return FileFacts(status="nested", lines=lines)
    parser, grammar = _parser(language)
    tree = parser.parse(data)
    try:
        facts = languages.module(language).read(Source(data, tree.root_node, grammar))
    except Exception:  # A file that its reader does not expect costs itself alone.
        return FileFacts(status="failed", lines=lines)
    if tree.root_node.has_error and facts.status == "ok":
        facts.status = "errors"
    return facts


@lru_cache(32)
def _parser(language: str) -> tuple[Parser, Language]:
    grammar = Language(languages.module(language).grammar())
    return Parser(grammar), grammar


def _depth(data: bytes) -> int:
    """How deep brackets nest, those in texts and comments included."""
    depth = deepest = 0
    for found in _BRACKET.finditer(data):
        depth += 1 if found[0] in b"[({" else -1
        deepest = max(deepest, depth)
    return deepest
