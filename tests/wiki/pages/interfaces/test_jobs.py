"""The page of jobs tells under which conditions they are started."""

from __future__ import annotations

import pytest

from stationmaster.wiki.pages.interfaces import jobs
from tests.wiki.commits import facts_of, written

_LOOP = (
    'package main\n\nimport "time"\n\nfunc sweep() {\n\tfor {\n\t\tclean()\n'
    "\t\ttime.Sleep(time.Hour)\n\t}\n}\n\nfunc begin() {\n\tgo sweep()\n}\n\n"
)


@pytest.mark.parametrize(
    ("start", "only"),
    [
        ("\tif own.Sweeps {\n\t\tbegin()\n\t}\n", "| in `if own.Sweeps` |"),
        ("\tif own.Sweeps {\n\t\tbegin()\n\t}\n\tbegin()\n", ""),
        ("\tfor range own.Rooms {\n\t\tbegin()\n\t}\n", ""),
    ],
)
def test_a_loop_that_one_place_alone_starts_is_shown_with_its_condition(
    start: str, only: str
) -> None:
    facts = facts_of({"main.go": f"{_LOOP}func main() {{\n{start}}}\n", "go.mod": "module a.b/c\n"})
    (planned,) = jobs.plan(facts)
    body = written(facts, planned.write, None, planned.key)
    assert "| `clean` |" in body
    assert only in body
    assert ("| Condition |" in body) == bool(only)


def test_what_calls_the_function_of_a_job_itself_does_not_start_the_job() -> None:
    job = "class PayJob\n  include Sidekiq::Job\n  def perform(id)\n    pay(id)\n  end\nend\n"
    till = "class Till\n  def queue(id)\n    PayJob.perform_async(id)\n  end\n"
    till += "  def now(id)\n    PayJob.new.perform(id)\n  end\n"
    till += "  def both(id)\n    PayJob.new.perform(id)\n    PayJob.perform_async(id)\n  end\nend\n"
    facts = facts_of({
        "Gemfile": 'gem "rails"\ngem "sidekiq"\n', "app/jobs/pay_job.rb": job,
        "app/models/till.rb": till,
    })  # fmt: skip
    (planned,) = jobs.plan(facts)
    (row,) = (it for it in written(facts, planned.write, None, planned.key).splitlines()
              if it.startswith("| `PayJob`"))  # fmt: skip
    assert "`Till.queue` [`app/models/till.rb:3`]" in row
    assert "`Till.both` [`app/models/till.rb:10`]" in row
    assert "Till.now" not in row
