"""A function that another is given as an argument runs where the parameter is called."""

from __future__ import annotations

import pytest

from stationmaster.wiki.facts.code.flows import flow, flows, walk
from stationmaster.wiki.facts.code.stations import Station, station_of
from stationmaster.wiki.facts.model import Spot
from stationmaster.wiki.facts.subjects.explained import Steps
from stationmaster.wiki.pages.steps.functions import steps
from stationmaster.wiki.text.page import Page
from tests.wiki.commits import facts_of

BODY = "    a = 1\n    b = 2\n    return a + b\n"
RUN = "def run(work, retries=3):\n    prepare()\n    try:\n        code = work(retries)\n"
RUN += "    except ValueError:\n        code = 1\n    return code\n\n"
PYTHON = {
    "shop/__init__.py": "",
    "shop/run.py": f"{RUN}def prepare():\n{BODY}",
    "shop/sell.py": f"from shop.run import run\n\ndef main():\n    return run(work=sell)\n\n"
    f"def sell(retries):\n{BODY}",
    "shop/buy.py": "from shop.run import run\n\ndef main():\n    return run(\n"
    "        buy,\n    )\n\n"
    f"def buy(retries):\n{BODY}",
}


def given(station: Station) -> list[tuple[str, str, list[str]]]:
    return [
        (step.parameter, step.givers[0][0].path, [end.name for end in step.ends])
        for step in station.steps
        if step.parameter
    ]


def test_what_a_parameter_holds_is_told_by_what_gives_it_and_in_a_flow_for_its_caller() -> None:
    facts = facts_of(PYTHON)
    (step,) = (it for it in station_of(facts, Spot("shop/run.py", "run")).steps if it.parameter)
    pairs = zip(step.givers, step.ends, strict=True)
    assert [(giver.path, line, end.name) for (giver, line), end in pairs] == [
        ("shop/buy.py", 4, "buy"),
        ("shop/sell.py", 4, "sell"),
    ]
    walked = walk(facts, "sell", Spot("shop/sell.py", "main"), 3)
    assert [station.spot.name for station in walked.stations] == ["main", "run", "prepare", "sell"]


def test_of_several_functions_that_a_caller_gives_the_part_that_is_shown_decides() -> None:
    facts = facts_of(
        {
            "go.mod": "module example.org/shop\n\ngo 1.22\n",
            "main.go": """package main

func listen() {
	put("/a", around(first))
	put("/b", around(second))
	put("/c", around(func(name string) string { return name }))
}

func around(fn handler) handler {
	return func(name string) string {
		log(name)
		return fn(name)
	}
}

func first(name string) string {
	log(name)
	return name
}

func second(name string) string {
	log(name)
	return name
}

func log(name string) {
	print(name)
	print("\\n")
}
""",
        }
    )

    def reached(*within: int) -> list[str]:
        walked = walk(facts, "listen", Spot("main.go", "listen"), 3, within=(within[0], within[1]))
        return [station.spot.name for station in walked.stations]

    assert reached(4, 4) == ["listen", "around", "log", "first"]
    assert reached(5, 5) == ["listen", "around", "log", "second"]
    assert reached(6, 6) == ["listen", "around", "log"]


def test_a_page_says_that_callers_give_what_runs() -> None:
    facts = facts_of(PYTHON)
    page = Page(facts, "flows/run", "Run")
    steps(page, facts, Steps((walk(facts, "run", Spot("shop/run.py", "run"), 3),)))
    assert "`work`, which is by its caller here `buy` (" in page.body()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("another value", "def run(work):\n    work = choose()\n    work()\n"),
        ("a method of that name", "def run(work):\n    till.work()\n"),
    ],
)
def test_a_parameter_with_another_value_holds_nothing_certain(name: str, text: str) -> None:
    facts = facts_of({**PYTHON, "shop/run.py": text})
    assert given(station_of(facts, Spot("shop/run.py", "run"))) == [], name


