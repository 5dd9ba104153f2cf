"""What a call puts on a queue is the work of the job that it names."""

import pytest

from stationmaster.wiki.facts.code.flows import walk
from stationmaster.wiki.facts.code.stations import station_of
from stationmaster.wiki.facts.model import Spot
from stationmaster.wiki.facts.subjects.explained import Steps
from stationmaster.wiki.pages.steps.functions import steps
from stationmaster.wiki.text.page import Page
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
    steps_of = station_of(facts, Spot("app/models/till.rb", "Till.close")).steps
    assert [step.end.name for step in steps_of if step.is_later] == names


def test_a_signature_of_celery_is_queued() -> None:
    facts = facts_of({
        "tasks.py": "from celery import shared_task\n\n@shared_task\n"
        "def send(to):\n    return to\n",
        "till.py": "from celery import chain\nfrom tasks import send\n\ndef close():\n"
        "    chain(send.s(1), send.si(2)).delay()\n",
    })  # fmt: skip
    steps_of = station_of(facts, Spot("till.py", "close")).steps
    assert [(step.end, step.is_later) for step in steps_of] == [(Spot("tasks.py", "send"), True)]


def test_a_page_tells_each_job_that_is_queued_however_short_it_is() -> None:
    facts = facts_of({
        "app/jobs/pay_job.rb": "class PayJob < ApplicationJob\n  def perform\n    Till.pay!\n"
        "  end\nend\n",
        "app/mailers/till_mailer.rb": "class TillMailer < ApplicationMailer\n  def closed(day)\n"
        "    mail(to: day)\n  end\n\n  def open(day)\n    mail(to: day)\n  end\nend\n",
        "app/models/till.rb": "class Till\n  def close(day)\n    PayJob.perform_later\n"
        "    TillMailer.closed(day).deliver_later\n"
        "    TillMailer.with(a: 1).open(day).deliver_later\n"
        "  end\nend\n",
    })  # fmt: skip
    page = Page(facts, "flows/close", "Close")
    steps(page, facts, Steps((walk(facts, "close", Spot("app/models/till.rb", "Till.close"), 3),)))
    told = page.body()
    assert all(f"`{it}` (" in told for it in ("PayJob.perform", "TillMailer.closed"))
    assert told.count("it is queued here and runs later") == 3
