"""What is put on a queue that a value holds is the work of what runs for that queue."""

import pytest

from stationmaster.wiki.facts.code.stations import station_of
from stationmaster.wiki.facts.code.work import jobs
from stationmaster.wiki.facts.extending.sending import queued_by
from stationmaster.wiki.facts.model import Facts, Spot
from tests.wiki.commits import facts_of

WORKER, TILL = "src/worker.ts", "src/till.ts"


def shop(given: str, close: str = "mailQueue.enqueue(1);", queue: str = "mailQueue") -> Facts:
    return facts_of({
        "package.json": '{"name": "shop"}',
        "src/queues.ts": 'export const mailQueue = createQueue("mail");\n'
        'export const slowQueue = createQueue("slow");\nexport const mails = new Map();\n',
        WORKER: f'import {{ {queue} }} from "./queues";\n\n'
        "async function send(job: Job) {\n  await post(job.data);\n}\n\n"
        "export class MailWorker {\n  static build(client: Client) {\n"
        f"    return {given};\n  }}\n}}\n",
        TILL: 'import { mailQueue, slowQueue, mails } from "./queues";\n\n'
        f"export async function close(late: boolean) {{\n  {close}\n}}\n",
    })  # fmt: skip


def queued(facts: Facts) -> list[str]:
    steps = station_of(facts, Spot(TILL, "close")).steps
    return [step.end.name for step in steps if step.is_later]


@pytest.mark.parametrize(
    "given",
    [
        "client.createRunner<Mail>(mailQueue, { run: send, onError: log })",
        'client.createRunner(mailQueue, { run: traced("mail", timed("mail", send)) })',
        "client.createRunner(mailQueue, { handler: (job) => send(job, 3) })",
        "new Worker(mailQueue, send)",
        "mailQueue.process(send)",
    ],
)
def test_a_function_that_is_given_with_a_queue_runs_for_what_is_put_on_it(given: str) -> None:
    facts = shop(given)
    assert queued(facts) == ["send"]
    rows = [(job.name, job.kind, job.trigger, job.runs) for job in jobs(facts)]
    assert rows == [("MailWorker", "queue", "mailQueue", "send")]
    assert [*queued_by(facts, Spot(WORKER, "send"))] == [(Spot(TILL, "close"), 4)]


def test_a_queue_that_a_parameter_holds_is_the_one_that_callers_give() -> None:
    facts = facts_of({
        "package.json": '{"name": "shop"}',
        "src/queues.ts": 'export const mailQueue = createQueue("mail");\n',
        WORKER: "async function send(job: Job) {\n  await post(job.data);\n}\n\n"
        "export function work(client: Client, queue: Queue) {\n"
        "  return client.createRunner(queue, { run: send });\n}\n",
        "src/main.ts": 'import { mailQueue } from "./queues";\nimport { work } from "./worker";\n\n'
        "work(client, mailQueue);\n",
        TILL: 'import { mailQueue } from "./queues";\n\n'
        "export function close() {\n  mailQueue.add(1);\n}\n",
    })  # fmt: skip
    assert queued(facts) == ["send"]


def test_a_queue_that_is_chosen_is_each_of_them() -> None:
    close = "const queue = late\n    ? slowQueue\n    : mailQueue;\n  await queue.enqueue(1);"
    facts = shop("client.createRunner(mailQueue, { run: send })", close)
    assert queued(facts) == ["send"]


@pytest.mark.parametrize(
    ("given", "close"),
    [
        ("client.createRunner(mailQueue, { run: send })", "slowQueue.enqueue(1);"),
        ("client.createRunner(mailQueue, { run: send })", "mailQueue.stats();"),
        ("client.createRunner(mails, { run: send })", "mails.add(1);"),
        ("client.createRunner(mailQueue, { onError: log })", "mailQueue.enqueue(1);"),
        ("client.watch(mailQueue, send)", "mailQueue.enqueue(1);"),
    ],
)
def test_nothing_is_said_of_another_queue_call_or_value(given: str, close: str) -> None:
    assert queued(shop(given, close)) == []
