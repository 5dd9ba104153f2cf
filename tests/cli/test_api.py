"""Commands speak one API: of a server over HTTP, or of the data folder in their own process."""

from __future__ import annotations

from pathlib import Path

import pytest

from stationmaster.cli.api import Api
from stationmaster.client.server import Server, save
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

        with pytest.raises(
            StationmasterError, match="There is no page or operation at this address"
        ):
            api.get("/api/platform/v1/nothing")


def test_a_missing_key_is_named_by_its_option(tmp_path: Path) -> None:
    with pytest.raises(StationmasterError, match="--url needs --key or STATIONMASTER_KEY"):
        Api(Settings(url="http://127.0.0.1:9", client_dir=tmp_path)).get(ME)


def test_a_stored_key_serves_its_own_server_alone(made: dict[str, str], tmp_path: Path) -> None:
    with running_server(settings_for(tmp_path, "")) as server:
        save(tmp_path, Server(server.url, made["api_key"]))

        answer = Api(Settings(url=f"{server.url}/", client_dir=tmp_path)).get(ME)

        assert answer["principal_id"] == made["user_id"]
    with pytest.raises(StationmasterError, match="--url needs --key"):
        Api(Settings(url="http://127.0.0.1:9", client_dir=tmp_path)).get(ME)


def test_an_address_with_a_path_is_named_as_the_likely_cause(
    made: dict[str, str], tmp_path: Path
) -> None:
    with (
        running_server(settings_for(tmp_path, "")) as server,
        pytest.raises(StationmasterError, match="--url takes the address of the server alone"),
    ):
        Api(Settings(url=f"{server.url}/api/v1", key=made["api_key"])).get(ME)


def test_a_server_that_is_not_there_is_named() -> None:
    refused = r"http://127\.0\.0\.1:9 cannot be reached: connection refused"
    with pytest.raises(OperatorError, match=refused):
        Api(Settings(url="http://127.0.0.1:9", key="sm_x")).get(ME)


def test_https_at_a_port_without_tls_is_named(made: dict[str, str], tmp_path: Path) -> None:
    with (
        running_server(settings_for(tmp_path, "")) as server,
        pytest.raises(OperatorError, match="no TLS at this port"),
    ):
        Api(Settings(url=server.url.replace("http", "https", 1), key="sm_x")).get(ME)


def test_a_host_that_does_not_exist_is_named() -> None:
    with pytest.raises(OperatorError, match="no host of this name was found"):
        Api(Settings(url="http://nothing.invalid", key="sm_x")).get(ME)


def test_an_organization_that_is_not_there_is_told(made: dict[str, str]) -> None:
    with pytest.raises(StationmasterError, match="no organization 'Initech'"):
        Api(Settings(data_dir=Path(made["data"])), "Initech").get(ME)
