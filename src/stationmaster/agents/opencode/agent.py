"""OpenCode as one Agent: the sources of its records and their readers."""

from __future__ import annotations

from stationmaster.agents.interface import Agent, SessionFile, has
from stationmaster.agents.opencode import counters, hooks, logs, spans
from stationmaster.agents.opencode.files import SessionFiles
from stationmaster.agents.opencode.store import Store
from stationmaster.agents.opencode.words import PRODUCT
from stationmaster.agents.sqlite import is_database

AGENT = Agent(
    product=PRODUCT,
    log=logs.read_log,
    span=spans.read_span,
    points=counters.read_points,
    files=(
        SessionFile(
            SessionFiles,
            r"/session/[^/]+/[^/]+\.json$",
            lambda head, _: head[:1] == b"{" and has(head, b'"projectID"', b'"directory"'),
        ),
        SessionFile(Store, r"(?:^|/)opencode[A-Za-z0-9_.-]*\.db$", is_database),
    ),
    hook=hooks.read_hook,
)
