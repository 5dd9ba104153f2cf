"""A mover in a process of its own that is killed before a chosen step.

A step is every system call that makes something durable or visible (sync, rename, unlink) and
the beginning and end of every transaction.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from stationmaster.db.engine import Database
from tests.lake.installation import Installation


class DyingMovers:
    """Drains the inbox of an installation in processes that die when told.

    They are forked from one helper process that has imported everything and has no threads.
    """

    def __init__(self, data_dir: Path, state_url: str) -> None:
        self._helper = subprocess.Popen(
            [sys.executable, "-m", __name__, str(data_dir), state_url],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def move_and_die(self, step: int) -> bool:
        """Drain, killed before the n-th step (from 1); did it die?"""
        assert self._helper.stdin is not None
        assert self._helper.stdout is not None
        self._helper.stdin.write(b"%d\n" % step)
        self._helper.stdin.flush()
        exit_code = json.loads(self._helper.stdout.readline())
        assert exit_code in (0, -signal.SIGKILL)
        return exit_code != 0

    def close(self) -> None:
        self._helper.communicate(timeout=60)


def _serve(data_dir: Path, state_url: str) -> None:
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            _move(data_dir, state_url, int(line))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


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

    Database.transaction = stepping_transaction  # type: ignore[method-assign, assignment]  # dies in the middle
    place = Installation.open(data_dir, state_url)
    place.mover().drain()


if __name__ == "__main__":
    _serve(Path(sys.argv[1]), sys.argv[2])
