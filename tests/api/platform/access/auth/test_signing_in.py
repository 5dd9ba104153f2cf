"""Signing in with a password over HTTP, and what the tokens open."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from joserfc import jwt
from joserfc.jwk import KeySet

from stationmaster.access import reads, service
from stationmaster.access.model import Member
from stationmaster.access.signing_in import jwts
from stationmaster.access.signing_in.passwords import HASHES_AT_ONCE
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId
from tests.api.platform.access.auth.signing import AUTH, PASSWORD, as_bearer, code_of, me
from tests.support.builders import a_caller, a_member, a_password, an_organization
from tests.support.issuer import RunningIssuer, parts_of, unsigned
from tests.support.servers import Server


def sign_in(client: httpx.Client, **given: str) -> httpx.Response:
    usual = {"email": "ada@example.com", "password": PASSWORD}
    return client.post(f"{AUTH}/token", json=usual | given)


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
