"""Keys that shipped files set, for all or for one profile or environment, and their values."""

from __future__ import annotations

from stationmaster.wiki.facts.data import stores
from stationmaster.wiki.facts.interfaces.settings import active_profiles, settings
from tests.wiki.commits import facts_of


def test_a_key_that_profiles_alone_set_stays_required_and_says_so() -> None:
    facts = facts_of({
        "pom.xml": "<project/>",
        "src/main/resources/application.yml": "till:\n  rows: 1\n",
        "src/main/resources/application-prod.yml": "till:\n  rows: 2\n  key: a\n",
        "src/main/java/T.java": "import org.springframework.beans.factory.annotation.Value;\n"
        'class T { @Value("${till.key}") String key; @Value("${till.rows}") int rows; }\n',
    })  # fmt: skip
    assert {it.name: (it.is_required, it.doc) for it in settings(facts)} == {
        "till.key": (True, "Only set for prod."),
        "till.rows": (False, "Also set for prod."),
    }


def test_files_give_values_and_meanings_where_no_secret_can_be_in_them() -> None:
    facts = facts_of({
        "pom.xml": "<project/>",
        "src/main/resources/application.yml": "spring:\n  profiles:\n    active: ${PROFILE:dev}\n"
        "till:\n  # How many rows the till has.\n  rows: 4\n  #缓存存活时间\n  idleTime: 60\n\n"
        "  password: 123456\n  mail: ada@till.org\n  peer: http://10.1.2.3/\n"
        "  url: jdbc:x://${TILL_HOST:localhost}/a\n",
        "src/main/resources/application-dev.yml": "till:\n  token-time: 14400000\n  rows: 4\n",
        "src/main/resources/application-prod.yml": "till:\n  tokenTime: 7200000\n  rows: 9\n"
        "  desk: ${TILL_DESK:left}\n",
        "src/main/java/T.java": "import org.springframework.beans.factory.annotation.Value;\n"
        'class T { @Value("${till.token-time}") long t; @Value("${till.idle-time:5}") int i; }\n',
    })  # fmt: skip
    found = {it.name: it for it in settings(facts)}
    assert active_profiles(facts) == ("dev",)
    assert [value for value, _ in stores.profiles(facts)] == ["dev"]
    assert {name: it.values for name, it in found.items() if it.values} == {
        "till.idle-time": (("60", ()),),
        "till.rows": (("4", ()), ("9", ("prod",))),
        "till.token-time": (("14400000", ("dev",)), ("7200000", ("prod",))),
    }
    assert found["till.rows"].doc == "How many rows the till has."
    assert found["till.idle-time"].doc == "缓存存活时间"
    assert not found["till.token-time"].is_needed
    assert found["TILL_DESK"].doc == "Value of till.desk. Only read in the files for prod."


def test_profiles_of_one_file_are_told_apart() -> None:
    facts = facts_of({
        "pom.xml": "<project/>",
        "a/src/main/resources/application.properties": "server.port=1\ntill.rows=1\n"
        "%dev.till.rows=2\n",
        "c/src/main/resources/application.yml": "'%dev,test':\n  line:\n    rows: 5\n",
        "b/src/main/resources/application.yml": "server.port: 2\ndesk:\n  rows: 1\n---\n"
        "spring:\n  config:\n    activate:\n      on-profile: prod\ndesk:\n  rows: 3\n",
    })  # fmt: skip
    found = {it.name: it.values for it in settings(facts)}
    assert found["till.rows"] == (("1", ()), ("2", ("dev",)))
    assert found["server.port"] == ()
    assert found["line.rows"] == (("5", ("dev, test",)),)
    assert found["desk.rows"] == (("1", ()), ("3", ("prod",)))


def test_documents_of_one_file_may_be_for_several_profiles_also_in_properties() -> None:
    facts = facts_of({
        "pom.xml": "<project/>",
        "src/main/resources/application.yml": "till:\n  rows: 1\n---\nspring:\n  config:\n"
        "    activate:\n      on-profile: [dev, test]\ntill:\n  rows: 2\n",
        "desk/src/main/resources/application.properties": "desk.rows=1\n#---\n"
        "spring.config.activate.on-profile=dev,test\ndesk.rows=2\n",
    })  # fmt: skip
    found = {it.name: it.values for it in settings(facts)}
    assert found["till.rows"] == (("1", ()), ("2", ("dev, test",)))
    assert found["desk.rows"] == (("1", ()), ("2", ("dev, test",)))
