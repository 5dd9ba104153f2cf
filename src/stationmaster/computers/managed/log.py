"""What a step prints: its end, without secrets, stored while it goes on."""

from __future__ import annotations

import time
from collections.abc import Collection

from stationmaster.computers.managed import store
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId

KEPT = 64 * 1024
"""Characters of a step's log."""
LINE_MAX = 2000
MASK = "***"
MASKED_MIN = 4
"""A shorter line of a secret is a word of everyday."""
_PENDING_MAX = 256 * 1024
_STORE_S = 0.5


class Masker:
    """Takes secrets out of text. One of several lines is masked line by line."""

    def __init__(self, secrets: Collection[str]) -> None:
        lines = {line.strip() for secret in secrets for line in secret.splitlines()}
        kept = [line for line in lines if len(line) >= MASKED_MIN]
        self._lines = sorted(kept, key=len, reverse=True)

    def hide(self, secret: str) -> None:
        """Mask another one from now on."""
        self._lines.insert(0, secret)

    def masked(self, text: str) -> str:
        for line in self._lines:
            text = text.replace(line, MASK)
        return text


class StepLog:
    """The log of one step. `write` takes output as it comes, `store` puts it where it is read."""

    def __init__(
        self, db: Database, org: OrgId, computer_id: str, step_id: str, masker: Masker
    ) -> None:
        self._db = db
        self._key = (org, computer_id, step_id)
        self._masker = masker
        self.hide, self.masked = masker.hide, masker.masked
        self._pending = b""
        self._text = ""
        self._is_new = True
        self._store_at = 0.0

    def write(self, chunk: bytes) -> None:
        """A line is masked whole: one that is too long to wait for loses its end."""
        *lines, rest = (self._pending + chunk).split(b"\n")
        self._pending = rest[:_PENDING_MAX]
        for line in lines:
            self._add(line)

    def say(self, line: str) -> None:
        self._add(line.encode())

    def store(self, *, now: bool = False) -> None:
        """Store what is new, not more often than twice a second unless `now`."""
        if now and self._pending:
            self._add(self._pending)
            self._pending = b""
        if self._is_new and (now or time.monotonic() >= self._store_at):
            self._store_at = time.monotonic() + _STORE_S
            self._is_new = False
            store.write_log(self._db, *self._key, self._text)

    @property
    def lines(self) -> list[str]:
        return self._text.splitlines()

    def _add(self, line: bytes) -> None:
        text = line.decode(errors="replace").replace("\0", "").rstrip("\r")
        shown = self._masker.masked(text)
        shown = shown if len(shown) <= LINE_MAX else f"{shown[:LINE_MAX]}…"
        self._text = f"{self._text}{shown}\n"
        if len(self._text) > KEPT:
            self._text = self._text[-KEPT:].partition("\n")[2]
        self._is_new = True
