"""Where calls on objects of declared and made types lead."""

from __future__ import annotations

from stationmaster.wiki.facts.code.stations import station_of, uncertain_calls
from stationmaster.wiki.facts.model import Spot
from tests.wiki.commits import facts_of


def test_a_field_that_is_a_parameter_or_made_is_of_the_type_that_is_made() -> None:
    facts = facts_of({
        "a.py": "from b import Till\n\nclass Shop:\n    def __init__(self, till=None):\n"
        "        self.till = till or Till()\n\n    def open(self):\n        self.till.open()\n",
        "b.py": "class Till:\n    def open(self):\n        a = 1\n        return a\n",
    })  # fmt: skip
    (step,) = station_of(facts, Spot("a.py", "Shop.open")).steps
    assert step.end == Spot("b.py", "Till.open")


def test_a_call_of_a_name_that_few_functions_have_or_of_itself_is_uncertain() -> None:
    facts = facts_of({
        "a.py": "class Pad:\n    def append(self):\n        return 1\n\n"
        "    def append_all(self):\n        return 1\n",
        "b.py": "class Other:\n    def append(self):\n        return 1\n\n"
        "def walk(pads):\n    for pad in pads:\n        pad.append()\n        pad.append_all()\n"
        "        walk(pad.inner)\n        pad.tear_off()\n        pad.get_name()\n",
        "c.py": "class One:\n    def tear_off(self):\n        return 1\n\n"
        "    def get_name(self):\n        return 1\n",
        "d.py": "class Two:\n    def tear_off(self):\n        return 1\n\n"
        "    def get_name(self):\n        return 1\n",
    })  # fmt: skip
    assert uncertain_calls(facts, "b.py", "walk") == (8, 9, 10)


def test_a_function_leads_to_the_method_of_an_instance_and_not_to_what_gives_the_instance() -> None:
    facts = facts_of({
        "Stock.php": "<?php\nclass Stock\n{\n    public static function GetInstance()\n    {\n"
        "        return self::$one ??= new self();\n    }\n    public function take()\n    {\n"
        "        return 1;\n    }\n}\n",
        "Api.php": "<?php\nclass Api\n{\n    public function post()\n    {\n"
        "        Stock::GetInstance()->take();\n    }\n    public function warm()\n    {\n"
        "        Stock::GetInstance();\n    }\n}\n",
    })  # fmt: skip
    steps = {name: station_of(facts, Spot("Api.php", f"Api.{name}")).steps
             for name in ("post", "warm")}  # fmt: skip
    assert {name: [it.end.name for it in some] for name, some in steps.items()} == {
        "post": ["Stock.take"],
        "warm": ["Stock.GetInstance"],
    }
