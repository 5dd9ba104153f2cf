"""What identity providers publish, signing in there from a browser, and their setting."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import parse_qs, urlsplit

import pytest
from joserfc import jwt
from joserfc.jwk import ECKey, Key, OctKey, OKPKey, RSAKey

from stationmaster import clock
from stationmaster.access.model import Secret
from stationmaster.access.signing_in import issuers, oidc, oidc_flow, provider
from stationmaster.access.signing_in.issuers import Issuer
from stationmaster.access.signing_in.jwts import _Registry
from stationmaster.access.signing_in.oidc import Issuers
from stationmaster.access.signing_in.provider import Provider
from stationmaster.access.vault import Vault
from stationmaster.db.engine import Database
from stationmaster.errors import BadRequest, NotFound, OperatorError, Unauthorized, Unavailable
from stationmaster.ids import OrgId
from stationmaster.settings import Settings
from tests.support.builders import an_organization
from tests.support.issuer import (
    CLIENT,
    RunningIssuer,
    signed_by_secret,
)

pytestmark = pytest.mark.attack


BACK = "https://app.example.com/callback"


@contextmanager
def publishing(
    documents: dict[str, Any], *, received: list[tuple[str, bytes]] | None = None
) -> Iterator[str]:
    """A server that answers with JSON documents by path, `{url}` in them being its own address;
    texts are sent as they are, and a number is a status.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = documents.get(self.path, 404)
            self.send_response(found if isinstance(found, int) else 200)
            if found == 302:
                self.send_header("Location", "/jwks")
            self.end_headers()
            if not isinstance(found, int):
                text = found if isinstance(found, str) else json.dumps(found)
                self.wfile.write(text.replace("{url}", url).encode())

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            if received is not None:
                received.append((self.headers.get("authorization", ""), body))
            self.do_GET()

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield url
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


DISCOVERY = "/.well-known/openid-configuration"


USUAL = {
    "issuer": "{url}",
    "jwks_uri": "{url}/jwks",
    "authorization_endpoint": "{url}/authorize?tenant=1",
    "token_endpoint": "{url}/token",
}


def an_issuer(url: str, **fields: Any) -> Issuer:
    usual = {"name": "corp", "issuer": url, "audience": CLIENT, "org": "o", "client_id": CLIENT}
    return Issuer(**(usual | fields))


