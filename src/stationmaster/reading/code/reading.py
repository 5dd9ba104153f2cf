"""From the bytes of one file to what it says. Runs in a process that may be killed."""

from __future__ import annotations

from functools import lru_cache

from tree_sitter import Language, Parser

from stationmaster.reading.code import languages, looks
from stationmaster.reading.code.languages.source import Source
from stationmaster.reading.code.model import FileFacts


def read(language: str, data: bytes) -> FileFacts:
    """What a file says; for one that is not worth parsing, why."""
    lines = data.count(b"\n") + 1
    unfit = looks.status(data)
    if unfit is not None:
        return FileFacts(status=unfit, lines=lines)
    named, language = language, looks.dialect(language, data)
    try:
        parser, grammar = _parser(language)
        tree = parser.parse(data)
        facts = languages.module(language).read(Source(data, tree.root_node, grammar))
    except Exception:  # A file that its reader does not expect costs itself alone.
        return FileFacts(status="failed", lines=lines)
    if tree.root_node.has_error and facts.status == "ok":
        facts.status = "errors"
    if language != named:
        facts.language = language
    return facts


@lru_cache(32)
def _parser(language: str) -> tuple[Parser, Language]:
    grammar = Language(languages.module(language).grammar())
    return Parser(grammar), grammar
