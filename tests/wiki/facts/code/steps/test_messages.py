"""Messages are handled where they are sent, not where they are made."""

from __future__ import annotations

import pytest

from stationmaster.wiki.facts.code.stations import station_of, uncertain_calls
from stationmaster.wiki.facts.model import Spot
from tests.wiki.commits import facts_of

HANDLERS = {
    "Pay.cs": "public record Pay(int Sum);\n",
    "Once.cs": "public class Once<T> {\n    public Once(T it, int id) { }\n}\n",
    "PayHandler.cs": "public class PayHandler : IRequestHandler<Pay, bool> {\n"
    "    public bool Handle(Pay it) { return true; }\n}\n",
    "OnceHandler.cs": "public class OnceHandler<T> : IRequestHandler<Once<T>, bool> {\n"
    "    public bool Handle(Once<T> it) {\n        var inner = it.Inner;\n"
    "        return mediator.Send(inner);\n    }\n}\n",
}


def _steps(*lines: str) -> list[str]:
    """The steps of a function with such lines, the first of which is the fourth of its file."""
    body = "".join(f"        {line}\n" for line in lines)
    till = f"public class Till\n{{\n    public void Close(int sum) {{\n{body}    }}\n}}\n"
    facts = facts_of({**HANDLERS, "Till.cs": till})
    return [
        f"{step.line} {step.does} {step.ends[0].name}".replace("  ", " makes ")
        + "".join(f" -> {it.name}" for it in step.handlers)
        + (" if sent" if step.handlers and step.is_unsent else "")
        for step in station_of(facts, Spot("Till.cs", "Till.Close")).steps
    ]


@pytest.mark.parametrize(
    ("lines", "steps"),
    [
        (["bus.Send(new Pay(sum));"], ["4 makes Pay -> PayHandler.Handle"]),
        (
            ["var pay = new Pay(sum);", "log.Info(pay);", "bus.Send(pay, token);"],
            ["4 makes Pay", "6 sends Pay -> PayHandler.Handle"],
        ),
        (["orders.Add(new Pay(sum));"], ["4 makes Pay -> PayHandler.Handle if sent"]),
        (
            ["var pay = new Pay(sum);", "var once = new Once<Pay>(pay, 1);", "bus.Send(once);"],
            [
                "4 makes Pay", "5 makes Once", "6 sends Once -> OnceHandler.Handle",
                "6 sends within it Pay -> PayHandler.Handle",
            ],
        ),
    ],
)  # fmt: skip
def test_handlers_stand_at_the_call_that_sends_a_message(
    lines: list[str], steps: list[str]
) -> None:
    assert sorted(_steps(*lines)) == sorted(steps)


def test_so_they_do_in_java() -> None:
    facts = facts_of({
        "shop/Paid.java": "package shop;\npublic class Paid {\n    Paid(int sum) {}\n}\n",
        "shop/Mail.java": "package shop;\n"
        "import org.springframework.context.event.EventListener;\n@Component class Mail {\n"
        "    @EventListener void on(Paid paid) {\n        print(paid);\n    }\n}\n",
        "shop/Till.java": "package shop;\nclass Till {\n    void close() {\n"
        "        Paid paid = new Paid(1);\n        bus.publishEvent(paid);\n    }\n}\n",
    })  # fmt: skip
    steps = station_of(facts, Spot("shop/Till.java", "Till.close")).steps
    assert [(it.line, it.does, len(it.handlers)) for it in steps] == [(4, "", 0), (5, "sends", 1)]


def test_a_call_that_may_send_a_message_of_an_unknown_type_counts_as_one_more() -> None:
    facts = facts_of(HANDLERS)
    assert uncertain_calls(facts, "OnceHandler.cs", "OnceHandler.Handle") == (4,)


def test_behaviors_that_a_project_registers_are_around_its_handlers_of_requests() -> None:
    facts = facts_of({
        "app/App.csproj": '<Project Sdk="Microsoft.NET.Sdk.Web"/>',
        **{f"app/{path}": text for path, text in HANDLERS.items()},
        "app/Setup.cs": "public class Setup {\n    void Run() {\n"
        "        cfg.AddOpenBehavior(typeof(Logged<,>));\n    }\n}\n",
        "app/Logged.cs": "public class Logged<T, R> : IPipelineBehavior<T, R> {\n"
        "    public R Handle(T it) { return next(); }\n}\n",
        "app/Till.cs": "public class Till {\n    void Close() {\n"
        "        bus.Send(new Pay(1));\n    }\n}\n",
    })  # fmt: skip
    (step,) = station_of(facts, Spot("app/Till.cs", "Till.Close")).steps
    assert step.around == (Spot("app/Logged.cs", "Logged.Handle"),)
