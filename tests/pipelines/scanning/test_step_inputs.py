"""Inputs of an agent's step are set in the file's own text, and nothing else of it changes."""

from __future__ import annotations

import pytest

from stationmaster.errors import BadRequest
from stationmaster.pipelines.scanning.step_inputs import NotEditable, StepInputs, parse, with_inputs

USES = f"openai/codex-action@{'b' * 40}"
HEAD = "on: push # kept\njobs:\n  a:\n    steps:\n      - run: make\n"
GIVEN = StepInputs({"sandbox": "read-only"}, prompt='Say "é"\n', effort="high")


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        (
            f"      - uses: {USES} # v1\n        with:\n          effort: low # cheap\n",
            f'      - uses: {USES} # v1\n        with:\n          sandbox: "read-only"\n'
            '          prompt: "Say \\"é\\"\\n"\n          effort: "high" # cheap\n',
        ),
        (
            f"      - name: x\n        uses: {USES}\n        id: y\n",
            f"      - name: x\n        uses: {USES}\n        with:\n"
            '          sandbox: "read-only"\n          prompt: "Say \\"é\\"\\n"\n'
            '          reasoning_effort: "high"\n        id: y\n',
        ),
        (
            f"      - {{uses: {USES}, with: {{prompt: a}}}}",
            f'      - {{uses: {USES}, with: {{sandbox: "read-only", reasoning_effort: "high", '
            'prompt: "Say \\"é\\"\\n"}}',
        ),
        (
            f"      - {{uses: {USES}}}",
            f'      - {{uses: {USES}, with: {{sandbox: "read-only", prompt: "Say \\"é\\"\\n", '
            'reasoning_effort: "high"}}',
        ),
        (
            f"      - uses: {USES}\n        with:\n          prompt:\n          sandbox: >-\n"
            "            a\n            b\n\n          effort: 'low'\n",
            f'      - uses: {USES}\n        with:\n          prompt: "Say \\"é\\"\\n"\n'
            '          sandbox: "read-only"\n\n          effort: "high"\n',
        ),
    ],
    ids=["block", "new", "braces", "new in braces", "empty and folded"],
)
def test_inputs_are_replaced_or_added_in_place(step: str, expected: str) -> None:
    assert with_inputs(HEAD + step, GIVEN) == HEAD + expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "No step"),
        ("jobs: [", "cannot be read"),
        ("- a", "No step"),
        (HEAD, "No step"),
        (HEAD + f"      - uses: {USES}\n        with: text\n", "not a mapping"),
        (HEAD + f"      - uses: {USES}\n        with:\n          <<: *x\n", "cannot be read"),
        (
            f"x: &all\n  - uses: {USES}\n    with: {{a: b}}\n"
            "jobs:\n  a: {steps: *all}\n  b: {steps: *all}\n",
            "without other changes",
        ),
        (
            HEAD
            + f"      - uses: {USES}\n        with:\n          prompt: &p a\n      - run: *p\n",
            "cannot be read",
        ),
    ],
)
def test_a_file_that_would_change_elsewhere_is_refused(text: str, reason: str) -> None:
    with pytest.raises(NotEditable, match=reason):
        with_inputs(text, GIVEN)


def test_lines_name_an_input_and_its_value() -> None:
    assert parse("a: 1\n\n b-c: 'x: y' \n") == {"a": "1", "b-c": "x: y"}
    for line in ("a", "a:", "- a: 1", "${{ x }}: 1"):
        with pytest.raises(BadRequest):
            parse(line)
