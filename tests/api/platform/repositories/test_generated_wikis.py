"""/api/platform/v1/wiki: what the operations beyond the published ones answer."""

from __future__ import annotations

from pathlib import Path

from stationmaster.ids import RepoId
from tests.support.cast import Cast
from tests.support.repositories import Repository
from tests.support.servers import running_server, settings_for

URL = "https://github.com/acme/engine"
PUMP = "def hold_pressure(pump):\n    while pump.falls():\n        pump.turn()\n"


def test_a_question_is_answered_with_passages_of_pages_and_of_the_code(tmp_path: Path) -> None:
    with running_server(settings_for(tmp_path / "data", "sqlite")) as server:
        cast = Cast(server.services.db, "acme")
        repository = Repository(tmp_path / "engine", "main", "--bare")
        commit = repository.commit({"src/pump.py": PUMP})
        with server.client(cast.keys["manager"]) as client:
            repo = client.post("/api/platform/v1/repositories", json={"url": URL}).json()["repoId"]
            repository.mirror(server.services.settings, cast.org, RepoId(repo))
            pages = [{"path": "index.md", "content": "# Engine\n\nThe pump holds pressure.\n"}]
            wiki = {"repoUrl": URL, "commitHash": commit, "pages": pages}
            run = client.post("/api/v0/wiki", json=wiki).json()["wikiRunId"]
            answer = client.get(
                f"/api/platform/v1/wiki/runs/{run}/ask", params={"q": "How is pressure held?"}
            ).json()

    assert [passage["path"] for passage in answer["passages"]] == ["index"]
    assert answer["code"] == [
        {
            "path": "src/pump.py",
            "name": "hold_pressure",
            "first": 1,
            "last": 3,
            "text": PUMP.rstrip("\n"),
            "isCut": False,
            "url": f"{URL}/blob/{commit}/src/pump.py#L1-L3",
        }
    ]
    assert answer["answer"] is None
