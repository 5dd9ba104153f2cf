"""A folder of Claude Code sessions of any size, with the totals that a reader must find in it.

Shaped like the real thing: one line per content block, the usage repeated with a placeholder
output until the last block, tool results with bulky content, bookkeeping lines between them.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

MODELS = ("claude-opus-4-5-20251101", "claude-sonnet-4-5-20250929", "claude-haiku-4-5-20251001")
TOOLS = ("Read", "Read", "Edit", "Bash", "Grep", "Write", "mcp__tracker__find")
_LETTERS = 'abcdefghijklmnopqrstuvwxyz      \n"\\{}()=é→'


@dataclass
class Totals:
    """What was written. Tokens are those of each distinct call."""

    files: int = 0
    size_bytes: int = 0
    calls: int = 0
    prompts: int = 0
    tokens: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys(
            ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"), 0
        )
    )


def write(folder: Path, size_bytes: int, seed: int = 1) -> Totals:
    """Write about that many bytes of sessions under `folder/projects`."""
    maker = _Maker(random.Random(seed))
    while maker.totals.size_bytes < size_bytes:
        maker.session(folder / "projects")
    return maker.totals


class _Maker:
    def __init__(self, chance: random.Random) -> None:
        self.totals = Totals()
        self._chance = chance
        self._text = "".join(chance.choices(_LETTERS, k=200_000))
        self._number = 0

    def session(self, root: Path) -> None:
        chance = self._chance
        project = root / f"-home-dev-code-project{chance.randrange(40):02d}"
        project.mkdir(parents=True, exist_ok=True)
        session = self._id("")
        common = {
            "userType": "external",
            "entrypoint": "cli",
            "cwd": f"/home/dev/code/{project.name[-9:]}",
            "sessionId": session,
            "version": "2.1.329",
            "gitBranch": "main",
            "isSidechain": False,
        }
        at = datetime(2026, 8, 1, tzinfo=UTC) + timedelta(seconds=chance.randrange(90 * 86_400))
        lines: list[str] = []
        for _ in range(1 + int(chance.paretovariate(1.1)) % 60):
            at = self._turn(lines, common, at)
        data = ("\n".join(lines) + "\n").encode()
        (project / f"{session}.jsonl").write_bytes(data)
        self.totals.files += 1
        self.totals.size_bytes += len(data)

    def _turn(self, lines: list[str], common: dict[str, Any], at: datetime) -> datetime:
        chance, prompt = self._chance, self._id("")

        def put(kind: str, **fields: Any) -> None:
            nonlocal at
            at += timedelta(milliseconds=chance.randrange(50, 9_000))
            stamp = at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
            record = {**common, "type": kind, **fields, "uuid": self._id(""), "timestamp": stamp}
            lines.append(json.dumps(record, ensure_ascii=False, separators=(",", ":")))

        put("user", promptId=prompt, permissionMode="acceptEdits", origin={"kind": "human"},
            message={"role": "user", "content": self._words(400)})  # fmt: skip
        self.totals.prompts += 1
        for _ in range(chance.randrange(2, 12)):
            tool, call = chance.choice(TOOLS), self._id("toolu_")
            self._answer(put, tool, call)
            result = self._words(3_000 if tool in ("Read", "Edit") else 500)
            block = {"type": "tool_result", "tool_use_id": call, "content": result}
            put("user", promptId=prompt, toolUseResult={"stdout": result, "originalFile": result},
                message={"role": "user", "content": [{**block, "is_error": False}]})  # fmt: skip
            lines.append('{"type":"file-history-snapshot","messageId":"x","snapshot":{}}')
        return at

    def _answer(self, put: Any, tool: str, call: str) -> None:
        chance = self._chance
        usage = {
            "input_tokens": chance.randrange(1, 40),
            "output_tokens": chance.randrange(20, 1_500),
            "cache_read_input_tokens": chance.randrange(9_000, 180_000),
            "cache_creation_input_tokens": chance.randrange(100, 6_000),
        }
        message = {"id": self._id("msg_"), "type": "message", "role": "assistant",
                   "model": chance.choice(MODELS)}  # fmt: skip
        request = self._id("req_")
        path = f"/home/dev/code/src/m{chance.randrange(99)}/f{chance.randrange(999)}.py"
        blocks: list[dict[str, Any]] = [
            {"type": "text", "text": self._words(300)},
            {"type": "tool_use", "id": call, "name": tool,
             "input": {"file_path": path, "command": self._words(60), "content": self._words(900)}},
        ]  # fmt: skip
        for block in blocks:
            seen = usage if block is blocks[-1] else {**usage, "output_tokens": 2}
            put(
                "assistant",
                requestId=request,
                message={**message, "content": [block], "usage": seen},
            )
        self.totals.calls += 1
        for name, key in (
            ("input_tokens", "input_tokens"),
            ("output_tokens", "output_tokens"),
            ("cache_read_tokens", "cache_read_input_tokens"),
            ("cache_write_tokens", "cache_creation_input_tokens"),
        ):
            self.totals.tokens[name] += usage[key]

    def _words(self, mean: int) -> str:
        length = max(8, int(self._chance.expovariate(1 / mean)))
        start = self._chance.randrange(len(self._text) - 50_000)
        return self._text[start : start + min(length, 50_000)]

    def _id(self, prefix: str) -> str:
        self._number += 1
        digits = f"{self._chance.getrandbits(128):032x}"
        if prefix:
            return prefix + digits[:24]
        return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}"
