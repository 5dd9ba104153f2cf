"""What a call puts on a queue is the work of the job that it names."""

import pytest

from stationmaster.wiki.facts.code.stations import station_of
from stationmaster.wiki.facts.model import Spot
from tests.wiki.commits import facts_of


def job(name: str) -> str:
    return f"class {name}\n  include Sidekiq::Job\n  def perform(id)\n    pay(id)\n  end\nend\n"


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("PayJob.set(wait: 3.minutes).perform_later(1)", ["PayJob.perform"]),
        ("(late ? LateJob : PayJob).perform_async(1)", ["LateJob.perform", "PayJob.perform"]),
        (
            "kind = late ? LateJob : PayJob\n    kind.perform_async(1)",
            ["LateJob.perform", "PayJob.perform"],
        ),
        ("kind = choose\n    kind.perform_async(1)", []),
    ],
)
def test_options_of_a_job_and_a_choice_of_two_lead_to_the_jobs(body: str, names: list[str]) -> None:
    facts = facts_of({
        "Gemfile": 'gem "sidekiq"\n',
        "app/jobs/pay_job.rb": job("PayJob"), "app/jobs/late_job.rb": job("LateJob"),
        "app/models/till.rb": f"class Till\n  def close(late)\n    {body}\n  end\nend\n",
    })  # fmt: skip
    steps = station_of(facts, Spot("app/models/till.rb", "Till.close")).steps
    assert [step.end.name for step in steps if step.is_later] == names


def test_a_signature_of_celery_is_queued() -> None:
    facts = facts_of({
        "tasks.py": "from celery import shared_task\n\n@shared_task\n"
        "def send(to):\n    return to\n",
        "till.py": "from celery import chain\nfrom tasks import send\n\ndef close():\n"
        "    chain(send.s(1), send.si(2)).delay()\n",
    })  # fmt: skip
    steps = station_of(facts, Spot("till.py", "close")).steps
    assert [(step.end, step.is_later) for step in steps] == [(Spot("tasks.py", "send"), True)]
