"""The nouns of access, names and e-mail addresses as people type them, whom a role lets pass, and
the text form of an API key: `sm_`, 43 random characters, 6 characters of checksum.

The checksum refuses typos and other systems' credentials without a query, and lets scanners of
source code recognise a leaked key for certain. What is stored is a plain SHA-256: a slow hash
protects guessable passwords, and 256 random bits are beyond guessing.

Times are UTC milliseconds.
"""

from __future__ import annotations

import re
import secrets
import string
import unicodedata
import zlib
from collections.abc import Sequence
from hashlib import sha256
from typing import Literal, get_args

import msgspec

from stationmaster.errors import BadRequest, Forbidden
from stationmaster.ids import KeyId, OrgId, UserId

Role = Literal["owner", "manager", "member", "guest"]
ServiceRole = Literal["manager", "member", "guest"]
Scope = Literal["full", "ingest"]
MemberStatus = Literal["invited", "active", "removed"]
PrincipalKind = Literal["human", "service"]
PrivacyMode = Literal["named", "pseudonymous", "team-only", "off"]
Method = Literal["password", "oidc", "link"]
"""How a person signed in: with a password, at an OpenID Connect issuer, or with a sign-in link."""
Source = Literal["public_api_v0", "public_api", "platform_api", "web", "cli", "system"]
"""The interface by which a change was made; "system" is the software itself."""

ROLES: tuple[Role, ...] = get_args(Role)
SERVICE_ROLES: tuple[ServiceRole, ...] = get_args(ServiceRole)
SCOPES: tuple[Scope, ...] = get_args(Scope)
ROLE_ALIASES: dict[str, Role] = {"user": "member", "admin": "manager", "viewer": "guest"}
"""Words other systems use for the same roles, understood on input and never shown."""


class Member(msgspec.Struct, frozen=True):
    """A person in one organization; `email` is in lower case.

    Who is invited has not joined yet and cannot act; who was removed is in no list.
    """

    user_id: UserId
    email: str
    role: Role
    created_at: int
    status: MemberStatus = "active"
    team: str | None = None

    @property
    def principal_id(self) -> str:
        """The user id, under the name that both kinds of principals have."""
        return self.user_id


class ServiceAccount(msgspec.Struct, frozen=True):
    """A program's own identity. It acts only while it is active."""

    service_account_id: str
    name: str
    role: ServiceRole
    is_active: bool
    created_at: int

    @property
    def principal_id(self) -> str:
        """The account's id, under the name that both kinds of principals have."""
        return self.service_account_id


Principal = Member | ServiceAccount


class ApiKey(msgspec.Struct, frozen=True):
    """What is known of a key after it was shown: everything but the secret.

    `role` is the most that it may do, whatever its holder may; None is as much as the holder.
    `hint` is its beginning, enough for its owner to recognise it. `last_used_at` is up to a minute
    behind. `made_with` is the key or session that made it; None is the operator, or not recorded.
    """

    key_id: KeyId
    principal_kind: PrincipalKind
    principal_id: str
    name: str
    scope: Scope
    hint: str
    created_at: int
    expires_at: int | None
    revoked_at: int | None
    last_used_at: int | None
    role: Role | None = None
    made_with: str | None = None

    def is_active(self, now: int) -> bool:
        """Whether it is neither revoked nor expired at a time in milliseconds."""
        return self.revoked_at is None and (self.expires_at is None or self.expires_at > now)


def made_with(keys: Sequence[ApiKey], key_id: str) -> list[ApiKey]:
    """Those of the keys that a key made, that these made, and so on."""
    makers, before = {key_id}, 0
    while before < len(makers):
        before = len(makers)
        makers |= {key.key_id for key in keys if key.made_with in makers}
    return [key for key in keys if key.key_id in makers and key.key_id != key_id]


class KeysLeft(msgspec.Struct, frozen=True):
    """The active keys that remain when a key is revoked."""

    made: list[ApiKey]
    """Those that it made, directly or through keys that it made."""
    of_holder: list[ApiKey]
    """Its holder's others."""


class Caller(msgspec.Struct, frozen=True):
    """Who makes a request, as of this request. `email` is None for a service account.

    `key_id` is the API key, or the session that an access token belongs to.
    """

    org_id: OrgId
    principal_kind: PrincipalKind
    principal_id: str
    email: str | None
    role: Role
    key_id: KeyId
    scope: Scope
    source: Source = "platform_api"
    privacy: PrivacyMode | None = None
    """How the organization shows people, where the credential was looked up with it."""

    @property
    def is_operator(self) -> bool:
        """Whether a command of the machine itself acts, whose operator owns the database anyway."""
        return self.source == "cli"


class Session(msgspec.Struct, frozen=True):
    """One sign-in of a member, until it is ended, revoked or unused for thirty days.

    `used_at` is up to a minute behind.
    """

    org_id: OrgId
    session_id: str
    user_id: UserId
    method: Method
    created_at: int
    used_at: int
    expires_at: int
    revoked_at: int | None


