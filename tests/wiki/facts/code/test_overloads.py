"""Which of several methods of one name a call in Java leads to."""

from __future__ import annotations

from stationmaster.wiki.facts.code.stations import station_of
from stationmaster.wiki.facts.model import Spot
from tests.wiki.commits import facts_of

STORE = """\
package shop;
public interface Store {
    default void kind(Kind kind) {
        put(kind.name());
    }

    default Kind kind() {
        return Kind.of(name());
    }

    void put(String name);
    void put(String name, int count);
    void mix(String name);
    void mix(Kind kind);
    void of(Kind kind, int count);
    void of(Class<?> type, int count);
    void log(String first, Object... others);
    String name();
}
"""
ROW = """\
package shop;
public record Row(Kind kind, String name) implements Store {
    public void put(String name) {
        log(name, name, name);
    }

    public void put(String name, int count) {
        log();
    }
}
"""
KIND = "package shop;\npublic class Kind {\n    static Kind of(String name) { return null; }\n}\n"


def ends_of(method: str, use: str = "") -> list[list[str]]:
    """Where each call of a method leads; `use` is the body of `Use.run`."""
    body = f"package shop;\nclass Use {{\n    void run(Store store, Row row) {{\n{use}\n}}\n}}\n"
    folder = "src/shop"
    facts = facts_of({
        f"{folder}/Store.java": STORE, f"{folder}/Row.java": ROW, f"{folder}/Kind.java": KIND,
        f"{folder}/Use.java": body,
    })  # fmt: skip
    spot = Spot(f"{folder}/{method.partition('.')[0]}.java", method)
    return [[end.name for end in step.ends] for step in station_of(facts, spot).steps]


def test_a_call_leads_to_the_overload_that_takes_as_many_arguments_and_what_stands_for_it() -> None:
    assert ends_of("Use.run", "store.kind();\nstore.put(1);\nstore.put(1, 2);") == [
        ["Store.kind()"], ["Store.put(String)", "Row.put(String)"],
        ["Store.put(String, int)", "Row.put(String, int)"],
    ]  # fmt: skip


def test_a_call_that_could_mean_several_overloads_or_takes_too_much_leads_nowhere() -> None:
    assert ends_of("Use.run", "store.mix(it); store.name(1); this.run(store); run();") == []


def test_literals_tell_which_of_several_overloads_is_meant() -> None:
    assert ends_of("Use.run", "store.mix(\"a\");\nstore.of(Row.class, 1);\nstore.of(it, 1);") == [
        ["Store.mix(String)"], ["Store.of(Class, int)"],
    ]  # fmt: skip


def test_an_overload_has_the_calls_in_its_own_body_alone() -> None:
    assert ends_of("Store.kind(Kind)") == [["Store.put(String)", "Row.put(String)"]]
    assert ends_of("Store.kind()") == [["Store.name"], ["Kind.of"]]


def test_what_reads_a_part_of_a_record_is_not_the_method_that_it_inherits() -> None:
    assert ends_of("Use.run", "row.kind(); row.name(); row.kind(null);") == [["Store.kind(Kind)"]]


def test_a_method_may_take_any_number_of_arguments_behind_those_that_it_names() -> None:
    assert ends_of("Row.put(String)") == [["Store.log"]]
    assert ends_of("Row.put(String, int)") == []


def test_of_methods_of_c_sharp_with_one_name_the_number_of_arguments_decides_or_nothing() -> None:
    facts = facts_of({
        "Log.cs": "class Log {\n"
        "    void Add(string text) {\n        Write(text, 1);\n        Write(text);\n"
        "        Put(text);\n        Put(text, 1, 2, 3);\n    }\n"
        "    void Write(string text, int level) {\n        a(); b(); c();\n        d();\n    }\n"
        "    void Write(string text) { }\n"
        "    void Put(string text) {\n        a(); b(); c();\n        d();\n    }\n"
        "    void Put(object text) { }\n"
        "}\n",
    })  # fmt: skip
    steps = station_of(facts, Spot("Log.cs", "Log.Add")).steps
    assert [(it.line, it.end.name) for it in steps] == [(3, "Log.Write")]


def test_of_several_implementations_in_dotnet_the_one_that_is_registered_is_followed() -> None:
    store = "class {0} : IStore {{\n    public void Put(int a) {{\n        x();\n    }}\n}}\n"
    facts = facts_of({
        "Api.cs": "class Api {\n    IStore store;\n    void Post() {\n"
        "        store.Put(1);\n    }\n}\n",
        "IStore.cs": "interface IStore {\n    void Put(int a);\n}\n",
        "A.cs": store.format("A"), "B.cs": store.format("B"),
        "Setup.cs": "class Setup {\n    void Add(IServiceCollection all) {\n"
        "        all.AddSingleton<IStore, B>();\n    }\n}\n",
    })  # fmt: skip
    (step,) = station_of(facts, Spot("Api.cs", "Api.Post")).steps
    assert (step.is_certain, step.end) == (True, Spot("B.cs", "B.Put"))
