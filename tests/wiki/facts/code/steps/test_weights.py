"""What says nothing of what the code is for: calls that only report, methods of any object."""

from __future__ import annotations

from stationmaster.wiki.facts.code.steps.weights import is_reporting, weight
from stationmaster.wiki.facts.model import Spot
from tests.wiki.commits import facts_of

EVENT = "def event_of(till):\n    fields = {'till': till}\n    return fields\n"
SALES = "\n\n".join(
    f"def sell{n}(till):\n    event_of(till)\n    total_of(till)\n" for n in range(4)
)
TOTAL = "def total_of(till):\n    total = sum(till)\n    return total\n"


def reports(path: str, name: str, files: dict[str, str]) -> bool:
    return is_reporting(facts_of(files), path, name)


def test_short_functions_of_a_file_of_logs_that_many_call_only_report() -> None:
    head = "from shop.log import event_of\nfrom shop.sums import total_of\n\n\n"
    files = {"shop/log.py": EVENT, "shop/sums.py": TOTAL, "shop/sales.py": head + SALES}
    assert reports("shop/log.py", "event_of", files)
    assert not reports("shop/sums.py", "total_of", files)


def test_a_long_function_of_such_a_file_does_work() -> None:
    head = "from shop.log import event_of, total_of\n\n\n"
    long = EVENT.replace("    return", "    a = 1\n" * 20 + "    return")
    files = {"shop/log.py": f"{long}\n\n{TOTAL}", "shop/sales.py": head + SALES}
    assert not reports("shop/log.py", "event_of", files)


def test_methods_of_any_object_do_no_work() -> None:
    body = 'String all = "Till";\n    all += coins;\n    all += notes;\n    return all;\n  }\n'
    text = "package shop;\npublic class Till {\n" + "".join(
        f"  public String {name}() {{\n    {body}" for name in ("toString", "receipt")
    )
    path = "src/main/java/shop/Till.java"
    facts = facts_of({path: text + "}\n"})
    assert weight(facts, Spot(path, "Till.toString")) == 0
    assert weight(facts, Spot(path, "Till.receipt")) > 0


def test_a_function_that_only_gives_or_sets_a_field_is_no_step() -> None:
    bodies = {
        "getCoins": "return $this->coins;",
        "setCoins": "$this->coins = $coins;",
        "count": "return $this->coins->count();",
    }
    text = "<?php\nnamespace Shop;\nclass Till\n{\n" + "".join(
        f"    public function {name}($coins)\n    {{\n        {body}\n    }}\n"
        for name, body in bodies.items()
    )
    facts = facts_of({"src/Till.php": text + "}\n"})
    shown = [name for name in bodies if weight(facts, Spot("src/Till.php", f"Till.{name}"))]
    assert shown == ["count"]
