"""Texts of outsiders on their way into scripts, and the conditions that keep outsiders out."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pipelines.findings.support import FOLDER, findings, of_file, pipelines

TITLE = "${{ github.event.issue.title }}"
PATH = f"{FOLDER}/ci.yml"


def steps(*texts: str, head: str = "") -> str:
    """A workflow on new issues whose job has these steps."""
    listed = "".join(f"      - {text}\n" for text in texts)
    return f"on: issues\njobs:\n  a:\n    runs-on: x\n{head}    steps:\n{listed}"


WAYS = {
    "by the environment of the job": (
        steps("run: echo ${{ env.T }}", head=f"    env: {{T: '{TITLE}'}}\n"),
        "${{ env.T }}",
    ),
    "by the environment of the step": (
        steps(f"{{run: 'echo ${{{{ env.T }}}}', env: {{T: '{TITLE}'}}}}"),
        "${{ env.T }}",
    ),
    "by an output of an earlier step": (
        steps(
            f"{{id: b, run: 'echo t=$T >> $GITHUB_OUTPUT', env: {{T: '{TITLE}'}}}}",
            "run: echo ${{ steps.b.outputs.t }}",
        ),
        "${{ steps.b.outputs.t }}",
    ),
    "by an output that a script of an action sets": (
        steps(
            "{id: b, uses: actions/github-script@v7, with: {script: "
            "\"core.setOutput('t', context.payload.issue.title)\"}}",
            "run: echo ${{ steps.b.outputs.t }}",
        ),
        "${{ steps.b.outputs.t }}",
    ),
    "by an output that a command fetches": (
        steps(
            "{id: b, run: 'echo t=$(gh issue view 1 --json title) >> $GITHUB_OUTPUT'}",
            "run: echo ${{ steps.b.outputs.t }}",
        ),
        "${{ steps.b.outputs.t }}",
    ),
    "by the file of variables": (
        steps(
            f"{{run: 'echo X=$T >> $GITHUB_ENV', env: {{T: '{TITLE}'}}}}", "run: echo ${{ env.X }}"
        ),
        "${{ env.X }}",
    ),
    "by an output of another job": (
        steps(
            f"{{id: b, run: 'echo t=$T >> $GITHUB_OUTPUT', env: {{T: '{TITLE}'}}}}",
            head="    outputs: {t: '${{ steps.b.outputs.t }}'}\n",
        )
        + "  c:\n    needs: a\n    runs-on: x\n    steps:\n"
        "      - run: echo ${{ needs.a.outputs.t }}\n",
        "${{ needs.a.outputs.t }}",
    ),
}
HARMLESS = {
    "as a variable that the shell reads": steps(f"{{run: 'echo \"$T\"', env: {{T: '{TITLE}'}}}}"),
    "as a number": steps("run: echo ${{ github.event.issue.number }}"),
    "as an output that says something else": steps(
        "{id: b, run: 'echo t=1 >> $GITHUB_OUTPUT'}", "run: echo ${{ steps.b.outputs.t }}"
    ),
    "as an output that is compared": steps(
        f"{{id: b, run: 'echo t=$T >> $GITHUB_OUTPUT', env: {{T: '{TITLE}'}}}}",
        "run: echo ${{ contains(steps.b.outputs.t, 'x') }}",
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_text_of_outsiders_is_followed_into_a_script(tmp_path: Path, way: str) -> None:
    text, evidence = WAYS[way]

    hits = [hit for hit in of_file(tmp_path, text) if hit.rule == "script-injection"]

    assert evidence in [hit.evidence for hit in hits]
    assert {hit.severity for hit in hits} == {"critical"}


@pytest.mark.parametrize("way", HARMLESS)
def test_what_is_no_text_or_no_part_of_a_script_is_no_injection(tmp_path: Path, way: str) -> None:
    rules = [hit.rule for hit in of_file(tmp_path, HARMLESS[way])]

    assert "script-injection" not in rules


def test_a_text_is_followed_through_the_inputs_of_an_action_of_the_repository(
    tmp_path: Path,
) -> None:
    call = f"{{uses: ./act, with: {{t: '{TITLE}'}}}}"
    action = (
        "name: act\ninputs: {t: {}}\nruns:\n  using: composite\n  steps:\n"
        "    - {run: 'echo ${{ inputs.t }}', shell: bash}\n"
    )

    read = pipelines(tmp_path, {PATH: steps(call), "act/action.yml": action})

    hits = [hit for hit in findings(read, PATH) if hit.rule == "script-injection"]
    assert [(hit.path, hit.line, hit.evidence) for hit in hits] == [
        ("act/action.yml", 6, "${{ inputs.t }}")
    ]


PULL = "github.event.pull_request"
CONDITIONS = {
    f"{PULL}.author_association == 'MEMBER'": "medium",
    f"{PULL}.author_association == 'CONTRIBUTOR'": "critical",
    f"{PULL}.head.repo.full_name == github.repository": "medium",
    f"{PULL}.head.repo.full_name != github.repository": "critical",
    f"{PULL}.head.repo.fork == false": "medium",
    f"{PULL}.head.repo.fork == true": "critical",
    f"!{PULL}.head.repo.fork": "medium",
    f"contains({PULL}.labels.*.name, 'safe to test')": "medium",
    f'contains(fromJSON(\'["OWNER", "MEMBER"]\'), {PULL}.author_association)': "medium",
    f'contains(fromJSON(\'["OWNER", "NONE"]\'), {PULL}.author_association)': "critical",
    "github.event.action == 'labeled'": "medium",
    "github.event.action == 'opened'": "critical",
    "github.event.label.name == 'safe to test'": "medium",
    "github.event_name == 'push'": "medium",
    "github.event_name == 'push' || github.event_name == 'pull_request_target'": "critical",
    "github.actor == 'me' && true": "medium",
    "!(github.actor == 'me')": "critical",
    "always()": "critical",
    "(((": "critical",
}


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_condition_that_no_outsider_can_make_true_is_a_gate(
    tmp_path: Path, condition: str
) -> None:
    quoted = condition.replace("'", "''")
    text = (
        f"on: pull_request_target\njobs:\n  a:\n    if: '{quoted}'\n    runs-on: x\n    steps:\n"
        "      - run: echo ${{ github.event.pull_request.title }}\n"
    )

    hits = [hit for hit in of_file(tmp_path, text) if hit.rule == "script-injection"]

    assert [hit.severity for hit in hits] == [CONDITIONS[condition]]
