from __future__ import annotations

import pytest

from tests.agents import otlp_reader
from tests.support import recordings


@pytest.mark.parametrize("agent", recordings.RECORDED)
def test_the_attributes_an_agent_asks_for_are_all_that_it_reads(
    agent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = otlp_reader.read(recordings.bodies(agent))
    monkeypatch.setattr(otlp_reader, "_kept", lambda everything, *_: everything)

    everything = otlp_reader.read(recordings.bodies(agent))

    assert asked.events == everything.events
    assert asked.drops == everything.drops
