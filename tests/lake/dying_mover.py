"""A mover in a process of its own that is killed before a chosen step.

A step is every system call that makes something durable or visible (sync, rename, unlink) and
the beginning and end of every transaction.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from stationmaster.db.engine import Database
from tests.lake.installation import Installation

_forks = multiprocessing.get_context("forkserver")
_forks.set_forkserver_preload(["stationmaster.lake.mover", "stationmaster.db.engine", "psycopg"])


def move_and_die(data_dir: Path, state_url: str, step: int) -> bool:
    """Drain the inbox in another process, killed before its n-th step (from 1); did it die?"""
    process = _forks.Process(target=_move, args=(data_dir, state_url, step))
    process.start()
    process.join(timeout=60)
    assert process.exitcode in (0, -signal.SIGKILL)
    return process.exitcode != 0


def _move(data_dir: Path, state_url: str, step: int) -> None:
    left = step

    def pass_step() -> None:
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def before(owner: Any, name: str) -> None:
        real: Callable[..., Any] = getattr(owner, name)

        def stepping(*args: Any, **named: Any) -> Any:
            pass_step()
            return real(*args, **named)

        setattr(owner, name, stepping)

    before(os, "fsync")
    before(Path, "rename")
    before(Path, "unlink")
    transaction = Database.transaction

    @contextmanager
    def stepping_transaction(database: Database) -> Iterator[Connection]:
        pass_step()
        with transaction(database) as connection:
            yield connection
            pass_step()
        pass_step()

    Database.transaction = stepping_transaction  # type: ignore[method-assign, assignment]
    place = Installation.open(data_dir, state_url)
    place.mover().drain()
