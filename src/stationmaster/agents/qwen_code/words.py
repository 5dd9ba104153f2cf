"""What is Qwen Code's own in its family."""

from __future__ import annotations

from collections.abc import Iterable

from stationmaster.agents.blanks import Blank, blank
from stationmaster.agents.gemini_lineage.lineage import Lineage
from stationmaster.events.identity import event_id
from stationmaster.events.model import Event, Kind, Source

PRODUCT = "qwen-code"
PREFIX = "qwen-code."
SERVICE = "qwen-code"

LINEAGE = Lineage(
    product=PRODUCT,
    prefix=PREFIX,
    provider=None,
    names_version=True,
    has_thoughts_in_output=True,
    has_prompt_numbers=True,
    accepts_by_person=True,
    has_records_of=frozenset({"write_file", "edit", "skill"}),
)

REFUSED = frozenset(
    {"permission_denied", "permission_hook_denied", "plan_mode_blocked", "non_interactive_denied"}
    | {"background_agent_denied", "pre_hook_blocked", "invocation_guard_denied"}
)
"""The kinds of failure of a tool that was not let run."""
WRAPPER = "tool_call"
"""The tool through which a model calls one that it had to search for."""


def blanks(kinds: Iterable[Kind], source: Source) -> dict[Kind, Blank]:
    """A maker of events of each kind, from one source."""
    return {kind: blank(PRODUCT, kind, source) for kind in kinds}


def key(event: Event, *place: str) -> str:
    """The id of an event of its session; `place` tells it from others of its kind."""
    return event_id(PRODUCT, event.kind, event.session_id or "", *place)