class Secret:
    """A text that must not end up in a log: only `reveal` gives it out."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """The text itself."""
        return self._text

    def __repr__(self) -> str:
        return "Secret(…)"


def lesser(role: Role, other: Role) -> Role:
    """The one of two roles that may do less."""
    return max(role, other, key=ROLES.index)


def role_of(text: str) -> Role:
    """A role from what a person typed; raises BadRequest for any other word."""
    word = text.strip().lower()
    if word in ROLES:
        return word
    if word in ROLE_ALIASES:
        return ROLE_ALIASES[word]
    raise BadRequest(f"A role is one of {', '.join(ROLES)}.", code="invalid_role")


def service_role_of(text: str) -> ServiceRole:
    """Like `role_of`, without owner: no program owns an organization."""
    role = role_of(text)
    if role == "owner":
        raise BadRequest(
            f"The role of a service account is one of {', '.join(SERVICE_ROLES)}.",
            code="invalid_role",
        )
    return role


def is_program(principal_id: str) -> bool:
    """Whether an id is that of a service account, and not of a person."""
    return principal_id.startswith("svc_")


def require(caller: Caller, *roles: Role) -> None:
    """Let a caller pass who has one of the roles (any role when none is named) and full scope.

    Raises Forbidden. Where telemetry is sent, which is all that an ingest key may do, this is not
    asked.
    """
    if caller.scope != "full":
        raise Forbidden(
            "This API key may only send telemetry; use one with full scope.",
            code="insufficient_scope",
        )
    if roles and caller.role not in roles:
        raise Forbidden(f"This needs the role {' or '.join(roles)}; yours is {caller.role}.")


NAME_LENGTH_MAX = 100
EMAIL_LENGTH_MAX = 254
"""The longest address that SMTP can carry: RFC 5321, 4.5.3.1.3."""


def name_of(text: str) -> str:
    """A name to show, without spaces around; raises BadRequest."""
    name = unicodedata.normalize("NFC", text).strip()
    if not 0 < len(name) <= NAME_LENGTH_MAX or any(map(_is_control, name)):
        raise BadRequest(
            f"A name has 1 to {NAME_LENGTH_MAX} characters and no control characters.",
            code="invalid_name",
        )
    return name


def email_of(text: str) -> str:
    """An address in lower case; raises BadRequest for what no mail could reach.

    Deliberately simple: only a mail can show whether an address is in use.
    """
    email = text.strip().lower()
    local, _, domain = email.partition("@")
    if (
        not local
        or not domain
        or "@" in domain
        or len(email) > EMAIL_LENGTH_MAX
        or any(letter.isspace() or _is_control(letter) for letter in email)
    ):
        raise BadRequest("This is not an e-mail address.", code="invalid_email")
    return email


def _is_control(letter: str) -> bool:
    return unicodedata.category(letter)[0] == "C"


KEY_PREFIX = "sm_"
KEY_ALPHABET = string.digits + string.ascii_uppercase + string.ascii_lowercase
BODY_LENGTH = 43
"""62**43 is just above 2**256."""
CHECKSUM_LENGTH = 6
"""62**6 is above 2**32, the range of CRC-32."""
HINT_LENGTH = 4
_PAIRS = [first + second for first in KEY_ALPHABET for second in KEY_ALPHABET]
"""The digits of base 62 * 62: checked at every request, three are quicker than six."""
_FORM = re.compile(rf"{KEY_PREFIX}[0-9A-Za-z]{{{BODY_LENGTH + CHECKSUM_LENGTH}}}")


def new_key(prefix: str = KEY_PREFIX) -> Secret:
    """A fresh key; another kind of credential has the same form behind a prefix of its own."""
    unsigned = prefix + "".join(secrets.choice(KEY_ALPHABET) for _ in range(BODY_LENGTH))
    return Secret(unsigned + _checksum(unsigned))


def is_whole_key(token: str) -> bool:
    """Whether a token has the form of a key and its checksum fits; it may still be unknown."""
    return (
        _FORM.fullmatch(token) is not None
        and _checksum(token[:-CHECKSUM_LENGTH]) == token[-CHECKSUM_LENGTH:]
    )


def hash_of(token: str) -> str:
    """What is stored of a key: 64 hex digits."""
    return sha256(token.encode()).hexdigest()


def hint_of(token: str) -> str:
    """What is shown of a key later: its prefix and 4 of its 43 random characters."""
    return token[: len(KEY_PREFIX) + HINT_LENGTH] + "…"


def _checksum(text: str) -> str:
    rest, low = divmod(zlib.crc32(text.encode()), len(_PAIRS))
    high, middle = divmod(rest, len(_PAIRS))
    return _PAIRS[high] + _PAIRS[middle] + _PAIRS[low]
