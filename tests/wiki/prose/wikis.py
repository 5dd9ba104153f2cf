"""A small shop whose wiki a model explains, and models that plan, write and judge."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache

from stationmaster.wiki.making.generate import Wiki, write
from stationmaster.wiki.making.memo import Nothing
from stationmaster.wiki.prose import writing
from stationmaster.wiki.prose.providers import Name
from stationmaster.wiki.prose.session import Limits
from stationmaster.wiki.prose.writing import Explained
from tests.wiki.commits import facts_of
from tests.wiki.prose.models import Asked, Says, Server, judged, said

LIMITS = Limits(10_000_000)
BOTH: list[Name] = ["openai", "anthropic"]
SHOP: Mapping[str, str] = {
    "README.md": "# Shop\n\nShop sells things to people who stand in a queue before its till.\n",
    "docs/payments.md": (
        "# Payments\n\nA payment is refused when the drawer is locked.\n"
        "Every payment is written to the ledger before the drawer opens.\n"
    ),
    "shop/till.py": (
        '"""The till."""\n\nfrom shop.ledger import record\n\n\nclass Till:\n'
        '    """Takes money and keeps it in a drawer."""\n\n'
        "    def pay(self, cents: int) -> bool:\n"
        '        """Take money, unless the drawer is locked."""\n'
        "        if self.is_locked:\n            return False\n"
        "        record(cents)\n        return True\n"
    ),
    "shop/ledger.py": (
        '"""The ledger."""\n\nROWS = []\n\n\ndef record(cents: int) -> None:\n'
        '    """Write a payment down."""\n    if cents:\n        ROWS.append(cents)\n'
    ),
}
TRUE = "A payment is refused when the drawer is locked."
FALSE = (
    "The drawer opens before the payment is written.",
    "A payment is refused when the ledger is full.",
    "The `record` function deletes every payment at night.",
    "The `Till` class sends each payment to a bank.",
    "Every payment is encrypted before the drawer opens.",
    "The drawer is locked after three payments.",
    "The ledger keeps the names of people who pay.",
    "The `pay` method returns the number of cents.",
)
"""What the lines do not say, in words that they have."""


class Slots(Nothing):
    """A memory without a file."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, ...], bytes] = {}

    def get(self, *words: str) -> bytes | None:
        return self.kept.get(words)

    def keep(self, told: bytes, *words: str) -> None:
        self.kept[words] = told


@cache
def shop() -> Wiki:
    return wiki_of(SHOP)


def wiki_of(files: Mapping[str, str]) -> Wiki:
    facts = facts_of(files, "shop")
    return write(facts, facts.commit, Nothing(), for_model=True)


async def at_once(_: float) -> None:
    """Wait for nothing."""


def explain(wiki: Wiki, server: Server, kept: Slots | None = None, limits: Limits = LIMITS,
            provider: Name = "openai") -> Explained:  # fmt: skip
    return writing.write(wiki, server.endpoint(provider), limits, kept or Slots(), sleep=at_once)


def planned(asked: Asked, pages: int = 1, sections: int = 1) -> Says:
    """Pages whose sections each read one thing of the outline, in its order."""
    ids = [each["id"] for each in asked.data["outline"]]
    made = [
        {"title": f"Part {page}", "about": "What it does", "sections": [
            {"title": f"Section {page} {at}", "about": "How does it work?",
             "reads": [ids[(page + at) % len(ids)]]}
            for at in range(sections)
        ]}
        for page in range(pages)
    ]  # fmt: skip
    return Says(json.dumps({"pages": made}))


def about_payments(asked: Asked) -> Says:
    """One page that reads the document on payments."""
    ids = [each["id"] for each in asked.data["outline"] if each["path"] == "docs/payments.md"]
    section = {"title": "Refusing", "about": "When is a payment refused?", "reads": ids}
    return Says(json.dumps({"pages": [{"title": "Payments", "sections": [section]}]}))


def line_with(asked: Asked, words: str) -> str:
    """The id of the line with these words, else of the first."""
    lines = asked.data["lines"]
    return str(next((each["id"] for each in lines if words in each["text"]), lines[0]["id"]))


def honest(asked: Asked) -> Says:
    """Copies the first line with enough words as a sentence."""
    for each in asked.data["lines"]:
        if len(each["text"].split()) > 5 and each["text"].endswith("."):
            return said((each["text"].strip(' "'), [each["id"]]))
    return said()


def model(
    write: Callable[[Asked], Says] = honest,
    plan: Callable[[Asked], Says] = about_payments,
    judge: Callable[[Asked], Says] = judged,
) -> Callable[[Asked], Says]:
    """What answers each of the three questions by what it is given."""

    def answer(asked: Asked) -> Says:
        if "outline" in asked.data:
            return plan(asked)
        return judge(asked) if "sentences" in asked.data else write(asked)

    return answer
