"""The limit of reading session files in Python: a typed decode in two processes, sums, no more."""

from __future__ import annotations

import json
import os
import sys
from multiprocessing import get_context
from pathlib import Path

import msgspec

KEYS = {
    "input_tokens": "input_tokens",
    "output_tokens": "output_tokens",
    "cache_read_input_tokens": "cache_read_tokens",
    "cache_creation_input_tokens": "cache_write_tokens",
}


class Usage(msgspec.Struct, gc=False):
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_input_tokens: int = 0
    cache_creation_input_tokens: int = 0


class Block(msgspec.Struct, gc=False):
    type: str = ""
    id: str | None = None
    name: str | None = None
    tool_use_id: str | None = None


class Message(msgspec.Struct, gc=False):
    id: str | None = None
    model: str | None = None
    usage: Usage | None = None
    content: str | list[Block] = ""


class Line(msgspec.Struct, gc=False):
    type: str = ""
    requestId: str | None = None  # noqa: N815 - the field's name in the files
    timestamp: str | None = None
    message: Message | None = None


def totals(files: list[str]) -> dict[str, int]:
    decoder = msgspec.json.Decoder(Line)
    calls: dict[tuple[str | None, str | None], Usage] = {}
    for file in files:
        with open(file, "rb") as lines:
            for line in lines:
                record = decoder.decode(line)
                if record.type == "assistant" and record.message and record.message.usage:
                    calls[record.message.id, record.requestId] = record.message.usage
    return {
        ours: sum(getattr(use, theirs) for use in calls.values()) for theirs, ours in KEYS.items()
    }


if __name__ == "__main__":
    paths = sorted(map(str, Path(sys.argv[1]).rglob("*.jsonl")), key=os.path.getsize)
    with get_context("fork").Pool(2) as pool:
        halves = pool.map(totals, [paths[0::2], paths[1::2]])
    print(json.dumps({name: sum(half[name] for half in halves) for name in KEYS.values()}))
