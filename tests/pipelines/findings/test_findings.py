from __future__ import annotations

from pathlib import Path

import pytest

from stationmaster.pipelines.findings.rule import RULES
from tests.pipelines.findings.support import FOLDER, findings, of_file, pipelines

HUNG = """on: {schedule: [{cron: '*/5 * * * *'}]}
jobs:
  a:
    runs-on: ubuntu-latest
    steps: [{run: make}]
"""


def test_every_rule_says_in_one_sentence_what_happens_and_what_to_do() -> None:
    for rule in RULES.values():
        for sentence in (rule.impact, rule.fix):
            assert sentence.endswith(".")
            assert "\n" not in sentence


def test_a_finding_keeps_its_fingerprint_while_its_line_moves(tmp_path: Path) -> None:
    before = {each.rule: each for each in of_file(tmp_path / "a", HUNG)}
    after = {each.rule: each for each in of_file(tmp_path / "b", "# one\n# two\nname: x\n" + HUNG)}

    assert before["no-timeout"].fingerprint == after["no-timeout"].fingerprint
    assert before["too-frequent-schedule"].fingerprint == after["too-frequent-schedule"].fingerprint
    assert before["no-timeout"].fingerprint != before["too-frequent-schedule"].fingerprint


@pytest.mark.parametrize(
    ("comment", "suppressed"),
    [
        ("# stationmaster: ignore[parse-error]", "stationmaster: ignore"),
        ("# because, stationmaster: ignore[no-timeout, parse-error]", "stationmaster: ignore"),
        ("# stationmaster: ignore[no-timeout]", None),
        ("# stationmaster: ignore", None),
        ("# zizmor: ignore[parse-error]", None),
        ("stationmaster: ignore[parse-error]", None),
    ],
)
def test_a_comment_on_the_line_accepts_what_it_names(
    tmp_path: Path, comment: str, suppressed: str | None
) -> None:
    (found,) = [
        each
        for each in of_file(tmp_path, f"on: push\njobs: {{a: 1}} x {comment}\n")
        if each.rule == "parse-error"
    ]
    assert found.suppressed == suppressed


TARGET = """on: pull_request_target
jobs:
  check: {uses: acme/x/.github/workflows/check-user.yml@main}
  a:
    needs: check
    uses: ./.github/workflows/b.yml
"""
CALLED = """on: {workflow_call: {inputs: {t: {type: string}}}}
jobs:
  b:
    runs-on: x
    steps: [{run: 'echo ${{ github.event.pull_request.title }}'}]
"""


def test_a_called_workflow_is_as_open_as_those_that_call_it(tmp_path: Path) -> None:
    def severities(name: str, caller: str) -> list[str]:
        files = {f"{FOLDER}/a.yml": caller, f"{FOLDER}/b.yml": CALLED}
        read = pipelines(tmp_path / name, files)
        told = findings(read, f"{FOLDER}/b.yml")
        return [each.severity for each in told if each.rule == "script-injection"]

    assert severities("gated", TARGET) == ["medium"]
    assert severities("open", TARGET.replace("    needs: check\n", "")) == ["critical"]
    assert severities("other", TARGET.replace("pull_request_target", "push")) == []


def test_workflows_that_call_one_another_in_a_circle_are_read_all_the_same(tmp_path: Path) -> None:
    circle = "on: [issues, workflow_call]\njobs: {a: {uses: ./.github/workflows/%s.yml}}\n"
    files = {f"{FOLDER}/a.yml": circle % "b", f"{FOLDER}/b.yml": circle % "a"}
    assert len(pipelines(tmp_path, files).workflows) == 2


def test_every_place_of_a_key_that_is_set_twice_is_found(tmp_path: Path) -> None:
    step = "      - run: make\n        env: {A: b}\n        env: {C: d}\n"
    text = f"on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n{step}{step}"
    found = [each for each in of_file(tmp_path, text) if each.rule == "parse-error"]
    assert [each.line for each in found] == [8, 11]


def test_a_remote_workflow_that_a_file_about_agents_calls_is_a_possible_agent(
    tmp_path: Path,
) -> None:
    call = "on: issue_comment\njobs:\n  a:\n    uses: acme/bots/.github/workflows/route.yml@main\n"

    def kinds(name: str, text: str) -> list[str]:
        read = pipelines(tmp_path / name, {f"{FOLDER}/a.yml": text})
        return [each.kind for each in read.workflows[0].facts.agent_signs]

    assert kinds("about", "# Routes events to agent workflows.\n" + call) == ["possible"]
    assert kinds("plain", "# Sets the user-agent.\n" + call) == []
    assert kinds("closed", "# Agents.\n" + call.replace("issue_comment", "push")) == []
