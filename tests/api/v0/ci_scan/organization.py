"""An organization whose repositories have workflows."""

from __future__ import annotations

from typing import Any

from tests.api.conftest import Ask
from tests.support.cast import Cast
from tests.support.git_servers import GitServer
from tests.support.repositories import Content, Repository

SCAN = "/api/v0/automations/ci/scan"


FILE = ".github/workflows/ci.yml"


WORKFLOW = """
name: Build
on: [push]
jobs:
  build:
    runs-on: ubuntu-latest
    timeout-minutes: 5
    steps: [{run: make}]
"""


class Acme:
    """An organization whose repositories are served under its own folder."""

    def __init__(self, git: GitServer, cast: Cast, ask: Ask) -> None:
        self.git = git
        self.mark = f"{cast.org[4:]}"
        self.ask = ask

    def url(self, name: str) -> str:
        return self.git.url(f"{self.mark}/{name}")

    def register(self, name: str) -> str:
        answer = self.ask("manager", "POST", "/api/platform/v1/repositories",
                          json={"url": self.url(name)})  # fmt: skip
        assert answer.status_code == 201, answer.text
        return str(answer.json()["repoId"])

    def serve(self, name: str, **files: Content) -> Repository:
        """A registered repository with workflows of these names."""
        made = Repository(self.git.folder / self.mark / name, "main", "--bare")
        made.commit({f".github/workflows/{file}.yml": text for file, text in files.items()})
        self.register(name)
        return made

    def scan(self, caller: str = "member", **params: str) -> dict[str, Any]:
        answer = self.ask(caller, "GET", SCAN, params=params)
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    def requests(self) -> int:
        """How often the git server was asked about this organization's repositories."""
        return sum(f"/{self.mark}/" in path for _, path, _ in self.git.seen)


def names(found: dict[str, Any]) -> list[str]:
    return [workflow["workflowName"] for workflow in found["workflows"]]
