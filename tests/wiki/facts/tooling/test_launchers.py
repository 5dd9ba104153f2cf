"""Scripts at the root that do several tasks, and what starts the product or something else."""

from __future__ import annotations

import pytest

from stationmaster.wiki.facts.tooling import tasks
from tests.wiki.commits import facts_of
from tests.wiki.facts.tooling.test_tasks import all_of

SCRIPT = '#!/bin/sh\ncase "$1" in\n  build) cc -o x x.c;;\n  "lint") check;;\n  *) serve;;\nesac\n'


def typed(document: str, purpose: str, path: str = "README.md") -> list[str]:
    facts = facts_of({path: document, "till": SCRIPT, "x.c": "int main(void) { return 0; }\n"})
    return [it.text for it in tasks.tasks(facts, purpose)]


@pytest.mark.parametrize(
    "path", ["AGENTS.md", "CONTRIBUTING.md", ".github/copilot-instructions.md"]
)
def test_an_action_of_a_script_that_documents_type_is_for_what_it_is_called(path: str) -> None:
    block = "# Work\n\n```sh\n./till build   # All of it\n./till lint\n./till test\n```\n"
    assert typed(block, "build", path) == ["./till build"]
    assert typed(block, "lint", path) == ["./till lint"]
    assert typed(block, "test", path) == []  # The script has no such action.


def test_a_script_without_an_action_starts_the_product_where_the_document_states_so() -> None:
    listed = "# Till\n\n## From source\n\nYou can run it with:\n\n* `./till` on Linux\n"
    assert typed(listed, "run") == ["./till"]
    block = "# Till\n\n## Running\n\n```sh\n# Everywhere else\n./till\n```\n"
    assert typed(block, "run", "AGENTS.md") == ["./till"]
    assert typed("# Till\n\n## Files\n\n* `./till` is a script.\n", "run") == []


def test_what_measures_the_product_does_not_start_it() -> None:
    document = "# Measure\n\n```sh\njava -jar benchmark/target/bench.jar -l\n```\n"
    contents = {"benchmark/README.md": document, "benchmark/pom.xml": "<project/>", "A.java": ""}
    assert tasks.tasks(facts_of(contents), "run") == ()


def test_services_for_tests_alone_are_not_started_before_the_product() -> None:
    compose = {"docker-compose.yml": "services:\n  db:\n    image: postgres\n"}
    document = "# Work\n\n## {}\n\n1. `docker compose up -d` starts the container\n"
    for title, services in (("Running the end-to-end tests", 0), ("Running it", 1)):
        facts = facts_of({**compose, "CONTRIBUTING.md": document.format(title)})
        assert len(tasks.tasks(facts, "services")) == services


def test_what_hatch_test_runs_starts_no_product_and_an_own_program_in_its_environment_does() -> (
    None
):
    contents = {
        "pyproject.toml": "[project]\nname = 'locust'\n[tool.hatch.envs.hatch-test.scripts]\n"
        "run = ['pytest']\n[tool.hatch.envs.test.scripts]\nall = ['pytest', 'bash -ec x']\n",
        "AGENTS.md": "# Work\n\n```sh\nuv run locust\n```\n",
        "a.py": "",
    }
    assert all_of(contents, "run") == ["uv run locust"]
    assert all_of(contents, "test") == ["hatch run test:all"]
    assert all_of(contents, "build") == []


def test_examples_are_started_after_the_program_with_its_variables() -> None:
    readme = "# Tea\n\n## Running from source\n\n```\n{}\n```\n\n```\n{}\n```\n"
    server = "LOG=debug cargo run --bin server"
    contents = {
        "README.md": readme.format("cargo run --example hello", server),
        "Cargo.toml": "[package]\nname = 'tea'\n",
        "src/bin/server.rs": "fn main() {}\n",
    }
    assert all_of(contents, "run")[:2] == [server, "cargo run --example hello"]
