"""Keys that files for one profile or environment set."""

from __future__ import annotations

from stationmaster.wiki.facts.interfaces.settings import settings
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
        "till.key": (True, "Only set in the files for prod."),
        "till.rows": (False, "Also set in the files for prod."),
    }
