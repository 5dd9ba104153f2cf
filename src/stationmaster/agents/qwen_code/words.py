"""What is Qwen Code's own in its family."""

from __future__ import annotations

from stationmaster.agents.gemini_lineage.lineage import Lineage
from stationmaster.agents.vocabulary import Words

PRODUCT = "qwen-code"
PREFIX = "qwen-code."
"""How names of its log records and metrics begin."""

WORDS = Words(__file__)
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

REFUSED = WORDS.names["refused"]
"""The kinds of failure of a tool that was not let run."""
WRAPPER = "tool_call"
"""The tool through which a model calls one that it had to search for."""
