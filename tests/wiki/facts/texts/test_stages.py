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
    assert [it for it, *_ in stages.recipe(facts)] == (commands if is_whole else [])


def test_steps_are_typed_in_their_folder_and_those_that_serve_at_the_end() -> None:
    document = (
        "# Set up\n\n## Development\n\n1. Run `pip install -r requirements.txt`.\n"
        "2. Start `python manage.py runserver`.\n3. Go to the `ui` and run `yarn install`.\n"
        "4. Run `yarn serve` in the `ui` folder.\n"
    )
    contents = {
        "docs/development.md": document,
        "manage.py": "import django\n",
        "requirements.txt": "",
        "ui/package.json": '{"scripts": {"dev": "vite", "build": "vite build"}}',
        "ui/yarn.lock": "",
    }
    assert [(it.text, it.goes_on) for it in stages.recipe(facts_of(contents))] == [
        ("pip install -r requirements.txt", False),
        ("(cd ui && yarn install)", False),
        ("python manage.py runserver", True),
        ("(cd ui && yarn dev)", True),
    ]
    contents["ui/package.json"] = '{"scripts": {"build": "vite build"}}'
    assert stages.recipe(facts_of(contents)) == ()