class TestWhatAnIssuerPublishes:
    @pytest.mark.parametrize(
        "documents",
        [
            {},
            {DISCOVERY: 500},
            {DISCOVERY: "not json"},
            {DISCOVERY: []},
            {DISCOVERY: USUAL | {"issuer": "https://other.example.com"}},
            {DISCOVERY: {"issuer": "{url}"}},
            {DISCOVERY: USUAL | {"jwks_uri": "http://192.0.2.1/jwks"}},
            {DISCOVERY: USUAL | {"jwks_uri": "file:///etc/passwd"}},
            {DISCOVERY: USUAL | {"token_endpoint": "http://user:pw@127.0.0.1/"}},
            {DISCOVERY: USUAL},
            {DISCOVERY: USUAL, "/jwks": "[]"},
            {DISCOVERY: USUAL, "/jwks": {"keys": 5}},
            {DISCOVERY: USUAL | {"jwks_uri": "{url}/moved"}, "/moved": 302, "/jwks": {"keys": []}},
            {DISCOVERY: USUAL, "/jwks": "{" + " " * provider.SIZE_MAX + "}"},
        ],
    )
    def test_counts_as_no_answer_when_it_is_not_as_the_standard_says(
        self, documents: dict[str, Any]
    ) -> None:
        with publishing(documents) as url, pytest.raises(Unavailable):
            Provider(an_issuer(url)).keys()

    @pytest.mark.parametrize(
        ("key", "algorithm"),
        [
            (RSAKey.generate_key(2048), "RS256"),
            (RSAKey.generate_key(2048), "PS256"),
            (ECKey.generate_key("P-256"), "ES256"),
            (OKPKey.generate_key("Ed25519"), "EdDSA"),
            (OKPKey.generate_key("Ed25519"), "Ed25519"),
        ],
        ids=lambda value: value if isinstance(value, str) else "",
    )
    def test_may_be_keys_of_every_kind_with_a_public_part(self, key: Key, algorithm: str) -> None:
        public = key.as_dict(private=False) | {"kid": "k"}
        keys = [{"kty": "novel", "kid": "x"}, {"kty": "RSA"}, "x", public]
        with publishing({DISCOVERY: USUAL, "/jwks": {"keys": keys}}) as url:
            now = clock.now_ms() // 1000
            claims = {"iss": url, "aud": [CLIENT, "more"], "exp": now + 60, "sub": "s"}
            token = jwt.encode(
                {"alg": algorithm, "kid": "k"},
                claims,
                key,
                registry=_Registry(algorithms=[algorithm]),
            )
            assert oidc.claims_of(Provider(an_issuer(url)), token, CLIENT) == claims

    def test_is_of_no_use_as_a_shared_secret(self) -> None:
        secret = OctKey.generate_key(256)
        keys = [{**secret.as_dict(private=True), "kid": "s"}]
        with publishing({DISCOVERY: USUAL, "/jwks": {"keys": keys}}) as url:
            claims = {"iss": url, "aud": CLIENT, "exp": clock.now_ms() // 1000 + 60}
            token = signed_by_secret({"kid": "s"}, claims, secret.raw_value)
            with pytest.raises(Unauthorized):
                oidc.claims_of(Provider(an_issuer(url)), token, CLIENT)


class TestSigningInFromABrowser:
    @pytest.fixture
    def vault(self, tmp_path: Path) -> Vault:
        return Vault.open(Settings(data_dir=tmp_path))

    @pytest.fixture
    def corp(self, trusted: Issuers) -> Provider:
        return trusted.named("corp")

    def test_proves_the_address_that_the_issuer_vouches_for(
        self, vault: Vault, corp: Provider, issuer: RunningIssuer
    ) -> None:
        begun = oidc_flow.begin(vault, corp, BACK, "/reports?day=1")
        asked = parse_qs(urlsplit(begun.address).query)
        assert asked["response_type"] == ["code"]
        assert asked["code_challenge_method"] == ["S256"]
        assert asked["redirect_uri"] == [BACK]
        back = issuer.sign_in(begun.address, "Ada@Example.com")
        proved = oidc_flow.finish(vault, corp, BACK, begun.kept, back["state"], back["code"])
        assert proved == ("ada@example.com", "/reports?day=1")

    def test_works_once(self, vault: Vault, corp: Provider, issuer: RunningIssuer) -> None:
        begun = oidc_flow.begin(vault, corp, BACK, "/")
        back = issuer.sign_in(begun.address, "ada@example.com")
        oidc_flow.finish(vault, corp, BACK, begun.kept, back["state"], back["code"])
        with pytest.raises(Unauthorized):
            oidc_flow.finish(vault, corp, BACK, begun.kept, back["state"], back["code"])

    def test_needs_the_browser_that_began(
        self, vault: Vault, corp: Provider, issuer: RunningIssuer, tmp_path: Path
    ) -> None:
        begun, other = (oidc_flow.begin(vault, corp, BACK, "/") for _ in range(2))
        back = issuer.sign_in(begun.address, "ada@example.com")
        elsewhere = Vault.open(Settings(data_dir=tmp_path / "elsewhere"))
        for kept in (
            "",
            "x",
            "é",
            begun.kept[:-4],
            other.kept,
            oidc_flow.begin(elsewhere, corp, BACK, "/").kept,
        ):
            with pytest.raises(BadRequest) as refused:
                oidc_flow.finish(vault, corp, BACK, kept, back["state"], back["code"])
            assert refused.value.code == "sign_in_expired"

    def test_does_not_take_the_proof_of_another_sign_in(
        self, vault: Vault, corp: Provider, issuer: RunningIssuer
    ) -> None:
        begun, other = (oidc_flow.begin(vault, corp, BACK, "/") for _ in range(2))
        state = parse_qs(urlsplit(begun.address).query)["state"][0]
        back = issuer.sign_in(other.address, "ada@example.com")
        with pytest.raises(Unauthorized) as refused:
            oidc_flow.finish(vault, corp, BACK, begun.kept, state, back["code"])
        assert refused.value.code == "not_confirmed"

    def test_does_not_take_the_proof_of_another_client(
        self, vault: Vault, corp: Provider, issuer: RunningIssuer, org: OrgId
    ) -> None:
        begun = oidc_flow.begin(vault, corp, BACK, "/")
        address = begun.address.replace(CLIENT, "another-app")
        back = issuer.sign_in(address, "ada@example.com")
        with pytest.raises(Unauthorized):
            oidc_flow.finish(vault, corp, BACK, begun.kept, back["state"], back["code"])

    def test_may_take_ten_minutes(
        self, vault: Vault, corp: Provider, issuer: RunningIssuer
    ) -> None:
        begun = oidc_flow.begin(vault, corp, BACK, "/")
        back = issuer.sign_in(begun.address, "ada@example.com")
        clock.freeze(datetime.now(UTC) + timedelta(seconds=oidc_flow.LIFETIME_S))
        with pytest.raises(BadRequest):
            oidc_flow.finish(vault, corp, BACK, begun.kept, back["state"], back["code"])

    def test_is_only_where_a_client_is_configured(self, issuer: RunningIssuer, org: OrgId) -> None:
        trusted = Issuers([issuer.configured(org, client_id=None, client_secret=None)])
        assert trusted.names() == []
        for name in ("corp", "other", ""):
            with pytest.raises(NotFound):
                trusted.named(name)

    @pytest.mark.parametrize(
        ("wanted", "found"),
        [
            ("/reports?from=1#top", "/reports?from=1#top"),
            ("/", "/"),
            ("/café", "/caf%C3%A9"),
            ("", "/"),
            ("reports", "/"),
            ("//evil.example.com", "/"),
            ("/\\evil.example.com", "/"),
            ("https://evil.example.com", "/"),
            ("javascript:alert(1)", "/"),
            ("/\r\nSet-Cookie: x=y", "/"),
            ("/\t/evil.example.com", "/"),
            ("/\ud800", "/"),
            ("/" + "x" * 1000, "/"),
        ],
    )
    def test_comes_back_to_the_application_and_nowhere_else(self, wanted: str, found: str) -> None:
        assert oidc_flow.path_within(wanted) == found

    @pytest.mark.parametrize(
        ("methods", "secret", "header", "member"),
        [
            (["client_secret_basic"], "s:1", "Basic c3RhdGlvbm1hc3Rlci1hcHA6cyUzQTE=", None),
            (["client_secret_post"], "s:1", "", b"client_secret=s%3A1"),
            (["client_secret_basic"], None, "", b"client_id=stationmaster-app"),
        ],
    )
    def test_sends_the_clients_secret_in_the_form_that_the_issuer_takes_and_the_verifier(
        self, vault: Vault, methods: list[str], secret: str | None, header: str, member: bytes
    ) -> None:
        received: list[tuple[str, bytes]] = []
        told = USUAL | {"token_endpoint_auth_methods_supported": methods}
        documents = {DISCOVERY: told, "/jwks": {"keys": []}, "/token": {"error": "no"}}
        with publishing(documents, received=received) as url:
            shown = None if secret is None else Secret(secret)
            corp = Provider(an_issuer(url, client_secret=shown))
            begun = oidc_flow.begin(vault, corp, BACK, "/")
            asked = parse_qs(urlsplit(begun.address).query)
            assert asked["tenant"] == ["1"]
            with pytest.raises(Unauthorized):
                oidc_flow.finish(vault, corp, BACK, begun.kept, asked["state"][0], "c0de")
        [(authorization, body)] = received
        assert authorization == header
        assert member is None or member in body
        assert b"code=c0de" in body
        [verifier] = parse_qs(body.decode())["code_verifier"]
        assert len(verifier) == 43
        challenge = asked["code_challenge"][0]
        assert challenge == oidc_flow._base64url(oidc_flow.sha256(verifier.encode()).digest())


class TestTheSetting:
    GOOD: ClassVar = {
        "name": "corp",
        "issuer": "https://id.example.com",
        "audience": "a",
        "org": "Acme",
    }

    def read(self, db: Database, *entries: dict[str, Any]) -> tuple[Issuer, ...]:
        return issuers.read(Settings(oidc_issuers=json.dumps(entries)), db)

    def test_finds_the_organization_by_id_or_name(self, db: Database, org: OrgId) -> None:
        for named in (org, "Acme"):
            [found] = self.read(db, self.GOOD | {"org": named, "allowed_domains": ["@Example.COM"]})
            assert (found.org, found.allowed_domains) == (org, ("example.com",))

    def test_does_not_show_the_clients_secret(self, db: Database, org: OrgId) -> None:
        [found] = self.read(db, self.GOOD | {"client_id": "c", "client_secret": "hunter22"})
        assert "hunter22" not in repr(found)
        assert found.client_secret is not None
        assert found.client_secret.reveal() == "hunter22"

    def test_may_be_absent(self, db: Database) -> None:
        assert issuers.read(Settings(), db) == ()

    @pytest.mark.parametrize(
        ("changed", "told"),
        [
            ({"name": "Corp Inc"}, "a name has"),
            ({"issuer": "http://id.example.com"}, "https://"),
            ({"issuer": "https://id.example.com?x=1"}, "https://"),
            ({"issuer": "ftp://127.0.0.1"}, "https://"),
            ({"issuer": "http://127.0.0.1:8700"}, "itself"),
            ({"audience": ""}, "`audience` is empty"),
            ({"org": "Nowhere"}, "no organization 'Nowhere'"),
            ({"client_secret": "x"}, "needs a `client_id`"),
            ({"allowed_domains": ["@"]}, "a domain is empty"),
            ({"novel": 1}, "novel"),
            ({"audience": 7}, "audience"),
        ],
        ids=str,
    )
    def test_that_cannot_work_is_refused_with_what_is_wrong(
        self, db: Database, org: OrgId, changed: dict[str, Any], told: str
    ) -> None:
        with pytest.raises(OperatorError, match="STATIONMASTER_OIDC_ISSUERS") as refused:
            self.read(db, self.GOOD | changed)
        assert told in refused.value.detail

    @pytest.mark.parametrize("text", ["", "{}", "[", "[[]]", "\ud800"])
    def test_that_is_no_list_is_refused(self, db: Database, text: str) -> None:
        with pytest.raises(OperatorError):
            issuers.read(Settings(oidc_issuers=text), db)

    def test_names_each_issuer_once(self, db: Database, org: OrgId) -> None:
        for second in ({"audience": "b"}, {"name": "other"}):
            with pytest.raises(OperatorError, match="duplicate"):
                self.read(db, self.GOOD, self.GOOD | second)
        assert len(self.read(db, self.GOOD, self.GOOD | {"name": "other", "audience": "b"})) == 2

    def test_of_a_name_that_two_organizations_have_is_refused(
        self, db: Database, org: OrgId
    ) -> None:
        an_organization(db, "Acme")
        with pytest.raises(OperatorError, match="several"):
            self.read(db, self.GOOD)
