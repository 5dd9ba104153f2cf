"""A process that begins a job, says so on standard output, and never ends it."""

from __future__ import annotations

import sys
import threading

from stationmaster.db.engine import Database
from stationmaster.jobs.runner import Runner, Work


def _hang(work: Work) -> None:
    work.step("hanging")
    sys.stdout.write(f"{work.job.job_id}\n")
    sys.stdout.flush()
    threading.Event().wait()


if __name__ == "__main__":
    Runner(Database.open(sys.argv[1]), {"scan": _hang}).do_next(threading.Event())
