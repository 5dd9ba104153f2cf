"""Which servers are asked, and that it is the checked one that is asked."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest

from stationmaster.access.model import Secret
from stationmaster.ids import OrgId, RepoId
from stationmaster.repos import addresses, git, mirrors, network
from stationmaster.repos.git import GitError, GitLimits
from stationmaster.repos.model import Credential, FetchFailed
from stationmaster.settings import Settings
from tests.support.certificates import Authority
from tests.support.git_servers import GitServer, git_server
from tests.support.repositories import Repository

pytestmark = pytest.mark.attack


@pytest.mark.parametrize(
    "address",
    ["8.8.8.8", "140.82.121.4", "2606:4700::1111", "2001:4860:4860::8888", "::ffff:8.8.8.8",
     "64:ff9b::808:808", "2002:808:808::1"],
)  # fmt: skip
def test_public_addresses_may_be_asked(address: str) -> None:
    assert network.is_public(ip_address(address))


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "127.8.9.1", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1", "100.64.0.1",
     "100.100.100.200", "169.254.169.254", "192.0.2.1", "198.18.0.1", "224.0.0.1", "240.0.0.1",
     "255.255.255.255", "::", "::1", "fe80::1", "fc00::1", "fd00:ec2::254", "fec0::1", "ff02::1",
     "2001:db8::1", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "64:ff9b::7f00:1",
     "64:ff9b::a9fe:a9fe", "2002:7f00:1::1", "2002:c0a8:101::1",
     "2001:0:4136:e378:8000:63bf:80ff:fffe",
     "::127.0.0.1"],
)  # fmt: skip
def test_every_other_address_is_refused(address: str) -> None:
    assert not network.is_public(ip_address(address))


@pytest.mark.parametrize(
    "url",
    ["https://127.0.0.1/a", "http://localhost/a", "https://[::1]/a", "https://2130706433/a",
     "https://0x7f000001/a", "https://127.1/a", "https://0177.0.0.1/a", "git@127.0.0.1:a",
     "https://169.254.169.254/latest/meta-data", "https://[::ffff:10.0.0.1]/a",
     "https://127.0.0.1:22/a", "ssh://git@10.0.0.1:2222/a", "https://localhost./a"],
)  # fmt: skip
def test_however_a_private_address_is_written(tmp_path: Path, url: str) -> None:
    with pytest.raises(FetchFailed) as refused:
        network.checked(Settings(data_dir=tmp_path), addresses.normalise(url))

    assert refused.value.reason == "address_refused"


def test_permission_is_for_exactly_the_hosts_that_are_named(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, repos_private_hosts=" 127.0.0.1:8443 , LOCALHOST,")

    assert network.checked(settings, "https://127.0.0.1:8443/a").addresses == ("127.0.0.1",)
    assert network.checked(settings, "https://localhost/a").port == 443
    for other in ("https://127.0.0.1/a", "https://127.0.0.1:8444/a", "https://localhost:8443/a"):
        with pytest.raises(FetchFailed):
            network.checked(settings, other)


def test_a_host_is_refused_for_one_private_address_among_public_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _resolve(monkeypatch, {"git.example": ["8.8.8.8", "10.0.0.1"]})

    with pytest.raises(FetchFailed) as refused:
        network.checked(Settings(data_dir=tmp_path), "https://git.example/a")

    assert refused.value.reason == "address_refused"


def test_git_connects_to_the_address_that_was_checked(
    origin: Repository,
    server: GitServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The name exists nowhere but in our own first look: whoever looks again fails."""
    commit = origin.commit({"a": "1"})
    port = server.place.rpartition(":")[2]
    place = f"git.example.invalid:{port}"
    looks = _resolve(monkeypatch, {"git.example.invalid": ["127.0.0.1"]})
    settings = Settings(data_dir=tmp_path, repos_private_hosts=place, repos_http_hosts=place)

    head = mirrors.refresh(settings, OrgId("org_a"), RepoId("repo_a"), f"https://{place}/a", None)

    assert head.commit == commit
    assert looks == ["git.example.invalid"]


