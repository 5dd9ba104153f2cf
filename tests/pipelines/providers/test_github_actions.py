from __future__ import annotations

from pathlib import Path

import pytest

from stationmaster.pipelines.model import READ, Job, Parse, Place, Schedule
from stationmaster.pipelines.scanning.model import Author
from tests.pipelines.scanning.support import only, scanned

JOBS = "jobs:\n  a:\n    runs-on: ubuntu-latest\n    steps: [{run: make}]\n"
FOLDER = ".github/workflows"


def test_a_workflow_is_told_with_everything_that_stands_in_it(tmp_path: Path) -> None:
    found = only(
        tmp_path,
        """
name: Build and test
on:
  push: {branches: [main]}
  pull_request:
  schedule:
    - cron: '30 5 * * 1'
    - cron: "0 7 * * *"
      timezone: Europe/Berlin
jobs:
  lint:
    name: Lint it
    runs-on: [self-hosted, linux]
    timeout-minutes: 10
    steps: [{uses: actions/checkout@v5}]
  test:
    needs: lint
    runs-on: {group: big, labels: [arm]}
    container: {image: "python:3.13"}
    timeout-minutes: ${{ inputs.minutes }}
    steps: [{run: make test}]
  deploy:
    needs: [lint, test]
    uses: acme/shared/.github/workflows/deploy.yml@v1
""",
    )

    assert (found.provider, found.file_path) == ("github-actions", f"{FOLDER}/ci.yml")
    assert found.workflow_name == "Build and test"
    assert found.trigger_events == ["push", "pull_request", "schedule"]
    assert found.schedule_cron == "30 5 * * 1"
    assert found.schedules == [
        Schedule("30 5 * * 1", place=Place(7, 13)),
        Schedule("0 7 * * *", "Europe/Berlin", place=Place(8, 13)),
    ]
    assert found.jobs == [
        Job(
            "lint", [], ["self-hosted", "linux"], [],
            name="Lint it", timeout_minutes=10, step_count=1, place=Place(11, 3),
        ),
        Job(
            "test", ["lint"], ["big", "arm"], [],
            image="python:3.13", step_count=1, place=Place(16, 3),
        ),
        Job(
            "deploy", ["lint", "test"], [], [],
            uses="acme/shared/.github/workflows/deploy.yml@v1", place=Place(22, 3),
        ),
    ]  # fmt: skip
    assert found.parse == READ
    assert found.authored_by == Author("Ada")
    assert found.url == f"https://github.com/acme/shop/blob/main/{FOLDER}/ci.yml"
    assert (len(found.file_sha), len(found.commit_hash)) == (40, 40)
    assert (found.agents, found.agent_inputs, found.template_id) == ([], None, None)


@pytest.mark.parametrize(
    ("on", "events"),
    [
        ("on: push", ["push"]),
        ("on: [push, pull_request]", ["push", "pull_request"]),
        ('"on": {workflow_run: {}}', ["workflow_run"]),
        ("on:\n  push:\n  workflow_call:\n", ["push", "workflow_call"]),
    ],
)
def test_every_form_of_the_events_is_understood(tmp_path: Path, on: str, events: list[str]) -> None:
    assert only(tmp_path, f"{on}\n{JOBS}").trigger_events == events


def test_a_workflow_without_a_name_goes_by_its_path(tmp_path: Path) -> None:
    assert only(tmp_path, f"on: push\n{JOBS}").workflow_name == f"{FOLDER}/ci.yml"


def test_only_yaml_files_of_the_folder_itself_are_workflows_in_the_order_of_paths(
    tmp_path: Path,
) -> None:
    content = f"on: push\n{JOBS}"
    paths = [
        f"{FOLDER}/z.yml",
        f"{FOLDER}/a.yaml",
        f"{FOLDER}/README.md",
        f"{FOLDER}/old/b.yml",
        f"{FOLDER}/script.sh",
        f"{FOLDER}/upper.YML",
        f"vendor/lib/{FOLDER}/c.yml",
        ".github/dependabot.yml",
        ".GitHub/workflows/d.yml",
    ]

    found = scanned(
        tmp_path,
        {
            **dict.fromkeys(paths, content),
            f"{FOLDER}/link.yml": ("120000", "z.yml"),
            f"{FOLDER}/empty.yml": "",
            f"{FOLDER}/notes.yml": "# on: push\n# jobs: {}\n",
        },
    )

    assert [each.file_path for each in found] == [f"{FOLDER}/a.yaml", f"{FOLDER}/z.yml"]


