"""Steps of contributors in the order of a document."""

from __future__ import annotations

import pytest

from stationmaster.wiki.facts.texts import stages
from tests.wiki.commits import facts_of

DOCUMENT = """\
# Contributing

## Local development

1. Clone it

   ```bash
   git clone https://example.org/shop.git
   cd shop
   ```

2. Install dependencies

   ```bash
   pnpm install
   ```

3. Set up the database

   ```bash
   docker compose up -d
   ```

   {words} make the tables:

   ```bash
   pnpm db:migrate
   ```

4. Start it

   ```bash
   pnpm dev
   ```
"""


@pytest.mark.parametrize(("words", "is_whole"), [("Next,", True), ("Or", False)])
def test_what_goes_on_with_a_point_of_a_list_is_typed_after_it_and_a_choice_is_not(
    words: str, is_whole: bool
) -> None:
    facts = facts_of({
        "CONTRIBUTING.md": DOCUMENT.format(words=words),
        "package.json": '{"scripts": {"dev": "next dev", "db:migrate": "prisma migrate dev"}}',
    })  # fmt: skip
    commands = ["pnpm install", "docker compose up -d", "pnpm db:migrate", "pnpm dev"]
    assert [it for it, _ in stages.recipe(facts)] == (commands if is_whole else [])
