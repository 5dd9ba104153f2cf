"""OpenCode as one Agent: where its records come from and who reads them."""

from __future__ import annotations

import re
from typing import Any

from stationmaster.agents.interface import Agent, Document
from stationmaster.agents.opencode import counters, hooks, logs, spans, words
from stationmaster.agents.opencode.files import SessionFiles
from stationmaster.agents.opencode.store import Store
from stationmaster.agents.opencode.words import PRODUCT
from stationmaster.agents.sqlite import HEAD

_DATABASE = re.compile(r"(?:^|[/\\])opencode[\w.-]*\.db$", re.ASCII)
_SESSION = re.compile(r"[/\\]session[/\\][^/\\]+[/\\][^/\\]+\.json$")


def _is_transcript(path: str, head: bytes) -> bool:
    if _DATABASE.search(path):
        return head.startswith(HEAD)
    if not _SESSION.search(path) or head[:1] != b"{":
        return False
    return b'"projectID"' in head and b'"directory"' in head


def _transcript(path: str, state: dict[str, Any] | None = None) -> Document:
    return SessionFiles(path, state) if path.endswith(".json") else Store(path, state)


AGENT = Agent(
    product=PRODUCT,
    attributes_of=lambda name: words.WORDS.attributes_of(words.called(name)),
    log=logs.read_log,
    span=spans.read_span,
    points=counters.read_points,
    is_transcript=_is_transcript,
    transcript=_transcript,
    hook=hooks.read_hook,
)
