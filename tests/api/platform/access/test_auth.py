"""Signing in over HTTP, and what the tokens open."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from joserfc import jwt
from joserfc.jwk import KeySet

from stationmaster.access import reads, service
from stationmaster.access.model import Member, Secret
from stationmaster.access.signing_in import cookies, jwts, sessions
from stationmaster.access.signing_in.passwords import HASHES_AT_ONCE
from stationmaster.api.platform.access import oidc
from stationmaster.db.engine import Database
from stationmaster.errors import OperatorError
from stationmaster.ids import OrgId
from tests.support.builders import a_caller, a_member, a_password, an_organization
from tests.support.issuer import RunningIssuer, parts_of, running_issuer, unsigned
from tests.support.servers import Server, running_server, settings_for

AUTH = "/api/platform/v1/auth"
PASSWORD = "a long enough sentence"


@pytest.fixture(scope="module")
def issuer() -> Iterator[RunningIssuer]:
    with running_issuer() as running:
        yield running


@pytest.fixture
def org(db: Database) -> OrgId:
    return an_organization(db)


@pytest.fixture
def ada(db: Database, org: OrgId) -> Member:
    a_member(db, org, "owner@example.com", "owner")
    ada = a_member(db, org, role="manager")
    a_password(db, org, ada, PASSWORD)
    return ada


@pytest.fixture
def server(
    db: Database, database_url: str, tmp_path: Path, org: OrgId, ada: Member, issuer: RunningIssuer
) -> Iterator[Server]:
    with running_server(_settings(tmp_path, database_url, issuer.setting("Acme"))) as running:
        yield running


def _settings(folder: Path, database_url: str, issuers: str, **fields: object) -> Any:
    """Of a server on the test's own database, wherever that is."""
    settings = settings_for(folder, database_url, oidc_issuers=issuers, **fields)
    if not database_url.startswith("postgresql"):
        (folder / "data").mkdir(exist_ok=True)
        path = folder / "data" / "stationmaster.sqlite3"
        path.unlink(missing_ok=True)
        path.symlink_to(folder / "state.sqlite3")
    return settings


@pytest.fixture
def client(server: Server) -> Iterator[httpx.Client]:
    with server.client() as opened:
        yield opened


def sign_in(client: httpx.Client, **given: str) -> httpx.Response:
    usual = {"email": "ada@example.com", "password": PASSWORD}
    return client.post(f"{AUTH}/token", json=usual | given)


def as_bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def me(client: httpx.Client, token: str) -> httpx.Response:
    return client.get("/api/platform/v1/me", headers=as_bearer(token))


