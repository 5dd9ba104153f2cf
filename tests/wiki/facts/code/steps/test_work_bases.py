"""What runs in the background of a base class of the repository is the work of those that extend
it."""

import pytest

from stationmaster.wiki.facts.code.work import jobs
from tests.wiki.commits import facts_of

TABLE = """import type Handler from "./handler";

const handlers: Record<string, typeof Handler> = load();
export default handlers;
"""
HANDLER = """export default abstract class Handler {
  static events: string[] = [];
  abstract perform(event: Event): Promise<void>;
}
"""
MAILER = """import Handler from "./handler";

export default class Mailer extends Handler {
  static events: string[] = ["order.paid", "order.sent"];
  async perform(event: Event) {
    await post(event);
  }
}

export class Reminder extends Mailer {}
"""
RUN = """import handlers from "./handlers";

export function start() {
  eventQueue().process(async (job) => {
    const HandlerClass = handlers[job.name];
    const handler = new HandlerClass();
    await handler.perform(job.event);
  });
}
"""
CHOOSE = """
export function choose(name: string, event: Event) {
  const HandlerClass = handlers[name];
  return HandlerClass.events.includes(event.name);
}
"""


def rows(run: str) -> list[tuple[str, str, str, str]]:
    facts = facts_of({
        "package.json": '{"name": "shop"}', "src/handler.ts": HANDLER, "src/handlers.ts": TABLE,
        "src/mailer.ts": MAILER, "src/run.ts": run,
    })  # fmt: skip
    return [(job.name, job.kind, job.trigger, job.runs) for job in jobs(facts)]


def test_classes_of_a_table_of_which_what_runs_a_queue_makes_an_object_are_workers() -> None:
    assert rows(RUN) == [
        ("Mailer", "worker", "", "Mailer.perform"),
        ("Reminder", "worker", "", "Mailer.perform"),
    ]


def test_classes_that_are_chosen_by_a_list_of_events_handle_these() -> None:
    assert rows(RUN + CHOOSE) == [
        ("Mailer", "event", "order.paid, order.sent", "Mailer.perform"),
        ("Reminder", "event", "order.paid, order.sent", "Mailer.perform"),
    ]


@pytest.mark.parametrize(
    ("words", "others"),
    [("eventQueue().process(", "rows.map("), ("handler.perform(", "handler.describe(")],
)
def test_classes_of_another_table_are_no_jobs(words: str, others: str) -> None:
    assert rows(RUN.replace(words, others)) == []


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("raise NotImplementedError", ["Till.Worker", "Clock"]),
        ("sleep(1)", []),
    ],
)
def test_what_a_class_begins_a_thread_for_and_others_write_is_their_work(
    body: str, names: list[str]
) -> None:
    facts = facts_of({
        "lib/lasting.rb": "module Lasting\n  class Worker\n"
        f"    def run\n      {body}\n    end\n\n"
        "    def begin!\n      @thread = Thread.new do\n        begin\n          run\n"
        "        rescue Error\n          stop\n        end\n      end\n    end\n  end\nend\n",
        "lib/till.rb": "class Till\n  class Worker < Lasting::Worker\n"
        "    def run\n      count\n    end\n  end\nend\n",
        "lib/zone/clock.rb": "class Clock < Lasting::Worker\n  def run\n    tick\n  end\nend\n",
    })  # fmt: skip
    assert [(job.name, job.kind) for job in jobs(facts)] == [
        (name, "worker") for name in sorted(names)
    ]
