"""`doctor`: a verdict, each problem with what helps, and the exit code."""

from __future__ import annotations

import threading
from datetime import datetime
from pathlib import Path

import pytest

from stationmaster import clock
from stationmaster.db.engine import Database
from stationmaster.errors import BadRequest
from stationmaster.ids import OrgId
from stationmaster.jobs import service
from stationmaster.jobs.runner import Runner, Work
from tests.cli.conftest import NOW
from tests.support.commands import Done, command
from tests.support.servers import settings_for


def doctor(made: dict[str, str], *arguments: str, **env: str) -> Done:
    return command("doctor", "--data-dir", made["data"], *arguments, env=env)


def lines(done: Done) -> list[str]:
    return done.stdout.decode().splitlines()


def test_an_installation_without_problems_is_well(made: dict[str, str]) -> None:
    done = doctor(made)

    assert (done.code, done.stderr) == (0, "")
    assert lines(done)[-1] == "All well: no problems found."


@pytest.mark.parametrize(
    ("env", "problem", "fix"),
    [
        (
            {"STATIONMASTER_DISK_FREE_MIN": str(2**60)},
            "The disk of ",
            "Free some space, or move the data folder to a larger disk.",
        ),
        (
            {"STATIONMASTER_NOW": "2028-01-01T12:00:00Z"},
            "default: The newest price list is ",
            "Import a current one with `stationmaster rates import FILE`, or upgrade "
            "Stationmaster: docs/costs.md.",
        ),
    ],
)
def test_a_problem_is_told_with_what_helps(
    made: dict[str, str], env: dict[str, str], problem: str, fix: str
) -> None:
    done = doctor(made, **env)

    assert done.code == 1
    heading, text, remedy = lines(done)[-3:]
    assert heading == "1 problem found:"
    assert text.startswith(f"1. {problem}")
    assert remedy == f"   Fix: {fix}"


def test_scripts_get_problems_and_remedies_side_by_side(made: dict[str, str]) -> None:
    done = doctor(made, "--json", STATIONMASTER_NOW="2028-01-01T12:00:00Z")

    assert done.code == 1
    assert len(done.json["problems"]) == len(done.json["remedies"]) == 1


def _work(made: dict[str, str], tmp_path: Path, fault: BadRequest | None) -> None:
    """Request a job and run it to its end: it fails with that fault, or succeeds."""

    def handler(_: Work) -> None:
        if fault is not None:
            raise fault

    db = Database.open(settings_for(tmp_path, "").state_url)
    try:
        service.ask(db, OrgId(made["org_id"]), "scan", "repo_a", by=None)
        assert Runner(db, {"scan": handler}).do_next(threading.Event())
    finally:
        db.close()


def test_work_that_failed_is_a_problem_until_it_succeeds(
    made: dict[str, str], tmp_path: Path
) -> None:
    # As the commands have it: of jobs the later one counts.
    clock.freeze(datetime.fromisoformat(NOW))
    _work(made, tmp_path, BadRequest("the branch is gone"))
    failed = doctor(made)
    _work(made, tmp_path, None)
    repaired = doctor(made)

    assert failed.code == 1
    told = "1. default: 1 background job failed (scan of repo_a: the branch is gone)."
    assert told in lines(failed)
    assert "`stationmaster jobs list --state failed`" in lines(failed)[-1]
    assert (repaired.code, lines(repaired)[-1]) == (0, "All well: no problems found.")