def test_a_callback_of_javascript_is_followed() -> None:
    facts = facts_of({
        "src/each.js": "export function each(list, visit) {\n  for (const it of list) {\n"
        "    visit(it)\n  }\n}\n",
        "src/till.js": "import { each } from './each.js'\n\nfunction count(it) {\n  return it\n}\n"
        "export function close(list) {\n  each(list, count)\n}\n",
    })  # fmt: skip
    assert given(station_of(facts, Spot("src/each.js", "each"))) == [
        ("visit", "src/till.js", ["count"])
    ]


def test_every_program_of_a_package_has_a_flow_and_a_script_beside_them_has_none() -> None:
    script = "if __name__ == '__main__':\n    from shop.sell import main\n    main()\n"
    facts = facts_of({
        **PYTHON,
        "setup.cfg": "[metadata]\nname = shop\n[options.entry_points]\nconsole_scripts =\n"
        "    sell = shop.sell:main\n    sells = shop.sell:main\n    buy = shop.__main__:main\n",
        "shop/__main__.py": "def main():\n    from shop.buy import main\n    return main()\n",
        "extras/profile.py": "from shop.run import prepare, run\n\n"
        f"{script}    prepare()\n    run()\n",
    })  # fmt: skip
    assert {flow(facts, key).name for key in flows(facts)} == {"sell", "buy"}
    (buy,) = (it for key in flows(facts) if (it := flow(facts, key)).name == "buy")
    assert buy.start == Spot("shop/__main__.py", "main")
    assert Spot("shop/buy.py", "buy") in [station.spot for station in buy.stations]


def done(station: Station) -> list[tuple[str, list[str]]]:
    return [(step.does, [end.name for end in step.handlers]) for step in station.steps if step.does]


def test_a_default_of_a_command_line_that_other_files_give_is_run() -> None:
    facts = facts_of({
        "shop/__init__.py": "",
        "shop/sell.py": "def add(parser):\n    parser.set_defaults(run=sell)\n\n"
        f"def sell(args):\n{BODY}",
        "shop/cli.py": "def main(args, till):\n    args.run(args)\n    till.run()\n",
    })  # fmt: skip
    assert done(station_of(facts, Spot("shop/cli.py", "main"))) == [
        ("runs the function of the command that is typed", ["sell"])
    ]


def test_a_field_that_is_made_in_one_of_two_ways_runs_the_method_of_one() -> None:
    facts = facts_of({
        "shop/till.rb": "module Shop\n  class Till\n    def initialize(args)\n"
        "      @way = args ? Cash.new : Card.new\n      @way = Cash.new if args\n"
        "      @way = Card.new\n      @other = Cash.new\n      @other = find(1)\n    end\n\n"
        "    def run\n      @way.pay\n      @other.pay\n    end\n  end\nend\n",
        "shop/cash.rb": "module Shop\n  class Cash\n    def pay; end\n  end\nend\n",
        "shop/card.rb": "module Shop\n  class Card\n    def pay; end\n  end\nend\n",
        "shop/box.py": "class A:\n    def open(self):\n        pass\n\nclass B(A):\n"
        "    def open(self):\n        pass\n\nclass Box:\n    def __init__(self, a):\n"
        "        if a:\n            self.it = A()\n        else:\n            self.it = B()\n\n"
        "    def run(self):\n        self.it.open()\n",
    })  # fmt: skip
    assert done(station_of(facts, Spot("shop/till.rb", "Shop.Till.run"))) == []
    assert done(station_of(facts, Spot("shop/box.py", "Box.run"))) == [
        ("runs one of these", ["A.open", "B.open"])
    ]


def test_a_function_that_is_only_compared_is_not_passed_on() -> None:
    facts = facts_of({
        "a.ts": "import { pay, other } from './b';\n\nexport function till(by) {\n"
        "  if (by === pay) {\n    open(other);\n  }\n}\n",
        "b.ts": "".join(f"export function {it}() {{\n  return 1;\n}}\n" for it in ("pay", "other")),
    })  # fmt: skip
    steps_of = station_of(facts, Spot("a.ts", "till")).steps
    assert [step.end.name for step in steps_of] == ["other"]
