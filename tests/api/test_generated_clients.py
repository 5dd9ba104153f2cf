"""What others make of /openapi.json: a linter, and generators of clients in Python and TypeScript.

The tools from npm are installed once, into a folder of the user's cache; without npm, or without an
answer of its registry, what needs them is skipped.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest

from stationmaster import clock
from tests.spec import day
from tests.support import npm
from tests.support.cast import Cast
from tests.support.patience import PATIENCE_S
from tests.support.servers import running_server, settings_for

pytestmark = pytest.mark.slow
PACKAGES = ("@redocly/cli@2", "openapi-typescript@7", "typescript@5")
TOOL_SECONDS = 30
REPO = "https://git.example/acme/shop"
UNALTERABLE = {"no-ambiguous-paths"}
"""Warnings about addresses that published clients ask, such as `computers/name/{name}`."""
PYTHON = """
import datetime, json, sys
from generated import AuthenticatedClient
from generated.api.analytics import analytics_users
from generated.api.members import list_members
from generated.api.wiki import create_wiki_run
from generated.models import AnalyticsUsersResponse200, MemberPage, WikiRun
from generated.models import CreateWikiRunJsonWikiUpload as Upload

client = AuthenticatedClient(base_url=sys.argv[1], token=sys.argv[2])
a_day = datetime.date.fromisoformat(sys.argv[3])
report = analytics_users.sync(client=client, start_date=a_day, end_date=a_day)
assert isinstance(report, AnalyticsUsersResponse200), report
members = list_members.sync(client=client)
assert isinstance(members, MemberPage), members
pages = [{"path": "start", "content": "# Start"}]
run = create_wiki_run.sync(
    client=client, body=Upload.from_dict({"repoUrl": sys.argv[4], "pages": pages})
)
assert isinstance(run, WikiRun), run
print(json.dumps({
    "dates": [row.date for row in report.data],
    "messages": sum(row.user_messages for row in report.data),
    "emails": [member.email for member in members.members],
    "pages": run.page_count,
}))
"""
TYPESCRIPT = """
import type { operations } from "./types";

type Content = operations["analytics_users"]["responses"]["200"]["content"];

// Of several forms, such as text beside JSON, `data` could not be read.
export function messages(report: Content[keyof Content]): number {
  return report.data.reduce((sum, row) => sum + row.user_messages, 0);
}
"""


class Described(NamedTuple):
    """A running server with a week of telemetry, an owner's key, and its description in a file."""

    url: str
    cast: Cast
    file: Path


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Described]:
    clock.freeze(day.NOW)
    folder = tmp_path_factory.mktemp("described")
    with running_server(settings_for(folder, "sqlite")) as running:
        cast = Cast(running.services.db, "ours")
        with running.client(cast.keys["owner"]) as client:
            day.send(client, day.tuesday())
        file = folder / "openapi.json"
        file.write_bytes(httpx.get(f"{running.url}/openapi.json", timeout=PATIENCE_S).content)
        yield Described(running.url, cast, file)


@pytest.fixture(scope="module")
def npm_tools() -> Path:
    """The folder of the programs that the packages bring."""
    return npm.modules("openapi-tools", *PACKAGES) / ".bin"


def _run(
    *command: str, seconds: int = TOOL_SECONDS, **environment: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
        env={**os.environ, **environment},
    )


def test_a_linter_finds_nothing_that_could_be_changed(server: Described, npm_tools: Path) -> None:
    done = _run(
        str(npm_tools / "redocly"), "lint", str(server.file), "--format=json",
        "--extends=recommended", "--max-problems=1000",
        REDOCLY_TELEMETRY="off", REDOCLY_SUPPRESS_UPDATE_NOTICE="true",
    )  # fmt: skip

    problems = json.loads(done.stdout)["problems"]
    assert [each for each in problems if each["severity"] == "error"] == []
    assert {each["ruleId"] for each in problems} <= UNALTERABLE


def test_a_generated_python_client_reads_reports_and_members_and_uploads(
    server: Described, tmp_path: Path
) -> None:
    config = tmp_path / "config.json"
    config.write_text('{"post_hooks": []}')
    made = _run(
        str(Path(sys.executable).with_name("openapi-python-client")), "generate",
        "--path", str(server.file), "--output-path", str(tmp_path / "generated"),
        "--meta", "none", "--config", str(config),
    )  # fmt: skip
    assert made.returncode == 0, made.stdout

    key = server.cast.keys["owner"]
    assert key is not None
    done = _run(
        sys.executable, "-c", PYTHON, server.url, key, "2026-11-17", REPO, PYTHONPATH=str(tmp_path)
    )

    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert set(answer["dates"]) == {"2026-11-17"}
    assert answer["messages"] > 0
    assert server.cast.people["owner"].email in answer["emails"]
    assert answer["pages"] == 1


def test_generated_typescript_types_have_one_form_of_a_report(
    server: Described, npm_tools: Path, tmp_path: Path
) -> None:
    types = tmp_path / "types.ts"
    made = _run(str(npm_tools / "openapi-typescript"), str(server.file), "-o", str(types))
    assert made.returncode == 0, made.stderr
    program = tmp_path / "program.ts"
    program.write_text(TYPESCRIPT)

    done = _run(str(npm_tools / "tsc"), "--noEmit", "--strict", str(program))

    assert done.returncode == 0, done.stdout
