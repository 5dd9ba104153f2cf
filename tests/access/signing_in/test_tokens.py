from __future__ import annotations

import base64
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from joserfc import jwt
from joserfc.jwk import OKPKey

from stationmaster import clock
from stationmaster.access import service
from stationmaster.access.model import Caller, Member, Secret
from stationmaster.access.signing_in import jwts, sessions
from stationmaster.access.signing_in.signing_keys import READ_EVERY_S, VERIFY_MS, SigningKeys
from stationmaster.access.signing_in.tokens import Tokens
from stationmaster.access.vault import Vault
from stationmaster.db.engine import Database
from stationmaster.errors import OperatorError, Unauthorized
from stationmaster.ids import OrgId
from stationmaster.settings import Settings
from tests.access.signing_in.clocks import Elapsed
from tests.support.builders import a_member, an_organization
from tests.support.issuer import parts_of, signed_by_secret, unsigned

pytestmark = pytest.mark.attack

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
NOW_S = int(NOW.timestamp())
ISSUER = "https://app.example.com"


@pytest.fixture(autouse=True)
def _frozen_clock() -> None:
    clock.freeze(NOW)


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return Vault.open(Settings(data_dir=tmp_path))


@pytest.fixture
def elapsed() -> Elapsed:
    return Elapsed()


@pytest.fixture
def keys(db: Database, vault: Vault, elapsed: Elapsed) -> SigningKeys:
    return SigningKeys(db, vault, elapsed)


@pytest.fixture
def tokens(db: Database, keys: SigningKeys) -> Tokens:
    return Tokens(db, keys, ISSUER)


@pytest.fixture
def secret(db: Database, org: OrgId, ada: Member) -> Secret:
    return sessions.start(db, org, ada.user_id, "password")[1]


@pytest.fixture
def caller(db: Database, secret: Secret) -> Caller:
    return sessions.caller_of(db, secret)


@pytest.fixture
def token(tokens: Tokens, caller: Caller) -> str:
    return tokens.issue(caller)


def is_refused(tokens: Tokens, token: str) -> bool:
    try:
        tokens.caller_of(token)
    except Unauthorized:
        return True
    return False


class TestAToken:
    def test_says_who_where_and_for_how_long(self, token: str, caller: Caller) -> None:
        header, claims = parts_of(token)
        assert (header["alg"], header["typ"]) == ("EdDSA", "at+jwt")
        assert len(claims.pop("jti")) == 36
        assert claims == {
            "iss": ISSUER,
            "aud": "stationmaster",
            "sub": caller.principal_id,
            "org": caller.org_id,
            "role": "manager",
            "sid": caller.key_id,
            "iat": NOW_S,
            "nbf": NOW_S,
            "exp": NOW_S + 900,
        }

    def test_speaks_for_its_member_with_the_role_of_this_moment(
        self, db: Database, tokens: Tokens, token: str, caller: Caller
    ) -> None:
        assert tokens.caller_of(token) == Caller(
            caller.org_id,
            "human",
            caller.principal_id,
            "ada@example.com",
            "manager",
            caller.key_id,
            "full",
            "platform_api",
        )
        service.set_role(db, caller.org_id, caller.principal_id, "guest")  # type: ignore[arg-type] # a member's is a user id
        assert tokens.caller_of(token).role == "guest"

    @pytest.mark.both_databases
    def test_ends_with_its_session_at_once(
        self, db: Database, tokens: Tokens, token: str, secret: Secret
    ) -> None:
        sessions.end(db, secret)
        assert is_refused(tokens, token)

    @pytest.mark.both_databases
    def test_ends_with_the_membership_at_once(
        self, db: Database, tokens: Tokens, token: str, ada: Member, org: OrgId
    ) -> None:
        service.remove_member(db, org, ada.user_id)
        assert is_refused(tokens, token)

    @pytest.mark.both_databases
    def test_outlives_the_renewal_of_its_session(
        self, db: Database, tokens: Tokens, token: str, secret: Secret
    ) -> None:
        sessions.rotate(db, secret)
        assert not is_refused(tokens, token)

    @pytest.mark.parametrize(
        ("seconds", "refused"), [(959, False), (960, True), (-60, False), (-61, True)]
    )
    def test_is_good_for_fifteen_minutes_and_a_minutes_leeway_on_both_sides(
        self, tokens: Tokens, token: str, seconds: int, refused: bool
    ) -> None:
        clock.freeze(NOW + timedelta(seconds=seconds))
        assert is_refused(tokens, token) is refused


