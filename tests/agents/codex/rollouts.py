"""Lines of session files of Codex, and readings of them."""

from __future__ import annotations

from tests.agents.builders import (
    SESSION,
    rollout,
    token_count,
    transcript,
    usage,
)


def meta(identity=SESSION, **fields):
    return rollout("session_meta", id=identity, **fields)


def read(*lines):
    return transcript("codex", lines)


def call(call_id, name="exec_command", arguments="{}"):
    return rollout(
        "response_item", type_="function_call", call_id=call_id, name=name, arguments=arguments
    )


def output(call_id, text, kind="function_call_output"):
    return rollout("response_item", type_=kind, call_id=call_id, output=text)


def item(**fields):
    return rollout("event_msg", type_="item_completed", turn_id="t", item=fields)


HISTORY = [token_count(usage(10 * n, 0, n, 0), usage(10, 0, 1, 0)) for n in range(1, 4)]
