"""A cloud in a folder: six commands of an operator, whose machines are folders with a home.

Each call is a line of the file `calls`. Where the file `hang` names a verb, or `run` with a number,
that call stops in the middle of its work, for a test to kill who waits for it; where `late` names a
verb, that call has done its work and does not end; where `fail` does, it fails. Programs in `bin`
are what machines find first.
"""

from __future__ import annotations

import getpass
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

USER = getpass.getuser()
"""Machines of a cloud have the account that runs the test."""

_PROGRAM = """\
#!/bin/sh
set -eu
cloud=$(dirname "$0")
machine="$cloud/machines/$STATIONMASTER_COMPUTER"
echo "$1 $STATIONMASTER_COMPUTER" >> "$cloud/calls"
call=$1
[ "$1" != run ] || call="run $(grep -c "^run $STATIONMASTER_COMPUTER" "$cloud/calls")"
reached() { [ -e "$cloud/$1" ] && [ "$(cat "$cloud/$1")" = "$call" ]; }
verb=$1
is_late() { [ -e "$cloud/late" ] && [ "$(cat "$cloud/late")" = "$verb" ]; }
stopped() { echo "$verb" >> "$cloud/stopped"; HOME="$machine" sleep 60; }
run() { env -i HOME="$machine/home" PATH="$cloud/bin:$PATH" sh -s; }
stop() {
  if [ -e "$machine/home/.stationmaster/serve.pid" ]; then
    kill -s KILL -- "-$(cat "$machine/home/.stationmaster/serve.pid")" 2>/dev/null || true
  fi
  rm -f "$machine/running"
}
if reached fail; then echo "out of luck" >&2; exit 3; fi
case $1 in
create)
  mkdir -p "$machine/home"
  [ -e "$machine/made" ] || echo "$STATIONMASTER_COMPUTER" >> "$cloud/made"
  touch "$machine/made" "$machine/running"
  if reached hang; then sleep 60; fi
  echo '{"reference": "vm-'"$STATIONMASTER_COMPUTER"'"}'
  if is_late; then stopped; fi ;;
state)
  if [ -e "$machine/running" ]; then echo '{"state": "running"}'
  elif [ -e "$machine" ]; then echo '{"state": "stopped"}'
  else echo '{"state": "absent"}'; fi ;;
start) touch "$machine/running" ;;
stop) stop ;;
destroy)
  stop
  if reached hang; then sleep 60; fi
  rm -rf "$machine" ;;
run)
  [ -e "$machine/running" ]
  if reached hang; then head -c 200 | run; sleep 60; fi
  if is_late; then run; stopped; fi
  exec env -i HOME="$machine/home" PATH="$cloud/bin:$PATH" sh -s ;;
esac
"""


class Cloud:
    """Of one test. `templates` is the file that a server is given."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        program = folder / "cloud.sh"
        program.write_text(_PROGRAM)
        program.chmod(0o755)
        verbs = ("create", "state", "start", "stop", "destroy", "run")
        lines = [f'{verb} = ["{program}", "{verb}"]' for verb in verbs]
        agent = f'agent = "env {sys.executable} -m stationmaster"'
        self.templates = folder / "templates.toml"
        text = "\n".join(
            ["per_owner = 3", "[templates.default]", 'provider = "command"', agent, *lines]
        )
        self.templates.write_text(text)

    def hang(self, call: str | None) -> None:
        self._mark("hang", call)

    def fail(self, call: str | None) -> None:
        self._mark("fail", call)

    def late(self, verb: str | None) -> None:
        self._mark("late", verb)

    def put_program(self, name: str, script: str) -> None:
        """A program of `sh` on all machines, before one of that name that is there."""
        program = self.folder / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)

    @contextmanager
    def cut(self, name: str) -> Iterator[None]:
        """Have scripts stop where they call a program."""
        program = self.folder / "bin" / name
        before = program.read_text() if program.exists() else None
        self.put_program(name, f'echo {name} >> "{self.folder}/stopped"; exec sleep 60')
        yield
        if before is None:
            program.unlink()
        else:
            program.write_text(before)

    @property
    def stopped(self) -> int:
        """How many calls stopped at `cut` or `late`."""
        path = self.folder / "stopped"
        return len(path.read_text().splitlines()) if path.exists() else 0

    def calls(self, verb: str, computer_id: str) -> int:
        path = self.folder / "calls"
        lines = path.read_text().splitlines() if path.exists() else []
        return lines.count(f"{verb} {computer_id}")

    @property
    def made(self) -> list[str]:
        """Every machine that was ever made, by the computer it was made for."""
        path = self.folder / "made"
        return path.read_text().split() if path.exists() else []

    @property
    def machines(self) -> list[str]:
        """Those that are there now."""
        folder = self.folder / "machines"
        return sorted(path.name for path in folder.iterdir()) if folder.exists() else []

    def _mark(self, name: str, call: str | None) -> None:
        if call is None:
            (self.folder / name).unlink(missing_ok=True)
        else:
            (self.folder / name).write_text(call)