class TestAForgedToken:
    @pytest.fixture
    def forge(self, keys: SigningKeys, token: str) -> Callable[..., str]:
        """A token signed with our own key, with some of its content changed."""

        def made(header: dict[str, Any] | None = None, **changed: Any) -> str:
            old_header, claims = parts_of(token)
            new = {name: value for name, value in (claims | changed).items() if value is not None}
            key = keys.current()
            return jwt.encode(
                old_header | (header or {}), new, key, registry=jwts._Registry(algorithms=["EdDSA"])
            )

        return made

    def test_would_pass_unchanged(self, tokens: Tokens, forge: Callable[..., str]) -> None:
        assert not is_refused(tokens, forge())

    @pytest.mark.parametrize(
        "changed",
        [
            {"iss": "https://evil.example.com"},
            {"iss": ISSUER + "/"},
            {"iss": None},
            {"iss": [ISSUER]},
            {"aud": "another"},
            {"aud": None},
            {"aud": ["another"]},
            {"exp": None},
            {"exp": "tomorrow"},
            {"exp": float("nan")},
            {"exp": NOW_S - 60},
            {"nbf": NOW_S + 61},
            {"iat": NOW_S + 61},
            {"sub": "user_somebodyelse"},
            {"sub": None},
            {"sub": 7},
            {"sid": "ses_unknown"},
            {"sid": None},
            {"sid": {}},
            {"org": "org_other"},
            {"org": None},
        ],
        ids=str,
    )
    def test_with_other_claims_is_refused(
        self, tokens: Tokens, forge: Callable[..., str], changed: dict[str, Any]
    ) -> None:
        assert is_refused(tokens, forge(**changed))

    @pytest.mark.parametrize(
        "header",
        [
            {"typ": "JWT"},
            {"typ": ""},
            {"kid": "unknown"},
            {"kid": ""},
            {"crit": ["exp"], "exp": 1},
        ],
        ids=str,
    )
    def test_with_another_header_is_refused(
        self, tokens: Tokens, token: str, header: dict[str, Any]
    ) -> None:
        old, claims = parts_of(token)
        signature = token.rpartition(".")[2]
        assert is_refused(tokens, unsigned(old | header, claims, signature))

    def test_of_another_type_is_refused_although_it_is_signed(
        self, tokens: Tokens, forge: Callable[..., str]
    ) -> None:
        assert is_refused(tokens, forge({"typ": "JWT"}))

    @pytest.mark.parametrize("algorithm", ["none", "None", "NONE", "HS256", "RS256", "", "x"])
    def test_that_claims_another_algorithm_is_refused(
        self, tokens: Tokens, token: str, algorithm: str
    ) -> None:
        header, claims = parts_of(token)
        for signature in ("", token.rpartition(".")[2]):
            assert is_refused(tokens, unsigned(header | {"alg": algorithm}, claims, signature))

    def test_that_is_signed_with_the_public_key_as_a_shared_secret_is_refused(
        self, tokens: Tokens, token: str, keys: SigningKeys
    ) -> None:
        header, claims = parts_of(token)
        [published] = keys.published()
        public = OKPKey.import_key(dict(published))
        for text in (public.as_pem(private=False), json.dumps(published).encode()):
            assert is_refused(tokens, signed_by_secret(header, claims, text))

    def test_that_brings_its_own_key_is_refused(self, tokens: Tokens, token: str) -> None:
        header, claims = parts_of(token)
        own = OKPKey.generate_key("Ed25519")
        for extra in ({}, {"jwk": own.as_dict(private=False)}):
            forged = jwt.encode(
                header | extra, claims, own, registry=jwts._Registry(algorithms=["EdDSA"])
            )
            assert is_refused(tokens, forged)

    def test_of_one_organization_opens_no_other(
        self, db: Database, tokens: Tokens, forge: Callable[..., str]
    ) -> None:
        other = an_organization(db, "Other")
        zoe = a_member(db, other, "zoe@example.com", "owner")
        theirs, _ = sessions.start(db, other, zoe.user_id, "password")
        for changed in (
            {"org": other},
            {"org": other, "sid": theirs.session_id},
            {"sid": theirs.session_id},
        ):
            assert is_refused(tokens, forge(**changed))

    @pytest.mark.parametrize(
        "text",
        [
            "..",
            "a.b.c",
            "é.é.é",
            "e30.e30.",
            "e30." + "W" * 20_000 + ".e30",
            ".eyJpc3MiOjF9.",
            "\0.\0.\0",
        ],
    )
    def test_of_no_sense_is_refused(self, tokens: Tokens, token: str, text: str) -> None:
        assert is_refused(tokens, text)
        with pytest.raises(Unauthorized):
            jwts.issuer_of(text)

    def test_of_endless_depth_is_refused(self, tokens: Tokens) -> None:
        deep = base64.urlsafe_b64encode(b'{"a":' + b"[" * 9000 + b"}").decode().rstrip("=")
        for text in (f"e30.{deep}.", f"{deep}.{deep}."):
            assert is_refused(tokens, text)
            with pytest.raises(Unauthorized):
                jwts.issuer_of(text)