def test_a_look_alike_host_gets_no_credential(
    origin: Repository, server: GitServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server may send us on to a host that begins like it: nothing is asked there."""
    origin.commit({"a": "1"})
    port = server.place.rpartition(":")[2]
    place = f"git.example:{port}"
    with git_server(tmp_path / "served") as thief:
        thief_port = thief.place.rpartition(":")[2]
        _resolve(monkeypatch, {"git.example": ["127.0.0.1"], "git.example.evil": ["127.0.0.1"]})
        settings = Settings(
            data_dir=tmp_path,
            repos_private_hosts=f"{place},git.example.evil:{thief_port}",
            repos_http_hosts=f"{place},git.example.evil:{thief_port}",
        )
        remote = network.checked(settings, f"https://{place}/a")
        for target in (
            f"http://git.example.evil:{thief_port}/a",
            f"http://git.example:{thief_port}/a",
            f"http://git.example:{port}@git.example.evil:{thief_port}/a",
            f"https://git.example:{port}/a",
            f"//git.example.evil:{thief_port}/a",
        ):
            with pytest.raises(FetchFailed):
                network._moved(remote, f"{target}/info/refs?service=git-upload-pack")
        assert thief.seen == []

    config = remote.config("Bearer t0k")
    assert config[f"http.http://git.example:{port}/.extraHeader"] == "Authorization: Bearer t0k"
    assert "http.extraHeader" not in config


def test_a_header_for_one_server_is_not_sent_to_another_by_git_itself(
    origin: Repository, server: GitServer, settings: Settings, tmp_path: Path
) -> None:
    origin.commit({"a": "1"})
    with git_server(tmp_path / "served") as other:
        remote = network.checked(settings, server.url("a"))
        git.run(
            ["ls-remote", "--", f"http://{other.place}/a"],
            home=tmp_path,
            limits=GitLimits(),
            environment={"GIT_ALLOW_PROTOCOL": "http"},
            config=remote.config("Bearer t0k"),
        )

        assert {sent for _, _, sent in other.seen} == {None}


def test_ipv6_addresses_are_bracketed_where_they_must_be(tmp_path: Path) -> None:
    settings = Settings(
        data_dir=tmp_path, repos_private_hosts="[::1]:8080", repos_http_hosts="[::1]:8080"
    )

    remote = network.checked(settings, addresses.normalise("http://[::1]:8080/a"))

    assert (remote.url, remote.host, remote.port) == ("http://[::1]:8080/a", "::1", 8080)
    assert remote.config("Bearer t0k") == {
        "protocol.http.allow": "always",
        "http.http://[::1]:8080/.extraHeader": "Authorization: Bearer t0k",
    }
    pinned = remote._replace(host="git.example", addresses=("::1", "127.0.0.1"))
    assert pinned.config(None)["http.curloptResolve"] == "git.example:8080:[::1],127.0.0.1"


class TestHttps:
    """The real thing: a server with a certificate of an authority that the machine trusts."""

    @pytest.fixture
    def authority(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Authority]:
        made = Authority(tmp_path)
        monkeypatch.setenv("SSL_CERT_FILE", str(made.file))
        monkeypatch.setitem(git._CONFIG, "http.sslCAInfo", str(made.file))
        network._trust.cache_clear()
        yield made
        network._trust.cache_clear()

    @pytest.mark.parametrize("certified", ["git.example", "git.example.evil"])
    def test_the_certificate_must_be_of_the_host_that_was_asked_for(
        self,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        authority: Authority,
        certified: str,
    ) -> None:
        commit = Repository(tmp_path / "served" / "a", "main", "--bare").commit({"a": "1"})
        _resolve(monkeypatch, {"git.example": ["127.0.0.1"]})
        with git_server(tmp_path / "served", authority.server(certified)) as server:
            place = f"git.example:{server.place.rpartition(':')[2]}"
            server.authorization = "Bearer t0k"
            settings = Settings(data_dir=tmp_path, repos_private_hosts=place)
            token = Credential("token", None, Secret("t0k"))
            fetch = partial(mirrors.refresh, settings, OrgId("org_a"), RepoId("repo_a"))
            if certified == "git.example":
                assert fetch(f"https://{place}/a", token).commit == commit
                return
            with pytest.raises(FetchFailed) as refused:
                fetch(f"https://{place}/a", token)
            assert refused.value.reason == "unreachable"
            assert server.seen == []

    def test_an_unknown_authority_is_not_trusted(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        Repository(tmp_path / "served" / "a", "main", "--bare").commit({"a": "1"})
        _resolve(monkeypatch, {"git.example": ["127.0.0.1"]})
        with git_server(tmp_path / "served", Authority(tmp_path).server("git.example")) as server:
            place = f"git.example:{server.place.rpartition(':')[2]}"
            settings = Settings(data_dir=tmp_path, repos_private_hosts=place)
            remote = network.checked(settings, f"https://{place}/a")
            with pytest.raises(FetchFailed):
                mirrors.refresh(settings, OrgId("org_a"), RepoId("repo_a"), remote.url, None)
            with pytest.raises(GitError) as refused:
                git.run(
                    ["ls-remote", "--", remote.url],
                    home=tmp_path,
                    limits=GitLimits(),
                    environment={"GIT_ALLOW_PROTOCOL": "https"},
                    config=remote.config(None),
                )
            assert "certificate" in refused.value.stderr
            assert server.seen == []


def _resolve(monkeypatch: pytest.MonkeyPatch, names: dict[str, list[str]]) -> list[str]:
    """The world's name servers, as this process sees them; what it looked up."""
    looked_up: list[str] = []
    ask = socket.getaddrinfo

    def answer(host: str, port: int, **more: Any) -> Any:
        if host not in names:
            return ask(host, port, **more)
        looked_up.append(host)
        return [entry for found in names[host] for entry in ask(found, port, **more)]

    monkeypatch.setattr(socket, "getaddrinfo", answer)
    return looked_up
