"""A program that dies at its n-th step: around transactions and whatever else is watched."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import Connection

from stationmaster.db.engine import Database


class Died(BaseException):
    """No handler of errors may catch it, as none could catch the end of a process."""


class Fate:
    """Set `left` to n to die at the n-th step from then on; 0 is to live."""

    def __init__(self) -> None:
        self.left = 0

    def step(self) -> None:
        self.left -= 1
        if self.left == 0:
            raise Died

    def around(self, monkeypatch: pytest.MonkeyPatch, owner: type, name: str) -> None:
        """A step before every call of a method, and one after it."""
        real = getattr(owner, name)

        def stepping(*args: Any) -> Any:
            self.step()
            answer = real(*args)
            self.step()
            return answer

        monkeypatch.setattr(owner, name, stepping)

    def around_transactions(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A step before every transaction, one before it commits, and one after that."""
        real = Database.transaction

        @contextmanager
        def stepping(database: Database) -> Iterator[Connection]:
            self.step()
            with real(database) as connection:
                yield connection
                self.step()
            self.step()

        monkeypatch.setattr(Database, "transaction", stepping)
