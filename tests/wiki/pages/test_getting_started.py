from stationmaster.wiki.pages.getting_started import plan
from tests.wiki.commits import facts_of, written
from tests.wiki.pages.shops import pages

CONTENTS = {
    "go.mod": "module example.com/shop\n\ngo 1.22\n",
    "Makefile": "build:\n\tgo build ./...\n\ntest:\n\tgo test ./...\n\nlint:\n\tgo vet ./...\n",
    "README.md": "# Shop\n\n```sh\ngo run ./cmd/shop\n```\n",
    ".env.example": "PASSWORD=hunter2hunter2\n",
    "web/package.json": '{"scripts": {"dev": "vite", "build": "vite build"}}',
}


def page(contents: dict[str, str]) -> str:
    facts = facts_of(contents)
    (planned,) = plan(facts)
    return written(facts, planned.write, planned.subject, planned.key)


def test_a_newcomer_reads_versions_and_one_command_a_step() -> None:
    told = page(CONTENTS)
    assert (
        "To work on it you need Go `1.22`. `make build` builds it, `go run ./cmd/shop` starts it,"
        " and `make test` runs the tests." in told
    )
    assert "## Build\n\n```sh\nmake build\n```\n\nTask: [`Makefile:2`]" in told
    assert "It runs `go build ./...`." in told


def test_examples_of_settings_are_named_and_none_of_their_values() -> None:
    told = page(CONTENTS)
    assert "[`.env.example`](source:.env.example)" in told
    assert "hunter2" not in told


def test_folders_with_commands_of_their_own_have_a_row_each() -> None:
    assert "| `web` | `npm run build` | `npm run dev` |" in page(CONTENTS)


def test_every_command_on_the_page_stands_in_the_repository() -> None:
    told = page(CONTENTS)
    blocks = [block.split("\n")[1] for block in told.split("```sh")[1:]]
    assert blocks == ["make build", "go run ./cmd/shop", "make test", "make lint"]


def test_one_command_or_one_version_is_enough_for_the_page() -> None:
    assert "Go `1.22`" in page({"go.mod": "module example.com/x\n\ngo 1.22\n"})
    assert "make test" in page({"Makefile": "test:\n\tgo test ./...\n"})


def test_a_repository_that_says_nothing_of_it_gets_no_such_page() -> None:
    assert list(plan(facts_of({"main.c": "int main(void) { return 0; }\n"}))) == []


def test_what_the_readme_says_of_beginning_is_quoted_and_no_unknown_script_is_offered() -> None:
    readme = (
        "# Shop\n\nSells things to people.\n\n## Installation\n\nIt is put into a folder of its "
        "own, by this command, and then started:\n\n```sh\nnpm install\nnpm start\n```\n"
    )
    manifest = '{"name": "shop", "scripts": {"test": "mocha"}, "devDependencies": {"mocha": "1"}}'
    made = pages({"README.md": readme, "package.json": manifest, "index.js": "exports.x = 1\n"})
    started = made["getting-started"]
    assert "### Installation\n\n> It is put into a folder of its own" in started
    assert "[`README.md:5-" in started
    assert "## Run" not in started
    assert "`npm start` starts it" not in started
