"""Which files are workflows of a repository, and what is told of those that only look like it."""

from __future__ import annotations

import pytest

from stationmaster.pipelines.scan import WORKFLOWS_MAX, scan
from stationmaster.repos.files import Files
from tests.pipelines.providers.support import Commit, found, ignored

WORKFLOW = "on: push\njobs: {a: {runs-on: x}}\n"
SOURCE = "---\non: push\nengine: copilot\n---\nDo it.\n"


def reason(path: str, text: str = WORKFLOW) -> str:
    """Why a file is told as ignored; the only thing that is told."""
    found = scan(Files(Commit({path: text})))
    assert found.workflows == []
    return found.ignored[0].reason


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("vendor/lib/.drone.yml", "at the root of a repository alone"),
        ("pkg/testdata/.github/workflows/a.yml", "at the root of a repository alone"),
        ("{{cookiecutter.name}}/.gitlab-ci.yml", "at the root of a repository alone"),
        ("docs/.woodpecker/test.yaml", "at the root of a repository alone"),
        (".github/workflows/old/a.yml", "in the folder itself"),
        (".github/workflow/a.yml", "is called `workflows`"),
        (".gitlab-ci.yaml", "reads .gitlab-ci.yml"),
        (".GitHub/Workflows/a.yml", "spelled differently"),
        ("workflow-templates/a.yml", "properties file"),
    ],
)
def test_what_only_looks_like_a_workflow_is_told_with_the_reason(path: str, why: str) -> None:
    assert why in reason(path)


def test_a_file_that_says_nothing_is_no_workflow() -> None:
    assert "it is empty" in reason(".github/workflows/a.yml", "# on: push\n")


def test_an_agentic_workflow_is_its_compiled_file_and_texts_beside_workflows_are_none() -> None:
    folder = ".github/workflows"
    files = {
        f"{folder}/README.md": "# Workflows\n",
        f"{folder}/doctor.md": SOURCE,
        f"{folder}/doctor.lock.yml": f"# gh-aw-metadata: {{}}\n{WORKFLOW}",
        f"{folder}/lost.md": SOURCE,
    }

    assert [each.path for each in found(files)] == [f"{folder}/doctor.lock.yml"]
    assert ignored(files) == [f"{folder}/lost.md"]


def test_templates_for_other_repositories_are_told_as_such() -> None:
    files = {"workflow-templates/ci.yml": WORKFLOW, "workflow-templates/ci.properties.json": "{}"}

    assert [each.facts.kind for each in found(files)] == ["template"]


def test_other_files_are_not_told_at_all() -> None:
    files = {"README.md": "", "src/a.yml": "a: b\n", "docs/.hidden/x.yml": "", "Makefile": ""}

    assert (found(files), ignored(files)) == ([], [])


def test_workflows_beyond_the_most_that_are_read_are_told_as_ignored() -> None:
    files = {f".github/workflows/{n:04}.yml": WORKFLOW for n in range(WORKFLOWS_MAX + 2)}

    assert len(found(files)) == WORKFLOWS_MAX
    assert ignored(files) == [f".github/workflows/{WORKFLOWS_MAX + n:04}.yml" for n in range(2)]


def test_services_that_speak_the_language_of_github_have_folders_of_their_own() -> None:
    files = {f".{name}/workflows/ci.yml": WORKFLOW for name in ("forgejo", "gitea", "github")}

    assert [each.provider for each in found(files)] == [
        "forgejo-actions",
        "gitea-actions",
        "github-actions",
    ]


def test_what_the_owner_of_a_repository_made_is_first_party() -> None:
    text = "on: push\njobs: {a: {steps: [{uses: Acme/x@v1}, {uses: other/x@v1}]}}\n"
    pipelines = scan(Files(Commit({".github/workflows/a.yml": text})), "acme")

    uses = pipelines.workflows[0].facts.uses
    assert [(each.reference, each.first_party) for each in uses] == [
        ("Acme/x@v1", True),
        ("other/x@v1", False),
    ]
