from __future__ import annotations

import msgspec
import pytest

from stationmaster.pipelines.model import READ
from stationmaster.pipelines.scanning.answer import answer
from stationmaster.pipelines.scanning.model import Scan, Workflow


def workflow(name: str, *agents: str) -> Workflow:
    return Workflow(
        repo_full_name="acme/shop",
        provider="github-actions",
        file_path=f".github/workflows/{name}.yml",
        workflow_name=name,
        trigger_events=[],
        schedule_cron=None,
        schedules=[],
        template_id=None,
        agents=list(agents),
        agent_inputs={"model": "fast"} if agents else None,
        jobs=[],
        url="https://github.com/acme/shop",
        file_sha="0" * 40,
        commit_hash="1" * 40,
        authored_by=None,
        user_permission="read",
        parse=READ,
        kind="pipeline",
    )


FOUND = Scan([workflow("build"), workflow("fix", "codex")], [], 1_000, False)


@pytest.mark.parametrize("vendor_spellings", [True, False])
def test_the_products_spellings_stand_beside_ours_where_wanted(vendor_spellings: bool) -> None:
    told = answer(FOUND, agents_only=False, vendor_spellings=vendor_spellings)

    _, fix = msgspec.json.decode(told)["workflows"]
    assert (fix["url"], fix["agentInputs"]) == ("https://github.com/acme/shop", {"model": "fast"})
    spellings = {"githubUrl": fix["url"], "droidActionInputs": fix["agentInputs"]}
    assert (spellings.items() <= fix.items()) is vendor_spellings
    assert (spellings.keys() & fix.keys() == set()) is not vendor_spellings


def test_workflows_without_an_agent_are_left_out_where_wanted() -> None:
    told = answer(FOUND, agents_only=True, vendor_spellings=False)

    assert [each["workflowName"] for each in msgspec.json.decode(told)["workflows"]] == ["fix"]
