"""What is Gemini CLI's own in its family."""

from __future__ import annotations

from collections.abc import Iterable

from stationmaster.agents.blanks import Blank, blank
from stationmaster.agents.gemini_lineage import words
from stationmaster.agents.gemini_lineage.lineage import Lineage
from stationmaster.events.model import Kind, Source

PRODUCT = "gemini-cli"
PREFIX = "gemini_cli."
SERVICE = "gemini-cli"

LINEAGE = Lineage(
    product=PRODUCT,
    prefix=PREFIX,
    provider="google",
    names_version=False,
    has_thoughts_in_output=False,
    has_prompt_numbers=False,
    accepts_by_person=False,
    # `replace` logs no operation, so its changes are read off the tool call.
    has_records_of=frozenset({words.WRITE}),
)


def blanks(kinds: Iterable[Kind], source: Source) -> dict[Kind, Blank]:
    """A maker of events of each kind, from one source."""
    return {kind: blank(PRODUCT, kind, source) for kind in kinds}