def code_of(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["metadata"]["code"]


class TestSigningInWithAPassword:
    def test_gives_tokens_that_open_what_a_key_opens(
        self, client: httpx.Client, org: OrgId, ada: Member
    ) -> None:
        answer = sign_in(client)
        assert answer.status_code == 200
        assert answer.headers["cache-control"] == "no-store"
        body = answer.json()
        assert body == {
            "accessToken": body["accessToken"],
            "tokenType": "Bearer",
            "expiresIn": 900,
            "refreshToken": body["refreshToken"],
            "organization": {"id": org, "name": "Acme"},
            "user": {"id": ada.user_id, "email": ada.email, "role": "manager"},
        }
        known = me(client, body["accessToken"])
        assert known.status_code == 200
        assert known.json() == {
            "org_id": org,
            "principal_kind": "human",
            "principal_id": ada.user_id,
            "email": ada.email,
            "role": "manager",
            "key_id": parts_of(body["accessToken"])[1]["sid"],
            "scope": "full",
        }

    def test_opens_reports_and_takes_telemetry(self, client: httpx.Client) -> None:
        token = sign_in(client).json()["accessToken"]
        range_ = {"startDate": "2026-11-18", "endDate": "2026-11-19"}
        report = client.get("/api/v1/analytics/tokens", params=range_, headers=as_bearer(token))
        assert report.status_code == 200
        for path in ("/v1/logs", "/v1/metrics", "/v1/traces", "/api/platform/v1/events"):
            body: Any = [] if path.endswith("events") else {}
            assert client.post(path, json=body, headers=as_bearer(token)).status_code == 200

    @pytest.mark.parametrize(
        "given",
        [
            {"password": "wrong password"},
            {"email": "nobody@example.com"},
            {"org": "Nowhere"},
            {"password": "\0"},
        ],
        ids=str,
    )
    def test_with_something_wrong_is_401_and_does_not_say_what(
        self, client: httpx.Client, given: dict[str, str]
    ) -> None:
        answer = sign_in(client, **given)
        assert code_of(answer) == (401, "wrong_credentials")
        assert answer.headers["www-authenticate"].startswith("Bearer")

    @pytest.mark.parametrize(
        "body",
        [
            {},
            {"email": "ada@example.com"},
            {"email": "ada@example.com", "password": ""},
            {"email": "ada@example.com", "password": "x" * 1025},
            {"email": "no address", "password": PASSWORD},
            {"email": "a\0da@example.com", "password": PASSWORD},
            {"email": "ada@example.com", "password": PASSWORD, "org": "a\0"},
            {"email": "ada@example.com", "password": PASSWORD, "novel": 1},
            {"email": 7, "password": PASSWORD},
            [],
        ],
        ids=str,
    )
    def test_with_a_body_that_does_not_fit_is_400(self, client: httpx.Client, body: object) -> None:
        answer = client.post(f"{AUTH}/token", json=body)
        assert answer.status_code == 400
        assert PASSWORD not in answer.text

    def test_in_several_organizations_is_409_with_their_names_until_one_is_named(
        self, client: httpx.Client, db: Database, org: OrgId
    ) -> None:
        other = an_organization(db, "Other")
        a_password(db, other, a_member(db, other, "ada@example.com"), PASSWORD)
        answer = sign_in(client)
        assert code_of(answer) == (409, "several_organizations")
        assert answer.json()["metadata"]["organizations"] == [
            {"id": org, "name": "Acme"},
            {"id": other, "name": "Other"},
        ]
        assert sign_in(client, org="Other").json()["organization"]["id"] == other

    def test_is_429_after_too_many_failures(self, server: Server, client: httpx.Client) -> None:
        for _ in range(10):
            server.services.sign_in._by_email.take("ada@example.com")
        answer = sign_in(client)
        assert code_of(answer) == (429, "rate_limited")
        assert 0 < int(answer.headers["retry-after"]) <= 90

    def test_hashes_only_a_few_passwords_at_once(self, server: Server) -> None:
        assert server.services.hashing.total_tokens == HASHES_AT_ONCE


class TestRefreshing:
    def test_gives_other_tokens_of_the_same_session(self, client: httpx.Client) -> None:
        first = sign_in(client).json()
        answer = client.post(f"{AUTH}/refresh", json={"refreshToken": first["refreshToken"]})
        assert answer.status_code == 200
        assert answer.headers["cache-control"] == "no-store"
        second = answer.json()
        assert second["refreshToken"] != first["refreshToken"]
        old, new = (parts_of(each["accessToken"])[1] for each in (first, second))
        assert (old["sid"], old["jti"] != new["jti"]) == (new["sid"], True)

    def test_has_the_role_of_this_moment(
        self, client: httpx.Client, db: Database, org: OrgId, ada: Member
    ) -> None:
        first = sign_in(client).json()
        service.set_role(db, org, ada.user_id, "guest")
        second = client.post(f"{AUTH}/refresh", json={"refreshToken": first["refreshToken"]}).json()
        assert second["user"]["role"] == "guest"
        assert me(client, first["accessToken"]).json()["role"] == "guest"

    def test_twice_at_once_is_409_and_later_ends_the_session(self, client: httpx.Client) -> None:
        refresh = f"{AUTH}/refresh"
        first = sign_in(client).json()
        second = client.post(refresh, json={"refreshToken": first["refreshToken"]}).json()
        again = client.post(refresh, json={"refreshToken": first["refreshToken"]})
        assert code_of(again) == (409, "just_renewed")
        third = client.post(refresh, json={"refreshToken": second["refreshToken"]}).json()
        stolen = client.post(refresh, json={"refreshToken": first["refreshToken"]})
        assert code_of(stolen) == (401, "invalid_token")
        assert me(client, third["accessToken"]).status_code == 401

    @pytest.mark.parametrize("token", ["x", "sms_" + "x" * 65, "\0"])
    def test_with_no_token_of_ours_is_401(self, client: httpx.Client, token: str) -> None:
        answer = client.post(f"{AUTH}/refresh", json={"refreshToken": token})
        assert code_of(answer) == (401, "invalid_token")

    def test_with_an_access_token_is_401(self, client: httpx.Client) -> None:
        token = sign_in(client).json()["accessToken"]
        answer = client.post(f"{AUTH}/refresh", json={"refreshToken": token})
        assert code_of(answer) == (401, "invalid_token")


class TestSigningOut:
    def test_ends_the_access_tokens_at_once_and_is_204_whatever_is_sent(
        self, client: httpx.Client
    ) -> None:
        tokens = sign_in(client).json()
        for token in (tokens["refreshToken"], tokens["refreshToken"], "x", "\0"):
            answer = client.post(f"{AUTH}/sign-out", json={"refreshToken": token})
            assert (answer.status_code, answer.content) == (204, b"")
        assert me(client, tokens["accessToken"]).status_code == 401

    def test_leaves_other_sessions_alone(self, client: httpx.Client) -> None:
        first, second = sign_in(client).json(), sign_in(client).json()
        client.post(f"{AUTH}/sign-out", json={"refreshToken": first["refreshToken"]})
        assert me(client, second["accessToken"]).status_code == 200


class TestJoining:
    def test_with_an_invitation_signs_in(
        self, client: httpx.Client, db: Database, org: OrgId, ada: Member
    ) -> None:
        _, link = service.invite_member(
            db, org, "bob@example.com", "guest", by=a_caller(db, org, ada)
        )
        given = {"token": link.reveal(), "password": "another long sentence"}
        answer = client.post(f"{AUTH}/join", json=given)
        assert answer.status_code == 200
        assert answer.json()["user"]["email"] == "bob@example.com"
        assert me(client, answer.json()["accessToken"]).json()["role"] == "guest"
        assert code_of(client.post(f"{AUTH}/join", json=given)) == (401, "invalid_link")
        again = sign_in(client, email="bob@example.com", password=given["password"])
        assert again.status_code == 200

    def test_with_a_weak_password_is_400_and_the_link_stays_good(
        self, client: httpx.Client, db: Database, org: OrgId, ada: Member
    ) -> None:
        _, link = service.make_link(db, org, ada.user_id, by=a_caller(db, org, ada))
        for password, status in (("password1", 400), ("another long sentence", 200)):
            given = {"token": link.reveal(), "password": password}
            assert client.post(f"{AUTH}/join", json=given).status_code == status


class TestABearerToken:
    @pytest.mark.parametrize(
        "path", ["/api/platform/v1/me", "/api/v1/analytics/tokens", "/api/platform/v1/limits"]
    )
    @pytest.mark.parametrize("text", ["a.b.c", "..", "a.b", "a.b.c.d", "sms_" + "x" * 65])
    def test_that_is_none_is_401_with_a_challenge(
        self, client: httpx.Client, path: str, text: str
    ) -> None:
        answer = client.get(path, headers=as_bearer(text))
        assert code_of(answer) == (401, "invalid_token")
        assert answer.headers["www-authenticate"] == (
            'Bearer realm="stationmaster", error="invalid_token"'
        )

    def test_that_is_a_refresh_token_is_401(self, client: httpx.Client) -> None:
        assert me(client, sign_in(client).json()["refreshToken"]).status_code == 401

    @pytest.mark.attack
    def test_that_is_forged_is_401_at_the_doors_of_telemetry_too(
        self, client: httpx.Client
    ) -> None:
        header, claims = parts_of(sign_in(client).json()["accessToken"])
        forged = unsigned(header | {"alg": "none"}, claims)
        for path in ("/v1/logs", "/api/platform/v1/events"):
            assert client.post(path, json={}, headers=as_bearer(forged)).status_code == 401

    def test_of_a_removed_member_is_401_at_the_next_request(
        self, client: httpx.Client, db: Database, org: OrgId, ada: Member
    ) -> None:
        token = sign_in(client).json()["accessToken"]
        service.remove_member(db, org, ada.user_id)
        assert me(client, token).status_code == 401

    def test_counts_towards_the_limits_of_its_session_and_touches_no_key(
        self, client: httpx.Client, server: Server, db: Database, org: OrgId, ada: Member
    ) -> None:
        assert me(client, sign_in(client).json()["accessToken"]).status_code == 200
        server.services.last_use.flush(server.services.db)
        assert {key.last_used_at for key in reads.list_keys(db, org)} == {None}

    def test_verifies_by_the_published_keys(self, client: httpx.Client) -> None:
        answer = client.get("/.well-known/jwks.json")
        assert answer.headers["cache-control"] == "public, max-age=300"
        keys = KeySet.import_key_set(answer.json())
        token = sign_in(client).json()["accessToken"]
        found = jwt.decode(token, keys, registry=jwts._Registry(algorithms=["EdDSA"]))
        assert found.claims["aud"] == "stationmaster"

    def test_of_the_issuer_opens_the_same(
        self, client: httpx.Client, issuer: RunningIssuer, ada: Member
    ) -> None:
        answer = me(client, issuer.token(ada.email))
        assert answer.status_code == 200
        assert answer.json()["principal_id"] == ada.user_id
        assert answer.json()["key_id"].startswith("oidc_")
        assert code_of(me(client, issuer.token("nobody@example.com"))) == (401, "invalid_token")


class TestAProvider:
    def test_is_listed_with_where_to_begin(self, client: httpx.Client) -> None:
        assert client.get(f"{AUTH}/providers").json() == {
            "providers": [{"name": "corp", "startUrl": f"{AUTH}/oidc/corp/start"}]
        }

    @pytest.fixture
    def begin(self, client: httpx.Client) -> Callable[..., httpx.Response]:
        def begin(path: str = "/reports") -> httpx.Response:
            return client.get(f"{AUTH}/oidc/corp/start", params={"next": path})

        return begin

    def test_signs_a_browser_in(
        self,
        client: httpx.Client,
        db: Database,
        issuer: RunningIssuer,
        ada: Member,
        begin: Callable[..., httpx.Response],
    ) -> None:
        begun = begin()
        assert begun.status_code == 302
        told = begun.headers["set-cookie"]
        assert all(part in told for part in ("HttpOnly", "SameSite=lax", "Max-Age=600", AUTH))
        asked = parse_qs(urlsplit(begun.headers["location"]).query)
        assert asked["redirect_uri"] == [f"http://127.0.0.1:8700{AUTH}/oidc/corp/callback"]
        back = issuer.sign_in(begun.headers["location"], ada.email)
        done = client.get(f"{AUTH}/oidc/corp/callback", params=back)
        assert (done.status_code, done.headers["location"]) == (302, "/reports")
        told = next(
            field for field in done.headers.get_list("set-cookie") if cookies.SESSION in field
        )
        assert all(part in told for part in ("HttpOnly", "SameSite=lax", "Path=/;"))
        assert "Secure" not in told
        caller = sessions.caller_of(db, Secret(client.cookies[cookies.SESSION]))
        assert (caller.principal_id, caller.source) == (ada.user_id, "web")
        assert oidc.PENDING not in client.cookies
        assert code_of(client.get(f"{AUTH}/oidc/corp/callback", params=back)) == (
            400,
            "sign_in_expired",
        )

    def test_makes_who_is_invited_a_member_and_nobody_else(
        self,
        client: httpx.Client,
        db: Database,
        issuer: RunningIssuer,
        org: OrgId,
        ada: Member,
        begin: Callable[..., httpx.Response],
    ) -> None:
        bob, _ = service.invite_member(
            db, org, "bob@example.com", "member", by=a_caller(db, org, ada)
        )
        for email, status in (("bob@example.com", 302), ("stranger@example.com", 401)):
            back = issuer.sign_in(begin().headers["location"], email)
            answer = client.get(f"{AUTH}/oidc/corp/callback", params=back)
            assert answer.status_code == status
        assert code_of(answer) == (401, "no_member")
        assert service.get_member(db, org, bob.user_id).status == "active"

    def test_that_refuses_or_is_asked_without_a_beginning_signs_nobody_in(
        self, client: httpx.Client, begin: Callable[..., httpx.Response]
    ) -> None:
        callback = f"{AUTH}/oidc/corp/callback"
        assert code_of(client.get(callback)) == (400, "sign_in_expired")
        begin()
        refused = client.get(callback, params={"error": "access_denied", "state": "x"})
        assert code_of(refused) == (401, "not_confirmed")
        forged = client.get(callback, params={"code": "x", "state": "x"})
        assert code_of(forged) == (400, "sign_in_expired")
        assert cookies.SESSION not in client.cookies

    def test_that_refuses_leads_a_browser_back_to_the_door(
        self, client: httpx.Client, begin: Callable[..., httpx.Response]
    ) -> None:
        begin()
        refused = client.get(
            f"{AUTH}/oidc/corp/callback",
            params={"error": "access_denied", "state": "x"},
            headers={"Accept": "text/html,*/*;q=0.8"},
        )
        assert (refused.status_code, refused.headers["location"]) == (
            302,
            "/sign-in?refused=not_confirmed",
        )

    def test_leads_nowhere_but_back(
        self,
        client: httpx.Client,
        issuer: RunningIssuer,
        ada: Member,
        begin: Callable[..., httpx.Response],
    ) -> None:
        begun = begin("//evil.example.com/")
        back = issuer.sign_in(begun.headers["location"], ada.email)
        done = client.get(f"{AUTH}/oidc/corp/callback", params=back)
        assert done.headers["location"] == "/"

    @pytest.mark.parametrize("step", ["start", "callback"])
    def test_that_nobody_has_configured_is_404(self, client: httpx.Client, step: str) -> None:
        answer = client.get(f"{AUTH}/oidc/other/{step}")
        assert code_of(answer) == (404, "not_found")

    def test_sets_cookies_for_https_alone_where_the_application_has_it(
        self, db: Database, database_url: str, tmp_path: Path, org: OrgId, issuer: RunningIssuer
    ) -> None:
        settings = _settings(
            tmp_path, database_url, issuer.setting(org), app_url="https://app.example.com/"
        )
        with running_server(settings) as server, server.client() as client:
            begun = client.get(f"{AUTH}/oidc/corp/start")
        assert "Secure" in begun.headers["set-cookie"]
        assert "https%3A%2F%2Fapp.example.com%2Fapi%2Fplatform" in begun.headers["location"]

    def test_that_is_down_is_503_for_a_browser_and_401_for_a_token(
        self, db: Database, database_url: str, tmp_path: Path, org: OrgId, ada: Member
    ) -> None:
        with running_issuer() as own:
            token = own.token(ada.email)
        settings = _settings(tmp_path, database_url, own.setting(org))
        with running_server(settings) as server, server.client() as client:
            begun = client.get(f"{AUTH}/oidc/corp/start")
            assert code_of(begun) == (503, "issuer_down")
            assert code_of(me(client, token)) == (401, "invalid_token")


def test_a_server_does_not_start_with_issuers_that_cannot_work(
    db: Database, database_url: str, tmp_path: Path, issuer: RunningIssuer
) -> None:
    from stationmaster.api.services import Services

    settings = _settings(tmp_path, database_url, issuer.setting("Nowhere"))
    with pytest.raises(OperatorError, match="Nowhere"):
        Services.open(settings)
