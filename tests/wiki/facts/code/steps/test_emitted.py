"""An event that is sent by name leads to the functions that handle it."""

import pytest

from stationmaster.wiki.facts.code.stations import station_of
from stationmaster.wiki.facts.model import Spot
from tests.wiki.commits import facts_of

MAIL, TILL = "src/mail.ts", "src/till.ts"
SEND = "export function send(order: Order) {\n  return post(order);\n}\n\n"
BUS = 'import { bus } from "./bus";\n'


def handlers(mail: str, close: str, head: str = BUS) -> list[str]:
    facts = facts_of({
        "package.json": '{"name": "shop", "dependencies": {"@nestjs/event-emitter": "1"}}',
        "src/bus.ts": "export const bus = new EventBus();\n"
        "export const otherBus = new EventBus();\n"
        'export enum Events {\n  Paid = "paid",\n  Sent = "sent",\n}\n',
        MAIL: mail,
        TILL: f"{head}\nexport function close(order: Order) {{\n  {close}\n}}\n",
    })  # fmt: skip
    steps = station_of(facts, Spot(TILL, "close")).steps
    return [f"{step.does}: {end.name}" for step in steps for end in step.handlers]


@pytest.mark.parametrize(
    ("register", "close", "event"),
    [
        ('bus.on("order.paid", send);', 'bus.emit("order.paid", order);', '"order.paid"'),
        ("bus.subscribe(Events.Paid, send);", "bus.publish(Events.Paid, order);", "Events.Paid"),
    ],
)
def test_a_name_or_constant_leads_to_what_is_registered_for_it(
    register: str, close: str, event: str
) -> None:
    head = BUS.replace("bus }", "bus, Events }")
    rows = handlers(f"{head}\n{SEND}{register}\n", close, head)
    assert rows == [f"sends the event {event}, which this handles: send"]


def test_a_method_that_a_decorator_registers_handles_the_event() -> None:
    mail = (
        'import { OnEvent } from "@nestjs/event-emitter";\n\nexport class Mailer {\n'
        '  @OnEvent("order.paid")\n  send(order: Order) {\n    return post(order);\n  }\n}\n'
    )
    close = 'this.eventEmitter.emit("order.paid", order);'
    assert handlers(mail, close) == [
        'sends the event "order.paid", which this handles: Mailer.send'
    ]


@pytest.mark.parametrize(
    ("register", "close"),
    [
        ('bus.on("order.paid", send);', 'bus.emit("order.sent", order);'),
        ('bus.on("order.paid", send);', "bus.emit(order.event, order);"),
        ('bus.on("order.paid", send);', 'socket.emit("order.paid", order);'),
        ('otherBus.on("order.paid", send);', 'bus.emit("order.paid", order);'),
        ("bus.on(Events.Sent, send);", "bus.emit(Events.Paid, order);"),
        ('this.events.on("order.paid", send);', 'this.events.emit("order.paid", order);'),
    ],
)
def test_another_event_emitter_or_a_socket_leads_nowhere(register: str, close: str) -> None:
    head = BUS.replace("bus }", "bus, otherBus, Events }")
    assert handlers(f"{head}\n{SEND}{register}\n", close, head) == []
