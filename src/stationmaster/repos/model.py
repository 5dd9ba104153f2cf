"""The nouns of the repository registry. Times are UTC milliseconds."""

from __future__ import annotations

import base64
from typing import Literal, NamedTuple

import msgspec

from stationmaster.access.model import Secret
from stationmaster.errors import BadRequest, Conflict
from stationmaster.ids import RepoId

Provider = Literal["github", "gitlab", "other"]
CredentialKind = Literal["token", "basic"]
FetchError = Literal[
    "unreachable",
    "forbidden",
    "not_found",
    "address_refused",
    "too_large",
    "timed_out",
    "empty",
    "invalid",
]
"""Why a repository could not be fetched; `invalid` is what git itself refuses to take in."""

_DETAILS: dict[FetchError, str] = {
    "unreachable": "The repository's server cannot be reached, or is not a git server.",
    "forbidden": "The repository's server refuses us; set or replace the credential.",
    "not_found": "The repository does not exist or is not accessible; a private one needs a "
    "credential.",
    "address_refused": "Repositories are not fetched from this host: it is local or private, and "
    "not among the hosts that the operator permits.",
    "too_large": "The repository is larger than the installation allows.",
    "timed_out": "The repository took longer to fetch than the installation allows.",
    "empty": "The repository has no commit yet.",
    "invalid": "The repository's server sent objects that git refuses.",
}
_TOKEN_MAX = 4_096
_USERNAME_MAX = 255
_TOKEN_USERS: dict[Provider, str] = {"github": "x-access-token", "gitlab": "oauth2"}
"""The user names under which these providers take a token as a password."""


class FetchFailed(Conflict):
    """A repository cannot be fetched; `reason` is why, the code is `repository_<reason>`."""

    def __init__(self, reason: FetchError, detail: str | None = None) -> None:
        super().__init__(detail or _DETAILS[reason], code=f"repository_{reason}")
        self.reason = reason


class Repository(msgspec.Struct, frozen=True):
    """A registered repository. What was fetched is None until it was.

    `fetch_error` is the outcome of the last attempt; `fetched_at` the time of the last success,
    which `default_branch` and `head_commit` are of. `looked_at` is when its server was last asked
    for its HEAD, with any outcome.
    """

    repo_id: RepoId
    url: str
    provider: Provider
    default_branch: str | None
    head_commit: str | None
    fetched_at: int | None
    fetch_error: FetchError | None
    looked_at: int | None
    has_credential: bool
    created_at: int
    created_by: str


class Head(NamedTuple):
    """What a server points its HEAD to; `branch` is None when that is no branch."""

    commit: str
    branch: str | None


class Credential(NamedTuple):
    """What opens a repository: a token, or a user's password. `username` may go with a token."""

    kind: CredentialKind
    username: str | None
    secret: Secret

    def header(self, provider: Provider) -> str:
        """The value of Authorization (RFC 7617, RFC 6750)."""
        text = self.secret.reveal()
        user = self._user(provider)
        if user is None:
            return f"Bearer {text}"
        return f"Basic {base64.b64encode(f'{user}:{text}'.encode()).decode()}"

    def login(self, provider: Provider) -> tuple[str, str]:
        """User name and password, for programs that take nothing else."""
        return self._user(provider) or "token", self.secret.reveal()

    def _user(self, provider: Provider) -> str | None:
        return self.username if self.username is not None else _TOKEN_USERS.get(provider)


def credential(kind: CredentialKind, username: str | None, secret: str) -> Credential:
    """A credential of parts from outside. Raises BadRequest, which repeats none of them."""
    if not 0 < len(secret) <= _TOKEN_MAX or not secret.isprintable():
        raise _refused("A secret is printable text of at most 4096 characters.")
    if kind == "token" and (" " in secret or not secret.isascii()):
        raise _refused("A token has neither spaces nor letters beyond ASCII.")
    if kind == "basic" and username is None:
        raise _refused("A password needs a user name.")
    if username is not None and (
        not 0 < len(username) <= _USERNAME_MAX or not username.isprintable() or ":" in username
    ):
        raise _refused("A user name is printable text without a colon.")
    return Credential(kind, username, Secret(secret))


def provider_of(url: str) -> Provider:
    """A guess from the host's name: whose habits a repository's server has."""
    first, _, rest = url.partition("://")[2].partition("/")[0].partition(".")
    if first in _TOKEN_USERS and rest:
        return first
    return "other"


def _refused(detail: str) -> BadRequest:
    return BadRequest(detail, code="invalid_credential")
