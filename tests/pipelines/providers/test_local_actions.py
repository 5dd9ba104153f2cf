"""Actions of the repository itself are read for what they use, wherever workflows find them."""

from __future__ import annotations

import pytest

from stationmaster.pipelines.model import Finding, Found
from stationmaster.pipelines.scan import scan
from stationmaster.repos.files import Files
from tests.pipelines.providers.support import Commit

SHA = "0123456789012345678901234567890123456789"
HEAD = "on: push\npermissions: {}\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n"
ACTION = """name: Set up
runs:
  using: composite
  steps:
    - run: make
      shell: bash
    - name: Tool
      uses: evil/tool@main
"""


def pins(files: dict[str, str]) -> list[tuple[str, int, str, str]]:
    """The loose references that workflows and actions of a commit are told of."""
    read = scan(Files(Commit(files)))
    told: list[Finding] = [
        each
        for found in (*read.workflows, *read.actions)
        for each in found.facts.findings
        if each.rule in ("unpinned-third-party", "unpinned-image")
    ]
    return [(each.path, each.line, each.rule, each.evidence) for each in told]


def uses(reference: str) -> str:
    return f"{HEAD}      - uses: {reference}\n"


@pytest.mark.parametrize(
    ("path", "reference"),
    [
        (".github/actions/setup/action.yml", "./.github/actions/setup"),
        ("tools/setup/action.yaml", "./tools/setup/"),
        ("action.yml", "./"),
        ("action.yml", "$/"),
    ],
)
def test_what_a_called_action_uses_is_found_in_its_own_file(path: str, reference: str) -> None:
    files = {".github/workflows/a.yml": uses(reference), path: ACTION}
    assert pins(files) == [(path, 8, "unpinned-third-party", "evil/tool@main")]


def test_actions_that_actions_call_are_read_as_well() -> None:
    outer = ACTION.replace("evil/tool@main", "./.github/actions/inner")
    files = {
        ".github/workflows/a.yml": uses("./.github/actions/outer"),
        ".github/workflows/b.yml": uses("./.github/actions/inner"),
        ".github/actions/outer/action.yml": outer,
        ".github/actions/inner/action.yml": ACTION,
    }
    at = ".github/actions/inner/action.yml"
    assert pins(files) == [(at, 8, "unpinned-third-party", "evil/tool@main")]


@pytest.mark.parametrize("repository", ["", "          repository: ${{ github.repository }}\n"])
def test_an_action_of_a_checkout_in_a_subfolder_is_the_repository_s(repository: str) -> None:
    text = (
        f"{HEAD}      - uses: actions/checkout@{SHA}\n        with:\n          path: self\n"
        f"{repository}      - uses: ./self/.github/actions/setup\n"
    )
    files = {".github/workflows/a.yml": text, ".github/actions/setup/action.yml": ACTION}
    read = scan(Files(Commit(files))).workflows[0].facts
    assert [(each.location, each.resolved) for each in read.includes] == [
        (".github/actions/setup/action.yml", True)
    ]
    assert [each[:2] for each in pins(files)] == [(".github/actions/setup/action.yml", 8)]


def test_an_action_of_another_repository_s_checkout_is_not_in_the_commit() -> None:
    text = (
        f"{HEAD}      - uses: actions/checkout@{SHA}\n        with:\n          path: other\n"
        "          repository: acme/other\n      - uses: ./other/.github/actions/setup\n"
    )
    files = {".github/workflows/a.yml": text, ".github/actions/setup/action.yml": ACTION}
    read = scan(Files(Commit(files))).workflows[0].facts
    assert [each.resolved for each in read.includes] == [False]


def test_images_of_actions_are_found_where_they_are_written() -> None:
    files = {
        ".github/workflows/a.yml": f"{HEAD}      - uses: ./one\n      - uses: ./two\n",
        "one/action.yml": "runs:\n  using: docker\n  image: docker://acme/one:latest\n",
        "two/action.yml": "runs:\n  using: composite\n  steps:\n    - uses: docker://acme/two:1\n",
    }
    assert pins(files) == [
        ("one/action.yml", 3, "unpinned-image", "acme/one:latest"),
        ("two/action.yml", 4, "unpinned-image", "acme/two:1"),
    ]


def test_an_action_that_no_workflow_calls_is_reported_and_is_no_workflow() -> None:
    files = {
        ".github/workflows/a.yml": f"{HEAD}      - run: make\n",
        ".github/actions/spare/action.yml": ACTION,
        "tests/fixtures/x/action.yml": ACTION,
        "docs/action.yml": "title: no action\n",
    }
    read = scan(Files(Commit(files)))
    assert [each.path for each in read.workflows] == [".github/workflows/a.yml"]
    (spare,) = read.actions
    assert isinstance(spare, Found)
    assert (spare.path, spare.facts.kind, spare.facts.name) == (
        ".github/actions/spare/action.yml", "composite", "Set up"
    )  # fmt: skip
    assert [each.line for each in spare.facts.findings] == [8]


def test_a_repository_of_an_action_alone_is_read() -> None:
    assert [each[:2] for each in pins({"action.yml": ACTION})] == [("action.yml", 8)]


def test_references_of_a_workflow_do_not_count_those_of_its_actions() -> None:
    files = {".github/workflows/a.yml": uses("./x"), "x/action.yml": ACTION}
    read = scan(Files(Commit(files))).workflows[0].facts
    assert [each.reference for each in read.uses] == ["./x"]
    assert [each.reference for each in read.inner_uses] == ["evil/tool@main"]
