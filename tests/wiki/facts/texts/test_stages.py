"""Steps of contributors in the order of a document."""

from __future__ import annotations

import pytest

from stationmaster.wiki.facts.texts import stages
from stationmaster.wiki.facts.tooling import tasks
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


README = """\
# Shop

## Install

```sh
npm install -g shop
```

## Developer quickstart

1. Copy the settings: `cp .env.example .env`
2. Run `npm run services`
3. Run `npm run dev`
4. Want it even faster? Just use `npm run all`
"""


def test_the_steps_of_a_readme_on_work_are_those_of_contributors_where_no_guide_has_any() -> None:
    scripts = '{"scripts": {"dev": "x dev", "services": "docker compose up -d", "all": "x all"}}'
    contents = {"README.md": README, "package.json": scripts}
    typed = [it.text for it in stages.recipe(facts_of(contents))]
    assert typed == ["cp .env.example .env", "npm run services", "npm run dev"]
    contents["CONTRIBUTING.md"] = DOCUMENT.format(words="Next,")
    assert stages.recipe(facts_of(contents))[0].text == "pnpm install"


def test_a_guide_with_its_clone_its_settings_and_its_database_is_taken_as_a_whole() -> None:
    guide = (
        "# Contributing\n\n## Clone\n\nClone it:\n\n```\ngit clone https://example.com/till\n```\n\n"
        "Then bring the gems:\n\n```\nbundle install\n```\n\n## Configuration\n\nMake a key:\n\n"
        "```\nopenssl genrsa -out till.key\n```\n\n## Running\n\nRun `bin/dev`.\n\n"
        "## Database initialization\n\nMake the tables and a user:\n\n"
        "```\ntill initialize\ntill make-user\n```\n"
    )
    program = "#!/bin/sh\n"
    contents = {"CONTRIBUTING.md": guide, "Gemfile": "", "bin/till": program, "bin/dev": program}
    facts = facts_of(contents, name="till")
    assert [it.commands for it in stages.stages(facts)] == [
        ("git clone https://example.com/till",),
        ("bundle install",),
        ("openssl genrsa -out till.key",),
        ("bin/till initialize", "bin/till make-user"),
    ]
    assert [it.text for it in tasks.tasks(facts, "prepare")] == ["bin/till initialize"]


def test_steps_for_other_machines_are_none_and_a_number_in_a_sentence_stays() -> None:
    readme = """\
# Shop

## Building from source

Until [shop#12](https://example.org/shop/issues/1222) is solved, use the newest one:

```sh
git clone https://example.org/shop.git
cargo build
```

### Cross-compiling

1. Install what is needed: `cargo install cross`
2. Run `cross build --target arm`
"""
    facts = facts_of({"README.md": readme, "Cargo.toml": '[package]\nname = "shop"\n'})
    assert [stage.words for stage in stages.stages(facts)] == []
    passage_words = stages._plain(readme.split("\n")[4:5])
    assert passage_words == "Until shop#12 is solved, use the newest one:"
