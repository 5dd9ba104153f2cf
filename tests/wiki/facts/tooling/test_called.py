"""What the commands to begin with need."""

from __future__ import annotations

from stationmaster.wiki.facts.tooling.called import siblings
from stationmaster.wiki.facts.tooling.named import Task
from stationmaster.wiki.text.inline import Place
from tests.wiki.commits import facts_of


def test_a_module_of_maven_without_a_manifest_needs_no_others() -> None:
    modules = "<modules><module>data</module><module>shop</module></modules>"
    facts = facts_of({"pom.xml": f"<project>{modules}</project>", "shop/A.java": "class A {}\n"})
    task = Task("mvn test", "shop", "", "", "document", Place("README.md", 1))
    assert siblings(facts, task) == ()
