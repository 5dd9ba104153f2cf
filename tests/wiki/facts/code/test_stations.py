"""Where a function leads, step by step."""

from __future__ import annotations

from stationmaster.wiki.facts.code.names import Spot
from stationmaster.wiki.facts.code.stations import station_of
from tests.wiki.commits import facts_of

BODY = "    a = 1\n    b = 2\n    return a + b\n"


def test_a_signal_leads_to_the_handlers_that_are_connected_to_it() -> None:
    facts = facts_of(
        {
            "shop/__init__.py": "",
            "shop/signals.py": "from django.dispatch import Signal\n\npaid = Signal()\nother = 1\n",
            "shop/handlers.py": f"def index(sender):\n{BODY}",
            "shop/apps.py": "from django.apps import AppConfig\n\nclass Shop(AppConfig):\n"
            "    def ready(self):\n        from shop.handlers import index\n"
            "        from shop.signals import paid\n\n        paid.connect(index)\n",
            "shop/pay.py": "from shop.signals import paid, other\n\ndef pay():\n"
            "    paid.send(sender=pay)\n    other.send(1)\n",
        }
    )
    (step,) = station_of(facts, Spot("shop/pay.py", "pay")).steps
    assert (step.does, step.end.name) == ("sends", "paid")
    assert [handler.name for handler in step.handlers] == ["index"]


def test_a_record_that_is_saved_leads_to_its_callbacks_and_a_pushed_job_is_followed() -> None:
    facts = facts_of({
        "app/models/feed.rb": "class Feed < ApplicationRecord\n  has_many :entries\n"
        "  has_many :old, class_name: 'Entry'\n\n  def fetch\n    entries.create!(a: 1)\n"
        "    old.create(a: 1)\n    Entry.find(1)\n    Entry.create(b: 2)\n"
        '    Sidekiq::Client.push_bulk("args" => jobs, "class" => Crawl)\n  end\nend\n',
        "app/models/entry.rb": "class Entry < ApplicationRecord\n"
        "  after_commit :index, on: :create\n"
        "  after_destroy :forget\n\n  def index\n    1\n  end\n\n  def forget\n    2\n  end\nend\n",
        "app/jobs/crawl.rb": "class Crawl\n  include Sidekiq::Worker\n\n  def perform(id)\n"
        "    1\n  end\nend\n",
    })  # fmt: skip
    steps = station_of(facts, Spot("app/models/feed.rb", "Feed.fetch")).steps
    assert [(step.does, step.end.name, [it.name for it in step.handlers]) for step in steps] == [
        ("creates", "Entry", ["Entry.index"]),
        ("", "Crawl.perform", []),
    ]
