"""Samples are what the agents send: a server's own decoder makes events of them."""

from __future__ import annotations

import json

import pytest

from stationmaster.agents.cards import PRODUCTS
from stationmaster.client import agent_samples
from stationmaster.client.collecting.checkouts import Checkouts
from stationmaster.client.hooks import run as hook, worker as hook_worker
from stationmaster.client.hooks.files import place_of
from stationmaster.client.settings.telemetry import products
from stationmaster.ingest import otlp

NOW_MS = 1_795_176_000_000


@pytest.mark.parametrize("agent", sorted(products()))
def test_a_sample_of_an_export_is_read_as_its_agents(agent: str) -> None:
    sample = agent_samples.export_of(agent, NOW_MS)
    assert sample is not None

    decoded = otlp.decode(
        sample.path.removeprefix("/v1/"),  # type: ignore[arg-type]  # one of the three
        sample.content_type,
        None,
        sample.body,
        received_ms=NOW_MS,
        body_max=10_000,
    )

    assert {event.product for event in decoded.events} == {agent}
    assert {"model_call", "tool_call"} & {event.kind for event in decoded.events}
    assert all(NOW_MS - 1_000 <= event.ts <= NOW_MS for event in decoded.events)
    assert decoded.drops == {}


@pytest.mark.parametrize("agent", sorted(PRODUCTS))
def test_a_sample_of_a_hook_is_read_as_its_agents(agent: str) -> None:
    hooks = place_of(agent)
    event, given = hooks.sample_event, hooks.sample

    product, events = hook_worker.read(
        hook.head(agent, event) + json.dumps(given).encode(), Checkouts()
    )

    assert product == agent
    assert {"session_start", "session_context"} & {event.kind for event in events}
