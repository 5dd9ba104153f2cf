import pytest

from stationmaster.wiki.log import Log
from stationmaster.wiki.pages import agent_guide, cleanup, history, hotspots
from tests.wiki.commits import facts_of, written
from tests.wiki.facts.test_spots import CONTENTS, log

MODULES = (history, hotspots, cleanup, agent_guide)
TARGETS = ("build", "test", "lint", "format", "run")
MORE = {
    "Makefile": "".join(f"{each}:\n\ttrue\n\n" for each in TARGETS),
    "ruff.toml": "",
    "CLAUDE.md": "Be kind. " * 40,
    "tests/test_more.py": "# TODO: one\n# TODO: two\n",
}


def pages(contents: dict[str, str], read: Log) -> dict[str, str]:
    facts = facts_of(contents)
    facts.raw.log = read
    planned = [page for module in MODULES for page in module.plan(facts)]
    return {each.key: written(facts, each.write, each.subject, each.key) for each in planned}


@pytest.fixture(scope="module")
def told() -> dict[str, str]:
    return pages({**CONTENTS, **MORE}, log(400))


def test_the_log_is_counted_and_nobody_is_named(told: dict[str, str]) -> None:
    page = told["history"]
    assert "From 1970-01-02 to 1971-02-05 there were 400 commits that are no merges" in page
    assert "Earlier ones were not read." in page
    assert "xychart-beta" in page


def test_few_commits_make_no_history() -> None:
    assert set(pages(CONTENTS, log(20))) <= {"cleanup", "agent-guide"}


def test_remarks_and_large_files_are_listed_and_unused_files_are_candidates(
    told: dict[str, str],
) -> None:
    page = told["cleanup"]
    assert "| `TODO` | `less of it` | [`shop/start.py:22`]" in page
    assert "| [`shop/cart/big.py`](source:shop/cart/big.py) | 1202 |" in page
    assert "## Candidates for files without a use" in page


def test_the_guide_for_agents_has_commands_a_map_and_conventions(told: dict[str, str]) -> None:
    page = told["agent-guide"]
    assert "| Test | `make test` |" in page
    assert "| cart | `shop/cart` | 23 |" in page
    assert "The project's own instructions for agents: [`CLAUDE.md`]" in page
    assert "Be kind" not in page


def test_the_guide_for_agents_stays_short_however_large_the_repository_is() -> None:
    many = {
        f"{'deep/' * 8}area{n:03}-with-a-long-name/part/m{k}.py": "def f():\n    return 1\n" * 200
        for n in range(60)
        for k in range(3)
    }
    page = pages({**many, **MORE}, log(0))["agent-guide"]
    assert len(page.encode()) < agent_guide.BYTES_MAX
