"""Whoever asks a generated wiki in their own words finds the page that answers."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import dedent

from stationmaster.db.engine import Database
from stationmaster.wiki.making.generate import write
from stationmaster.wiki.making.memo import Nothing
from stationmaster.wiki.searching import asking
from tests.support.builders import an_organization
from tests.wiki.commits import facts_of
from tests.wiki.truth.trees import TREES
from tests.wiki.wikis import a_caller, a_run

FIRST = 3
SHARE_MIN = 0.85
QUESTIONS: Mapping[str, Mapping[str, str]] = {
    "fastapi": {
        "endpoints": "/api/v1/shops", "which settings are there": "SHOP_HOST",
        "environment variables": "API_TOKEN", "how do I close a shop": "close",
        "health check": "/healthz",
    },
    "django": {
        "urls": "/shop/orders", "tables": "Customer", "database models": "Order",
    },
    "spring": {
        "routes": "/owners", "entities": "pets", "configuration": "server.port",
    },
    "axum": {
        "http api": "/api/posts", "remove a post": "remove",
    },
}  # fmt: skip


def test_most_questions_lead_to_a_page_that_answers_among_the_first(db: Database) -> None:
    caller = a_caller(db, an_organization(db))
    missed, asked = [], 0
    for name, questions in QUESTIONS.items():
        files = {path: dedent(text).lstrip("\n") for path, text in TREES[name].files.items()}
        facts = facts_of(files, name)
        pages = {
            f"{each.key}.md": each.body for each in write(facts, facts.commit, Nothing()).pages
        }
        run = a_run(db, caller, pages)
        for question, answer in questions.items():
            asked += 1
            hits = asking.find(db, caller, run.run_id, question, FIRST)
            if not any(answer in pages[f"{each.path}.md"] for each in hits):
                missed.append((name, question, [each.path for each in hits]))
    assert asked - len(missed) >= SHARE_MIN * asked, missed


def test_a_word_is_found_by_others_that_ask_for_the_same(db: Database) -> None:
    caller = a_caller(db, an_organization(db))
    run = a_run(db, caller, {
        "api.md": "# HTTP API\n\nEach route has a handler.\n",
        "a.md": "# Pumps\n\nThe pump has an endpoint of its own.\n",
        "b.md": "# Valves\n\nNothing.\n",
    })  # fmt: skip

    hits = asking.find(db, caller, run.run_id, "endpoints", 5)

    assert {each.path for each in hits} == {"api", "a"}
