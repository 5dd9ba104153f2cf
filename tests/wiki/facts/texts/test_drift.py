import pytest

from stationmaster.reading.code.model import Setting
from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.facts.texts import drift
from tests.wiki.commits import facts_of

TREE = {
    "package.json": '{"scripts": {"build": "tsc"}}',
    "Makefile": "test:\n\tgo test ./...\n",
    "scripts/run.py": "x = 1\n",
    "docs/setup.md": "# Setup\n",
    ".github/workflows/ci.yml": "on: push\njobs: {}\n",
    ".gitignore": "/docs/cli.md\n",
}


def told(readme: str, path: str = "README.md", **more: str) -> list[tuple[str, str, int | None]]:
    facts = facts_of({**TREE, **more, path: readme})
    return [(each.kind, each.name, each.place.line) for each in drift.drifts(facts)]


@pytest.mark.parametrize(
    ("readme", "kind", "said"),
    [
        ("See [it](docs/gone.md).", "link", "docs/gone.md"),
        ("![x](./docs/shot.png \"title\")", "link", "./docs/shot.png"),
        ("`npm run deploy`", "task", "npm run deploy"),
        ("```sh\nmake deploy\n```", "task", "make deploy"),
        ("```sh\n$ python scripts/gone.py --all\n```", "path", "scripts/gone.py"),
    ],
)  # fmt: skip
def test_what_a_document_names_and_the_commit_has_not_is_told(
    readme: str, kind: str, said: str
) -> None:
    ((found, words, _),) = told(f"# Shop\n\n{readme}\n")
    assert (found, words) == (kind, said)


@pytest.mark.parametrize(
    "readme",
    [
        "[a](docs/setup.md#top) [b](https://example.com/x.md) [c](/docs/gone.md) [d](#x)",
        "[a](docs/cli.md)",
        "[a](pages/gone.md)",
        "[a](../../issues)",
        "`[a](docs/gone.md)`",
        "```md\n[a](docs/gone.md)\n```",
        "`npm run build` `make test` `python scripts/run.py`",
        "`make it work` `npm run <script>` `bun run scripts/x.ts`",
        "```sh\npython scripts/my_script.py\npython app/gone.py\n```",
        "```python\nmake deploy\n```",
    ],
)
def test_look_alikes_are_no_findings(readme: str) -> None:
    assert told(f"# Shop\n\n{readme}\n") == []


def test_a_list_of_changes_and_a_tutorial_speak_of_other_times_and_projects() -> None:
    assert told("[a](docs/gone.md)", "CHANGELOG.md") == []
    assert told("`npm run deploy`", "docs/tutorial/one.md") == []


def test_targets_that_may_come_from_elsewhere_are_not_missed() -> None:
    assert told("`make deploy`", Makefile="include other.mk\ntest:\n\ttrue\n") == []
    assert told("`make deploy`", Makefile="deploy: $(MADE)\n\n$(MADE):\n\ttrue\n") == []
    assert told("`make deploy`", **{"configure.ac": ""}) == []


def _facts(read: list[str], named: list[str]) -> Facts:
    facts = facts_of({"a.py": "x = 1\n", ".env.example": "".join(f"{each}=\n" for each in named)})
    facts.code["a.py"].settings = tuple(Setting(each, "env", 1) for each in read)
    return facts


def test_variables_that_only_an_example_names_are_told_where_most_others_are_seen_read() -> None:
    names = [f"SHOP_{letter}" for letter in "ABCDEF"]
    found = drift.unread(_facts(names[:5], names))
    assert [name for name, _ in found] == ["SHOP_F"]
    assert drift.unread(_facts(names[:2], names)) == ()


def test_a_variable_that_a_server_is_configured_by_is_read() -> None:
    names = [f"SHOP_{letter}" for letter in "ABCDEFG"]
    code = "import os\n" + "".join(f"os.environ['{name}']\n" for name in names[:5])
    facts = facts_of({
        "shop.py": code, ".env.example": "".join(f"{name}=\n" for name in names),
        "docker/uwsgi.ini": "if-env = SHOP_F\n",
    })  # fmt: skip
    assert [name for name, _ in drift.unread(facts)] == ["SHOP_G"]


def test_a_variable_that_code_names_in_a_text_is_not_said_to_be_read_by_none() -> None:
    names = [f"SHOP_{letter}" for letter in "ABCDEFG"]
    code = "import os\n" + "".join(f"os.environ['{name}']\n" for name in names[:5])
    facts = facts_of({
        "shop.py": f"{code}ASKED = ('SHOP_F',)\n# SHOP_G\n",
        ".env.example": "".join(f"{name}=\n" for name in names),
    })  # fmt: skip
    assert [name for name, _ in drift.unread(facts)] == ["SHOP_G"]
