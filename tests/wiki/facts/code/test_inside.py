"""What a module is said to hold."""

from __future__ import annotations

from stationmaster.wiki.facts.code.inside import kinds, largest
from stationmaster.wiki.facts.code.modules import module_names
from tests.wiki.commits import facts_of


def test_classes_that_the_names_of_their_files_tell_apart_are_not_named() -> None:
    long = "\n".join(f"    a{n} = {n}" for n in range(30))
    facts = facts_of({
        "shop/__init__.py": "", "shop/tills.py": "class Till:\n    pass\n",
        "shop/management/commands/count.py": f"class Command:\n{long}\n",
        "shop/migrations/0001_first.py": f"class Migration:\n{long}\n",
    })  # fmt: skip
    assert [name for it in module_names(facts) for name in largest(facts, it.key)] == ["Till"]


def test_a_few_types_are_named_and_not_counted_by_the_last_word() -> None:
    def of(*names: str) -> list[tuple[int, str]]:
        text = "\n\n".join(f"class {name}:\n    a = 1" for name in names)
        facts = facts_of({"shop/__init__.py": "", "shop/tills.py": f"{text}\n"})
        return [row for it in module_names(facts) for row in kinds(facts, it.key)]

    assert of("PageMatter", "SiteMatter", "RawMatter") == []
    assert of("PageView", "SiteView", "RawView", "TillView") == [(4, "views")]


def test_the_types_of_a_module_are_all_counted_and_those_of_any_program_named_last() -> None:
    events = "".join(f"public class {name}Event {{ }}\n" for name in "ABCDEFGHIJKL")
    facts = facts_of({
        "shop/Events.cs": events + "public class Till { }\npublic interface ITill { }\n",
        "shop/pay/Extensions.cs": "public class Extensions {\n    int a;\n    int b;\n}\n",
        "shop/pay/Pay.cs": "public class Pay { }\n",
    })  # fmt: skip
    (key,) = [it.key for it in module_names(facts)]
    assert largest(facts, key)[-1] == "Extensions"
    assert kinds(facts, key) == ((12, "events"), (4, "other types"))