@pytest.mark.parametrize(
    ("content", "state", "error", "line"),
    [
        ("on: [push\njobs: {}\n", "error", "did not find", 2),
        ("just text\n", "error", "a workflow is a mapping", 1),
        (f"on: push\non: pull_request\n{JOBS}", "partial", "'on' is a duplicate", 2),
        (JOBS, "partial", "no event", None),
        ("on: push\n", "partial", "no jobs", None),
        (f"on: push\n{JOBS}---\na: b\n", "partial", "first of its documents", None),
        (b"on: push\nname: Pr\xfcfung\n" + JOBS.encode(), "partial", "not UTF-8", 2),
        (
            "on: push\njobs:\n" + "".join(f"  j{n}: {{}}\n" for n in range(501)),
            "partial",
            "more than 500 jobs",
            None,
        ),
    ],
)
def test_what_does_not_parse_is_a_workflow_that_says_why_and_where(
    tmp_path: Path, content: str | bytes, state: str, error: str, line: int | None
) -> None:
    good = {f"{FOLDER}/good.yml": f"on: push\n{JOBS}"}

    broken, other = scanned(tmp_path, {f"{FOLDER}/bad.yml": content, **good})

    assert broken.file_path == f"{FOLDER}/bad.yml"
    assert (broken.parse.state, broken.parse.line) == (state, line)
    assert error in (broken.parse.error or "")
    assert other.parse == READ


def test_a_file_that_is_too_large_is_told_and_not_read(tmp_path: Path) -> None:
    found = only(tmp_path, b"#" * (4 * 2**20 + 1))

    assert found.parse == Parse("error", "the file is larger than 4194304 bytes")


def test_texts_are_cut_and_lose_what_a_terminal_would_obey(tmp_path: Path) -> None:
    found = only(tmp_path, f'name: "\\e[31mred\\0\\n {"x" * 500}"\non: push\n{JOBS}')

    assert found.workflow_name.startswith("[31mred x")
    assert len(found.workflow_name) == 200
    assert found.workflow_name.endswith("…")


def test_anchors_and_aliases_are_read(tmp_path: Path) -> None:
    found = only(
        tmp_path,
        "on: &events [push]\njobs:\n  a: &job {runs-on: x, steps: [{run: claude -p hi}]}\n"
        "  b: *job\n",
    )

    assert [(job.id, job.runs_on, job.agents) for job in found.jobs] == [
        ("a", ["x"], ["claude-code"]),
        ("b", ["x"], ["claude-code"]),
    ]


