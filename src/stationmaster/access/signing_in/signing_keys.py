"""The key pairs that sign access tokens: one signs, those before it verify until their last token
has expired.

They are the installation's. Every process finds them in the database, the private parts sealed.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from urllib.parse import quote

import msgspec
from joserfc.jwk import GuestProtocol, OKPKey
from sqlalchemy import insert, update

from stationmaster import clock
from stationmaster.access.model import Secret
from stationmaster.access.signing_in import jwts
from stationmaster.access.vault import Vault
from stationmaster.db.alone import in_transaction
from stationmaster.db.engine import Database
from stationmaster.db.tables.signin import signing_keys
from stationmaster.errors import OperatorError

ALGORITHM = "EdDSA"
READ_EVERY_S = 60
"""How long a process may take to see that another one has rotated the keys."""
VERIFY_MS = (READ_EVERY_S + 15 * 60 + 60) * 1000
"""A retired key verifies for this long: the above, a token's life, and the leeway of clocks."""

Claims = TypeVar("Claims", bound=msgspec.Struct)

_ALL = "SELECT kid, sealed, public, retired_at FROM signing_keys ORDER BY created_at DESC, kid"


class _Kept(NamedTuple):
    public: OKPKey
    sealed: bytes
    retired_at: int | None


class SigningKeys:
    """One per process; safe to share between threads."""

    def __init__(
        self, db: Database, vault: Vault, elapsed_s: Callable[[], float] = time.monotonic
    ) -> None:
        self._db = db
        self._vault = vault
        self._elapsed_s = elapsed_s
        self._kept: dict[str, _Kept] = {}
        self._read_at = -float(READ_EVERY_S)

    def current(self) -> OKPKey:
        """The private key that signs now, made when there is none."""
        self._read_now_and_then()
        kid = self._newest() or self._make(only_first=True)
        text = self._vault.unseal(self._kept[kid].sealed, _purpose(kid)).reveal()
        return OKPKey.import_key(json.loads(text))

    def check(self) -> None:
        """Raise OperatorError where this process seals with another key than the installation."""
        try:
            self.current()
        except OperatorError as fault:
            raise OperatorError(
                "The secrets in the database cannot be decrypted with this machine's secret key. "
                "Set STATIONMASTER_SECRET_KEY to the same value on every machine: that of the "
                "first one is in its data folder, in secret.key.",
                code="secret_key",
            ) from fault

    def public(self, kid: str) -> OKPKey | None:
        """The key that verifies tokens of that `kid`; None when there is none, or no longer."""
        self._read_now_and_then()
        if kid not in self._kept:
            self._read()
        kept = self._kept.get(kid)
        return kept.public if kept is not None and _verifies(kept) else None

    def sign(self, claims: Mapping[str, Any], typ: str) -> str:
        """A token with these claims, signed by the current key."""
        return jwts.sign(claims, self.current(), algorithm=ALGORITHM, typ=typ)

    def claims_of(
        self, token: str, form: type[Claims], *, typ: str, issuer: str, audience: str
    ) -> Claims:
        """The claims of a token that one of these keys signed. Raises Unauthorized."""
        claims = jwts.verify(
            token,
            self._that_signed,
            algorithms=(ALGORITHM,),
            types=(typ,),
            issuer=issuer,
            audience=audience,
        )
        try:
            return msgspec.convert(claims, form)
        except msgspec.ValidationError as fault:
            raise jwts.invalid() from fault

    def published(self) -> list[dict[str, str]]:
        """The public keys that verify tokens, as a JWK set holds them (RFC 7517), newest first."""
        self.current()
        return [
            {**_public_of(kept.public), "use": "sig", "alg": ALGORITHM}
            for kept in self._kept.values()
            if _verifies(kept)
        ]

    def rotate(self) -> str:
        """Sign with a new key from now on, other processes within READ_EVERY_S; its `kid`."""
        return self._make(only_first=False)

    def _that_signed(self, signed: GuestProtocol) -> OKPKey:
        key = self.public(str(signed.headers().get("kid")))
        if key is None:
            raise jwts.invalid()
        return key

    def _make(self, *, only_first: bool) -> str:
        pair = OKPKey.generate_key("Ed25519")
        kid, now = pair.thumbprint(), clock.now_ms()
        private = json.dumps({**pair.as_dict(private=True), "kid": kid})
        sealed = self._vault.seal(Secret(private), _purpose(kid))
        public = json.dumps({**_public_of(pair), "kid": kid})
        with self._db.transaction() as connection:
            # Of several processes that start at the same time, the first one's key is the
            # installation's.
            in_transaction(connection, "signing keys")
            if not only_first or not self._db.rows(_ALL):
                unretired = signing_keys.c.retired_at.is_(None)
                connection.execute(update(signing_keys).where(unretired).values(retired_at=now))
                connection.execute(
                    insert(signing_keys).values(
                        kid=kid, sealed=sealed, public=public, created_at=now
                    )
                )
        self._read()
        return self._newest() or kid

    def _newest(self) -> str | None:
        return next((kid for kid, kept in self._kept.items() if kept.retired_at is None), None)

    def _read_now_and_then(self) -> None:
        if self._elapsed_s() - self._read_at >= READ_EVERY_S:
            self._read()

    def _read(self) -> None:
        self._kept = {
            kid: _Kept(OKPKey.import_key(json.loads(public)), bytes(sealed), retired_at)
            for kid, sealed, public, retired_at in self._db.rows(_ALL)
        }
        self._read_at = self._elapsed_s()


def fits(vault: Vault, file: Path) -> bool:
    """Whether a vault opens what a copied SQLite database, which no process writes to, keeps
    sealed."""
    address = f"file:{quote(str(file.resolve()))}?mode=ro&immutable=1"
    with closing(sqlite3.connect(address, uri=True)) as copy:
        try:
            rows = copy.execute("SELECT kid, sealed FROM signing_keys LIMIT 1").fetchall()
        except sqlite3.OperationalError:
            return True  # From before there were any.
    try:
        for kid, sealed in rows:
            vault.unseal(sealed, _purpose(kid))
    except OperatorError:
        return False
    return True


def _public_of(key: OKPKey) -> dict[str, str]:
    return {name: str(value) for name, value in key.as_dict(private=False).items()}


def _verifies(kept: _Kept) -> bool:
    return kept.retired_at is None or clock.now_ms() < kept.retired_at + VERIFY_MS


def _purpose(kid: str) -> str:
    return f"signing key {kid}"
