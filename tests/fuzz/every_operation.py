"""The short form: some generated requests to every operation, with the key of an owner.

The requests are made while this file is collected, which takes most of a minute: it is run by
`tests/api/test_generated_requests.py`, in a process of its own, against the server that it names.
Answers to all others are held against the description where every operation is asked by everybody.
"""

from __future__ import annotations

import os

import schemathesis
from hypothesis import HealthCheck, Phase, settings

from tests.fuzz.hooks import CHECKS
from tests.support.described import contract

SCHEMA = contract()
# Values at the limits of every schema take minutes for some patterns: `make fuzz` tries them.
SCHEMA.config.phases.coverage.enabled = False


@SCHEMA.parametrize()
@settings(
    # The same requests in every run; `make fuzz` tries others.
    derandomize=True,
    database=None,
    max_examples=5,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_no_answer_to_an_owner_differs_from_the_description(case: schemathesis.Case) -> None:
    headers = {"Authorization": f"Bearer {os.environ['FUZZ_KEY']}"}

    case.call_and_validate(base_url=os.environ["FUZZ_URL"], headers=headers, checks=CHECKS)
