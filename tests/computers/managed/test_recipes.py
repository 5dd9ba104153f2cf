"""The recipes of docs/computers.md, with stand-ins for the programs that they call."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from stationmaster.computers.managed.providers.base import Doing, Machine
from stationmaster.computers.managed.providers.command import CommandProvider, Commands

PAGE = Path(__file__).parents[3] / "docs" / "computers.md"
DOCKER = """\
#!/bin/sh
set -eu
cd "$(dirname "$0")"
echo "$*" >> calls
case "$1 $2" in
"container inspect")
  for name; do :; done
  [ -e "$name" ]
  if [ -e "$name/running" ]; then echo true; else echo false; fi ;;
"create --init") mkdir "$4" ;;
"start "*) touch "$2/running"; echo "$2" ;;
"stop "*) rm -f "$4/running" ;;
"exec -i") [ -e "$3/running" ]; cd "$3"; shift 3; exec "$@" ;;
"rm -f") rm -r "$4" ;;
*) exit 9 ;;
esac
"""
GCLOUD = """\
#!/bin/sh
set -eu
cd "$(dirname "$0")"
echo "$*" >> calls
case "$1 $2 $3" in
"compute instances list")
  name=${5#name=}; name=${name%% *}
  if [ -e "$name/running" ]; then echo RUNNING; elif [ -e "$name" ]; then echo TERMINATED; fi ;;
"compute instances create") mkdir "$4"; touch "$4/running" ;;
"compute instances start") touch "$4/running" ;;
"compute instances stop") rm "$4/running" ;;
"compute instances delete") rm -r "$4" ;;
"compute ssh "*) cd "${3#root@}"; exec sh -c "$8" ;;
*) exit 9 ;;
esac
"""


def doing() -> Doing:
    return Doing(time.monotonic() + 30)


@pytest.mark.parametrize(("program", "stand_in"), [("docker", DOCKER), ("gcloud", GCLOUD)])
def test_a_recipe_makes_stops_starts_and_ends_one_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, stand_in: str
) -> None:
    [recipe] = re.findall(
        rf"^```text\n(#!/bin/sh\n# /etc/stationmaster/{program}\.sh.*?)^```$",
        PAGE.read_text(),
        re.MULTILINE | re.DOTALL,
    )
    script, tool = tmp_path / "recipe.sh", tmp_path / program
    for path, text in ((script, recipe), (tool, stand_in)):
        path.write_text(text)
        path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    verbs = {
        verb: (str(script), verb) for verb in ("create", "state", "run", "destroy", "start", "stop")
    }
    environment = {"IMAGE": "agents-1", "ZONE": "here"}
    provider = CommandProvider(Commands(**verbs, environment=environment))  # type: ignore[arg-type]  # a command for each verb
    machine = Machine("cmp_abcdefghijklmnop", None, "dev")

    made = [provider.create(machine, doing()) for _ in range(2)]
    assert made[0] == made[1]
    machine = machine._replace(reference=made[0].reference)
    assert provider.state(machine, doing()) == "running"
    assert provider.run(machine, "echo stays > file; exit 5", doing()) == 5
    provider.stop(machine, doing())
    assert provider.state(machine, doing()) == "stopped"
    provider.start(machine, doing())
    assert provider.run(machine, 'test "$(cat file)" = stays', doing()) == 0
    for _ in range(2):
        provider.destroy(machine, doing())
    assert provider.state(machine, doing()) == "absent"
