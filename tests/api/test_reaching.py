"""The way to identity providers that organizations name: never into the server's own network."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from stationmaster.access.signing_in.issuers import Issuer
from stationmaster.access.signing_in.provider import AddressRefused, Provider
from stationmaster.api.services import to_issuers
from stationmaster.errors import Unavailable
from stationmaster.ids import OrgId
from stationmaster.settings import Settings

pytestmark = pytest.mark.attack


@pytest.fixture
def asked() -> Iterator[tuple[str, list[str]]]:
    """The place of a server whose discovery document names keys at another port of this machine,
    and the paths that it was asked for."""
    paths: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            paths.append(self.path)
            url = f"http://{self.headers['Host']}"
            body = json.dumps({"issuer": url, "jwks_uri": "http://127.0.0.1:9/keys"}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"127.0.0.1:{server.server_port}", paths
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize(
    "address",
    ["http://127.0.0.1", "http://localhost", "https://[::1]", "https://169.254.169.254/latest",
     "https://10.1.2.3:8443", "https://[::ffff:192.168.0.1]", "https://0.0.0.0"],
)  # fmt: skip
def test_addresses_within_the_network_are_refused(tmp_path: Path, address: str) -> None:
    with pytest.raises(AddressRefused, match="STATIONMASTER_OIDC_PRIVATE_HOSTS"):
        to_issuers(Settings(data_dir=tmp_path))(address)


def test_a_name_is_asked_at_the_address_that_was_checked(tmp_path: Path) -> None:
    reach = to_issuers(Settings(data_dir=tmp_path, oidc_private_hosts="localhost:8443"))

    way = reach("https://localhost:8443/realm")

    assert way.address in ("https://127.0.0.1:8443/realm", "https://[::1]:8443/realm")
    assert way.headers == {"Host": "localhost:8443"}
    assert way.extensions == {"sni_hostname": "localhost"}


def test_what_a_provider_names_is_checked_as_the_provider_is(
    tmp_path: Path, asked: tuple[str, list[str]]
) -> None:
    place, paths = asked
    reach = to_issuers(Settings(data_dir=tmp_path, oidc_private_hosts=place))
    issuer = Issuer(name="a", issuer=f"http://{place}", audience="c", org=OrgId("o"), client_id="c")

    with pytest.raises(Unavailable, match="local or private address"):
        Provider(issuer, reach=reach).check()
    assert paths == ["/.well-known/openid-configuration"]