class TestSigningKeys:
    @pytest.mark.both_databases
    def test_are_made_once_and_shared_by_all_processes(
        self, db: Database, vault: Vault, keys: SigningKeys, token: str
    ) -> None:
        other = SigningKeys(db, vault)
        assert other.current().kid == keys.current().kid
        assert not is_refused(Tokens(db, other, ISSUER), token)
        assert len(db.rows("SELECT kid FROM signing_keys")) == 1

    def test_are_published_without_their_private_part(self, keys: SigningKeys) -> None:
        [key] = keys.published()
        assert sorted(key) == ["alg", "crv", "kid", "kty", "use", "x"]
        assert (key["kty"], key["crv"], key["use"], key["alg"]) == (
            "OKP",
            "Ed25519",
            "sig",
            "EdDSA",
        )

    def test_are_sealed_at_rest(self, db: Database, keys: SigningKeys) -> None:
        private = keys.current().as_dict(private=True)["d"]
        [(sealed, public)] = db.rows("SELECT sealed, public FROM signing_keys")
        assert str(private).encode() not in bytes(sealed)
        assert str(private) not in public

    def test_do_not_open_with_another_secret_key_of_the_installation(
        self, db: Database, keys: SigningKeys, tmp_path: Path
    ) -> None:
        keys.current()
        other = Vault.open(Settings(data_dir=tmp_path / "elsewhere"))
        with pytest.raises(OperatorError):
            SigningKeys(db, other).current()

    @pytest.mark.both_databases
    def test_that_were_replaced_verify_until_their_last_token_has_expired(
        self, db: Database, tokens: Tokens, keys: SigningKeys, token: str, caller: Caller
    ) -> None:
        old = keys.current().kid
        new = keys.rotate()
        assert new != old
        assert not is_refused(tokens, token)
        assert parts_of(tokens.issue(caller))[0]["kid"] == new
        assert {key["kid"] for key in keys.published()} == {new, old}
        clock.freeze(NOW + timedelta(milliseconds=VERIFY_MS))
        assert [key["kid"] for key in keys.published()] == [new]
        assert keys.public(str(old)) is None

    @pytest.mark.both_databases
    def test_of_another_process_are_known_at_once_and_used_within_a_minute(
        self, db: Database, vault: Vault, keys: SigningKeys, elapsed: Elapsed, caller: Caller
    ) -> None:
        old = keys.current().kid
        other = SigningKeys(db, vault)
        new = other.rotate()
        token = Tokens(db, other, ISSUER).issue(caller)
        elapsed.now = READ_EVERY_S - 1
        assert keys.current().kid == old
        assert not is_refused(Tokens(db, keys, ISSUER), token)
        elapsed.now = 2 * READ_EVERY_S
        assert keys.current().kid == new
