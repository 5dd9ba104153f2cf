"""What is Gemini CLI's own in its family."""

from __future__ import annotations

from stationmaster.agents.gemini_lineage import words
from stationmaster.agents.gemini_lineage.lineage import Lineage
from stationmaster.agents.vocabulary import Words

PRODUCT = "gemini-cli"
PREFIX = "gemini_cli."
"""How names of its log records and metrics begin."""

WORDS = Words(__file__)
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
