"""Pages on what users of a library call."""

from stationmaster.wiki.facts.code.flows import flows
from stationmaster.wiki.pages import concepts, index
from tests.wiki.commits import facts_of, written

BODY = "        a = 1\n        b = 2\n        return a + b\n"
OVENS = {
    "pyproject.toml": '[project]\nname = "ovens"\nversion = "1"\n'
    '[build-system]\nrequires = ["hatchling"]\n',
    "README.md": "```python\nfrom ovens import Oven\n\noven = Oven()\noven.bake('bread')\n```\n",
    "ovens/__init__.py": "class Oven:\n    def bake(self, dough):\n        self.one()\n"
    f"        self.two()\n        self.six()\n\n    def one(self):\n{BODY}\n"
    f"    def two(self):\n{BODY}\n    def six(self):\n{BODY}",
}


def test_the_page_says_where_documents_call_it() -> None:
    facts = facts_of(OVENS)
    (planned,) = (it for it in concepts.plan(facts) if it.key in flows(facts))
    assert planned.title == "How Oven.bake works"
    body = written(facts, planned.write, planned.subject, planned.key)
    assert "`Oven.bake` is what users of the library call, as in [`README.md:5`]" in body
    assert "### Step 1: `Oven.bake`" in body


def test_the_overview_begins_with_what_users_call() -> None:
    facts = facts_of(OVENS)
    facts.planned = {it.key: it.title for it in concepts.plan(facts)}
    (planned,) = index.plan(facts)
    assert "- What users call, step by step: [Oven.bake]" in written(facts, planned.write, None)
