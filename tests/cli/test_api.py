"""Commands speak one API: of a server over HTTP, or of the data folder in their own process."""

from __future__ import annotations

from pathlib import Path

import pytest

from stationmaster.cli.api import Api
from stationmaster.errors import OperatorError, StationmasterError
from stationmaster.settings import Settings
from tests.support.servers import running_server, settings_for

ME = "/api/platform/v1/me"


def test_without_a_server_the_data_folder_answers_its_owner(made: dict[str, str]) -> None:
    api = Api(Settings(data_dir=Path(made["data"])))

    answer = api.get(ME)

    assert (answer["principal_id"], answer["key_id"]) == (made["user_id"], "local")


def test_with_a_server_the_key_says_who_asks(made: dict[str, str], tmp_path: Path) -> None:
    with running_server(settings_for(tmp_path, "")) as server:
        answer = Api(Settings(url=server.url, key=made["api_key"])).get(ME)

    assert answer["principal_id"] == made["user_id"]
    assert answer["key_id"].startswith("key_")


@pytest.mark.parametrize("is_remote", [True, False])
def test_a_refusal_is_told_in_the_servers_words(
    made: dict[str, str], tmp_path: Path, is_remote: bool
) -> None:
    with running_server(settings_for(tmp_path, "")) as server:
        remote = Settings(url=server.url, key=made["api_key"])
        api = Api(remote if is_remote else Settings(data_dir=Path(made["data"])))

        with pytest.raises(StationmasterError, match="There is nothing at this address"):
            api.get("/api/platform/v1/nothing")


def test_a_key_that_is_missing_is_told(made: dict[str, str], tmp_path: Path) -> None:
    with (
        running_server(settings_for(tmp_path, "")) as server,
        pytest.raises(StationmasterError, match="needs an API key"),
    ):
        Api(Settings(url=server.url)).get(ME)


def test_a_server_that_is_not_there_is_named() -> None:
    with pytest.raises(OperatorError, match=r"http://127\.0\.0\.1:9: "):
        Api(Settings(url="http://127.0.0.1:9")).get(ME)


def test_an_organization_that_is_not_there_is_told(made: dict[str, str]) -> None:
    with pytest.raises(StationmasterError, match="no organization 'Initech'"):
        Api(Settings(data_dir=Path(made["data"])), "Initech").get(ME)
