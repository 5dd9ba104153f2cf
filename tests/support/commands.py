"""The program's own entry point in the process of the test: arguments in; code and streams out.

A clock that STATIONMASTER_NOW freezes stays so until the test ends.
"""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from stationmaster import cli


@dataclass(frozen=True)
class Done:
    """How a command ended, and what it wrote."""

    code: int
    stdout: bytes
    stderr: str

    @property
    def json(self) -> Any:
        return json.loads(self.stdout)

    @property
    def error(self) -> str:
        """The one line of a command that failed; anything more fails the test."""
        assert self.code == 1, (self.code, self.stderr)
        lines = self.stderr.splitlines()
        assert len(lines) == 1, self.stderr
        assert lines[0].startswith("stationmaster: "), self.stderr
        return lines[0].removeprefix("stationmaster: ")


def command(*arguments: object, env: dict[str, str] | None = None) -> Done:
    """Run one command to its end."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    streams = sys.argv, sys.stdout, sys.stderr
    with _environment(env or {}):
        sys.argv = ["stationmaster", *map(str, arguments)]
        sys.stdout, sys.stderr = out, err
        code: object = 0
        umask = os.umask(0o022)
        try:
            cli.main()
        except SystemExit as end:
            code = end.code
        finally:
            os.umask(umask)
            sys.argv, sys.stdout, sys.stderr = streams
        out.flush()
    assert isinstance(out.buffer, io.BytesIO)
    return Done(int(code or 0), out.buffer.getvalue(), err.getvalue())  # type: ignore[call-overload]  # an exit code is a number or None


def succeed(*arguments: object, env: dict[str, str] | None = None) -> Any:
    """The JSON of a command that must succeed."""
    done = command(*arguments, "--json", env=env)
    assert done.code == 0, done.stderr
    return done.json


@contextmanager
def _environment(added: dict[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    # The window of whoever runs the tests, which some test runners pass on.
    os.environ.pop("COLUMNS", None)
    os.environ.update(added)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
