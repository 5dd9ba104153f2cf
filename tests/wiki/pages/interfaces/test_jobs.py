"""The page of jobs tells what starts them."""

from __future__ import annotations

from stationmaster.wiki.pages.interfaces import jobs
from tests.wiki.commits import facts_of, written


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


def test_a_queue_and_its_own_worker_are_one_job() -> None:
    facts = facts_of({
        "package.json": '{"dependencies": {"bullmq": "5"}}',
        "main.ts": "import { Queue, Worker } from 'bullmq';\nconst NAME = 'mail';\n"
        "export const queue = new Queue(NAME);\nnew Worker(NAME, send);\n"
        "new Worker('other', send);\n",
    })  # fmt: skip
    (planned,) = jobs.plan(facts)
    page = written(facts, planned.write, None, planned.key)
    assert "At least 2 jobs run in the background with BullMQ." in page


def test_jobs_without_a_framework_are_not_said_to_run_with_one() -> None:
    facts = facts_of({
        "package.json": '{"dependencies": {"bullmq": "5"}}',
        "main.ts": "import { Queue } from 'bullmq';\nexport const queue = new Queue('mail');\n"
        "export const TIDY = {\n  id: 'tidy', trigger: { cron: '0 3 * * *' },\n"
        "  handler: async () => {},\n};\n",
    })  # fmt: skip
    (planned,) = jobs.plan(facts)
    page = written(facts, planned.write, None, planned.key)
    assert "At least 2 jobs run in the background, some of them with BullMQ." in page