class TestAgents:
    def test_are_found_by_action_with_its_inputs(self, tmp_path: Path) -> None:
        found = only(
            tmp_path,
            """
name: Assistant
on: issue_comment
jobs:
  help:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v5
      - uses: anthropics/claude-code-action@v1
        with:
          model: some-model
          prompt: |
            Look at this.
            Then fix it.
          api_key: abcdefghijkl
          github_token: ${{ secrets.GITHUB_TOKEN }}
          settings: "uses sk-abcdefghijklmnop123456 inside"
          remote: https://ada:hunter2@git.example.com/
          verbose: true
          long: """
            + "word " * 100
            + "\n",
        )

        assert found.agents == ["claude-code"]
        assert found.jobs[0].agents == ["claude-code"]
        inputs = found.agent_inputs or {}
        assert inputs.pop("long").endswith("word…")
        assert inputs == {
            "model": "some-model",
            "prompt": "Look at this. Then fix it.",
            "api_key": "***",
            "github_token": "${{ secrets.GITHUB_TOKEN }}",
            "settings": "***",
            "remote": "***",
            "verbose": "true",
        }

    @pytest.mark.parametrize(
        ("step", "model"),
        [
            ("{uses: Factory-AI/droid-action@v1, with: {review_model: fast}}", "fast"),
            ("{uses: google-github-actions/run-gemini-cli@v1, with: {gemini_model: pro}}", "pro"),
            ("{uses: anthropics/claude-code-action@v1, with: {claude_args: --model m1}}", "m1"),
            ("{uses: openai/codex-action@v1, with: {codex-args: -m=m2, model: ''}}", "m2"),
            ("{uses: openai/codex-action@v1, with: {model: m3, review_model: m4}}", "m3"),
            ("{run: 'claude -p hello --model m5 && other --model m6'}", "m5"),
            ("{run: 'aider -m \"fix the bug\"'}", None),
            ("{run: 'codex exec hello'}", None),
        ],
    )
    def test_their_model_is_among_their_inputs_however_it_is_spelled(
        self, tmp_path: Path, step: str, model: str | None
    ) -> None:
        text = f"on: push\njobs:\n  a:\n    steps:\n      - {step}\n"

        (found,) = scanned(tmp_path, {f"{FOLDER}/ci.yml": text})

        assert (found.agent_inputs or {}).get("model") == model

    def test_are_found_in_local_actions_and_called_workflows(self, tmp_path: Path) -> None:
        action = "runs: {using: composite, steps: [{uses: ./.github/actions/inner}]}\n"
        inner = "runs: {using: composite, steps: [{run: codex exec hello, shell: bash}]}\n"
        called = "on: workflow_call\njobs: {x: {steps: [{uses: openai/codex-action@v1}]}}\n"
        again = "on: push\njobs: {x: {uses: ./.github/workflows/again.yml}}\n"
        text = (
            "on: push\njobs:\n  a: {steps: [{uses: ./.github/actions/outer}]}\n"
            "  b: {uses: $/.github/workflows/called.yml}\n"
            "  c: {uses: ./.github/workflows/gone.yml}\n"
        )

        found = scanned(
            tmp_path,
            {
                f"{FOLDER}/ci.yml": text,
                f"{FOLDER}/called.yml": called,
                f"{FOLDER}/again.yml": again,
                ".github/actions/outer/action.yml": action,
                ".github/actions/inner/action.yaml": inner,
            },
        )

        told = {each.file_path.rpartition("/")[2]: each.agents for each in found}
        assert told == {"ci.yml": ["codex"], "called.yml": ["codex"], "again.yml": []}
        assert [job.agents for job in found[2].jobs] == [["codex"], ["codex"], []]

    @pytest.mark.parametrize(
        ("engine", "agents"),
        [("copilot", ["copilot-cli"]), ("claude", ["claude-code"]), ("custom", [])],
    )
    def test_of_compiled_workflows_are_their_engines(
        self, tmp_path: Path, engine: str, agents: list[str]
    ) -> None:
        text = (
            f'# gh-aw-metadata: {{"agent_id":"{engine}"}}\n"on": push\n'
            "jobs: {activation: {steps: []}, agent: {steps: []}}\n"
        )

        (found,) = scanned(
            tmp_path, {f"{FOLDER}/doctor.lock.yml": text, f"{FOLDER}/doctor.md": "---\n"}
        )

        assert (found.agents, found.generated_from) == (agents, f"{FOLDER}/doctor.md")
        assert [job.agents for job in found.jobs] == [[], agents]

    @pytest.mark.parametrize(
        ("file", "uses", "given", "template"),
        [
            ("pr-review.yml", "openai/codex-action@v1", "", "code-review"),
            ("security-review.yml", "openai/codex-action@v1", "", "security-audit"),
            ("wiki-refresh.yml", "openai/codex-action@v1", "", "wiki"),
            ("issue_triage.yml", "openai/codex-action@v1", "", "triage"),
            ("nightly-qa.yml", "openai/codex-action@v1", "", "qa"),
            ("on-incident.yml", "openai/codex-action@v1", "", "incident-response"),
            ("droid.yml", "Factory-AI/droid-action@v1", "automatic_review: true", "code-review"),
            ("bot.yml", "coderabbitai/ai-pr-reviewer@v1", "", "code-review"),
            ("fix.yml", "openai/codex-action@v1", "", None),
            ("review.yml", "actions/checkout@v5", "", None),
        ],
    )
    def test_workflows_are_told_what_they_are_for(
        self, tmp_path: Path, file: str, uses: str, given: str, template: str | None
    ) -> None:
        text = f"on: push\njobs: {{a: {{steps: [{{uses: {uses}, with: {{{given}}}}}]}}}}\n"

        (found,) = scanned(tmp_path, {f"{FOLDER}/{file}": text})

        assert found.template_id == template


def test_steps_that_run_beside_each_other_are_steps_of_their_job(tmp_path: Path) -> None:
    found = only(
        tmp_path,
        """
jobs:
  a:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v5
      - parallel:
          - run: make test
          - uses: acme/lint@v1
""",
    )
    assert found.jobs[0].step_count == 3
    assert [it.reference for it in found.uses] == ["actions/checkout@v5", "acme/lint@v1"]
