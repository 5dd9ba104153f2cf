"""Of exported records no attribute that holds a conversation is asked for, so none is decoded."""

from __future__ import annotations

import re

import pytest

from tests.agents import otlp_reader
from tests.support import recordings

CONVERSATIONS = re.compile(
    r"prompt|prompt_text|response_text|request_text|thoughts|body|ai\.prompt(?:\.messages|\.tools)?"
    r"|ai\.response\.(?:text|toolCalls)|gen_ai\.(?:input|output)\.messages|gen_ai\.tool\.definitions"
    r"|gen_ai\.system_instructions"
)


@pytest.mark.parametrize("agent", recordings.RECORDED)
def test_no_attribute_with_a_conversation_is_asked_for(
    agent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(otlp_reader.Noted, "asked", set())

    otlp_reader.read(recordings.bodies(agent))

    assert otlp_reader.Noted.asked
    assert not [name for name in otlp_reader.Noted.asked if CONVERSATIONS.fullmatch(name)]
