"""Secrets that the computers of an organization get: set, delete, list their keys."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from pydantic import Field, SecretStr

from stationmaster.access.model import Secret
from stationmaster.api import blocking, callers, wire
from stationmaster.api.routing import Db, Opened, router
from stationmaster.computers import secrets
from stationmaster.errors import BadRequest

routes = router("/api/v0/organization/computer-secrets", "Computers")

Name = Annotated[
    str,
    Field(min_length=1, max_length=secrets.NAME_LENGTH_MAX),
    wire.described(pattern="^[A-Z_][A-Z0-9_]*$"),
]


class ComputerSecret(wire.Question):
    key: Name
    value: Annotated[SecretStr, Field(min_length=1, max_length=secrets.VALUE_LENGTH_MAX)]


class ComputerSecretChanges(wire.Question):
    """A key has capital letters, digits and underscores, and no digit in front."""

    upsert: Annotated[tuple[ComputerSecret, ...], Field(max_length=secrets.SECRETS_MAX)] = ()
    delete: Annotated[tuple[Name, ...], Field(max_length=secrets.SECRETS_MAX)] = ()


class ComputerSecretName(wire.Answer):
    key: str


class ComputerSecrets(wire.Answer):
    """The keys of secrets. Values are written and never read back."""

    secrets: list[ComputerSecretName]


def _answer(names: Iterable[str]) -> ComputerSecrets:
    return ComputerSecrets(secrets=[ComputerSecretName(key=name) for name in names])


@routes.get("")
@blocking.reads
def list_computer_secrets(db: Db, caller: callers.Manager) -> ComputerSecrets:
    """The keys of the organization's secrets for its computers."""
    return _answer(secrets.list_names(db, caller.org_id))


@routes.patch("")
def change_computer_secrets(
    services: Opened, asked: ComputerSecretChanges, caller: callers.Manager
) -> ComputerSecrets:
    """Set and delete secrets, all or none. The answer has the keys after the change."""
    values = {secret.key: Secret(secret.value.get_secret_value()) for secret in asked.upsert}
    if len(values) < len(asked.upsert):
        raise BadRequest("A secret is set once in a request.", code="invalid_secret")
    left = secrets.change(services.db, services.vault, caller, values, asked.delete)
    return _answer(left)
