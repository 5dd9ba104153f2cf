"""No text of a hook, real or made up, is ever in the spool or on the wire."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from stationmaster.client import spool
from stationmaster.client.collecting.checkouts import Checkouts
from stationmaster.client.hooks import run as hook, worker as hook_worker
from stationmaster.client.hooks.files import place_of, products
from tests.support import marking
from tests.support.hooks import named_hooks

pytestmark = pytest.mark.attack

SECRET = "SECRET-OF-THE-PERSON"
NAMES = {
    *("conversation_id", "generation_id", "cursor_version", "composer_mode", "user_email"),
    *("tool_call_id", "server_name"),
}
"""What reports are about, beside what every recording may keep."""
HOSTILE: dict[str, Any] = dict.fromkeys(
    (
        *("prompt", "command", "file_path", "cwd", "message", "transcript_path", "error"),
        *("tool_input", "toolArgs", "tool_response", "tool_result", "last_assistant_message"),
        *("initialPrompt", "custom_instructions", "title", "text", "result_json", "output"),
    ),
    f"/{SECRET}/{SECRET} && {SECRET}",
)


def marked(given: dict[str, Any]) -> dict[str, Any]:
    """A recorded hook with the mark in every text that is no name."""
    found: dict[str, Any] = marking.members(given)
    for name, value in given.items():
        if name in NAMES:
            found[name] = value
        elif name == "mcp_context":
            found[name] = marked(value)
    return found


@pytest.mark.parametrize("agent", sorted(products()))
def test_marked_texts_of_recorded_hooks_reach_neither_spool_nor_wire(
    agent: str, tmp_path: Path
) -> None:
    recorded = [(event, marked(given)) for event, given in named_hooks(agent)]
    events = [(event, HOSTILE | {"hook_event_name": event}) for event in place_of(agent).events]
    kept = 0
    with closing(spool.Segment(str(tmp_path))) as segment:
        for event, given in [*recorded, *events]:
            given = hook.head(agent, event) + json.dumps(given).encode()
            _, found = hook_worker.read(given, Checkouts())
            kept += len(found)
            assert segment.add(found)
    written = b"".join(file.read_bytes() for file in tmp_path.rglob("*"))
    sent: list[bytes] = []
    spool.send(tmp_path, sent.append)

    assert kept >= len(recorded) // 3
    for text in (written, b"\n".join(sent)):
        assert marking.MARK.encode() not in text
        assert SECRET.encode() not in text


def test_what_is_said_when_asked_has_no_text_of_the_hook(tmp_path: Path) -> None:
    for given in (json.dumps(HOSTILE), f'{{"{SECRET}": "', f'["{SECRET}"]', f'{{"a": 1}} {SECRET}'):
        done = subprocess.run(
            [sys.executable, "-m", "stationmaster", "hook", "--verbose"],
            input=given.encode(),
            env={**os.environ, "STATIONMASTER_CLIENT_DIR": str(tmp_path)},
            capture_output=True,
            timeout=60,
        )
        assert done.returncode == 0
        assert done.stderr.startswith(b"stationmaster hook: ")
        assert SECRET.encode() not in done.stdout + done.stderr
