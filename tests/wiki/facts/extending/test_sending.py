import pytest

from stationmaster.wiki.facts.extending.sending import senders_of
from tests.wiki.commits import facts_of


@pytest.mark.parametrize(
    ("path", "text", "event"),
    [
        ("app/Pay.php", "<?php\nclass Pay { function run() { event(new Paid($it)); } }\n", "Paid"),
        ("app/Pay.php", "<?php\nclass Pay { function run() { Paid::dispatch($it); } }\n", "Paid"),
        ("pay.py", "class Pay:\n    def run(self):\n        paid.send(sender=self)\n", "paid"),
        ("pay.ts", "class Pay { run() { this.events.emit('order.paid', 1); } }\n", "order.paid"),
        ("Pay.java", "class Pay { void run() {\n    bus.publishEvent(\n"
                     "        new Paid(1)); } }\n", "Paid"),
        ("Pay.cs", "class Pay { void Run() { mediator.Publish(new Paid(1)); } }\n", "Paid"),
    ],
)  # fmt: skip
def test_a_function_sends_the_event_that_it_makes_names_or_calls(
    path: str, text: str, event: str
) -> None:
    ((spot, _),) = senders_of(facts_of({path: text}), event)
    assert (spot.path, spot.name.lower()) == (path, "pay.run")


def test_an_event_is_found_by_the_end_of_a_dotted_name() -> None:
    facts = facts_of({"pay.py": "def run():\n    paid.send(sender=1)\n"})
    assert senders_of(facts, "shop.signals.paid") == senders_of(facts, "paid") != ()
    assert senders_of(facts, "Shop\\Refunded") == ()


def test_what_a_function_returns_names_no_event() -> None:
    facts = facts_of({"edit.ts": "export function cut(tr) {\n  dispatch(tr.delete(1));\n}\n"})
    assert senders_of(facts, "orders.delete") == ()
