"""On which page each function is explained."""

from __future__ import annotations

from stationmaster.wiki.facts.code.flows import flow, flows
from stationmaster.wiki.facts.model import Facts, Spot
from stationmaster.wiki.facts.subjects.explained import explained, explained_at
from tests.wiki.commits import facts_of
from tests.wiki.pages.shops import pages

BODY = "".join(f"    a{n} = {n}\n" for n in range(16)) + "    return a0\n"
MAIN = "if __name__ == '__main__':\n    main()\n"
SHOP = {
    "pyproject.toml": "[project]\nname = 'shop'\n\n[project.scripts]\n"
    "sell = 'sell:main'\nbuy = 'buy:main'\n",
    "sell.py": f"import till\nimport work\n\ndef main():\n    work.ask()\n    work.weigh()\n"
    f"    till.pay()\n{BODY}",
    "buy.py": f"import till\nimport work\n\ndef main():\n    work.look()\n    work.choose()\n"
    f"    till.pay()\n{BODY}",
    "work.py": "\n\n".join(f"def {it}():\n{BODY}" for it in ("ask", "weigh", "look", "choose")),
    "till.py": f"def pay():\n    count()\n{BODY}\n\ndef count():\n{BODY}",
}


def steps(facts: Facts, key: str) -> list[str]:
    return [it.spot.name for way in explained(facts, key).flows for it in way.stations]


def test_a_function_is_explained_by_the_first_flow_that_leads_to_it_alone() -> None:
    facts = facts_of(SHOP)
    first, second = flows(facts)
    shared = {"pay", "count"}
    assert shared <= {*steps(facts, first)}
    assert shared.isdisjoint(steps(facts, second))
    assert shared <= {it.spot.name for it in flow(facts, second).stations}
    place = explained_at(facts, "till.py", "pay")
    assert place is not None
    assert (place.key, place.number) == (first, steps(facts, first).index("pay") + 1)


def test_other_pages_lead_to_what_one_explains_and_do_not_show_it() -> None:
    facts, written = facts_of(SHOP), pages(SHOP)
    first, second = flows(facts)
    number = steps(facts, first).index("pay") + 1
    address = f"{first.rpartition('/')[2]}.md#step-{number}-pay"
    assert ": `pay` ([How the program" in written[second]
    assert f"]({address}))" in written[second]
    assert "def pay" not in written[second]
    assert written[first].count("def pay") == 1


def test_what_only_helps_or_runs_after_a_failure_is_no_step_where_room_is_limited() -> None:
    callers = "".join(f"def part{n}():\n    log_all()\n    return {n}\n\n" for n in range(14))
    facts = facts_of({
        "a.py": f"import other\n\ndef main():\n    other.log_all()\n    try:\n"
        f"        other.work()\n    except ValueError:\n        other.mend()\n{BODY}\n{MAIN}",
        "other.py": f"{callers}def log_all():\n{BODY}\ndef work():\n{BODY}\ndef mend():\n{BODY}",
    })  # fmt: skip
    (key,) = flows(facts)
    assert steps(facts, key)[-1] == "work"
    assert explained_at(facts, "other.py", "log_all") is None
    assert explained_at(facts, "other.py", "mend") is None
    assert Spot("other.py", "work") in [it.spot for it in flow(facts, key).stations]
