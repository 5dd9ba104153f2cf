"""Scopes as people write them: `user:ada@example.com`, `team:compilers`, `model:claude-opus-*`."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Connection, select

from stationmaster import ids
from stationmaster.access import store
from stationmaster.access.model import is_program, name_of
from stationmaster.agents import values
from stationmaster.agents.cards import PRODUCTS
from stationmaster.db.tables.access import service_accounts
from stationmaster.errors import BadRequest, NotFound, did_you_mean
from stationmaster.limits.budgets import SCOPE_KINDS, UNNAMED, Scope, ScopeKind

TEXT_MAX = 1_100
MODEL_MAX = 100


def read(connection: Connection, org: ids.OrgId, text: str) -> Scope:
    """The scope that a text means. Raises BadRequest for another form, NotFound for what the
    organization does not have."""
    word, _, name = text.strip().partition(":")
    kind = next((kind for kind in SCOPE_KINDS if kind == word.strip().lower()), None)
    if kind is None:
        raise BadRequest(
            f"A scope is {', '.join(UNNAMED)}, or one of "
            f"{', '.join(f'{kind}:…' for kind in SCOPE_KINDS if kind not in UNNAMED)}."
            f"{did_you_mean(word, SCOPE_KINDS)}",
            code="invalid_scope",
        )
    name = name.strip()
    if kind in UNNAMED:
        if name:
            raise BadRequest(
                f"The scope {kind} does not have a name; leave it out.", code="invalid_scope"
            )
        return Scope(kind)
    if not name:
        raise BadRequest(f"The scope {kind} needs a name: {kind}:NAME.", code="invalid_scope")
    if not name.isprintable():
        raise BadRequest("A name has only printable characters.", code="invalid_scope")
    return Scope(kind, _IDS[kind](connection, org, name))


def _user(connection: Connection, org: ids.OrgId, name: str) -> str:
    user = ids.UserId(name) if name.startswith("user_") else ids.user_of_email(org, name)
    member = store.member(connection, org, user)
    if member is None or member.status == "removed":
        raise NotFound(f"There is no member with the address {name}.")
    return user


def _account(connection: Connection, org: ids.OrgId, name: str) -> str:
    columns = service_accounts.c
    column = columns.service_account_id if is_program(name) else columns.name
    account_id = connection.execute(
        select(columns.service_account_id).where(
            columns.org_id == org, column == name, columns.removed_at.is_(None)
        )
    ).scalar()
    if account_id is None:
        raise NotFound(f"There is no service account {name}.")
    return str(account_id)


def _key(connection: Connection, org: ids.OrgId, name: str) -> str:
    if store.key(connection, org, ids.KeyId(name)) is None:
        raise NotFound(f"There is no key {name}; `stationmaster keys list` shows their ids.")
    return name


def _repository(_connection: Connection, _org: ids.OrgId, name: str) -> str:
    # As reports name it, which is how use is counted by repository.
    address = values.repository(name)
    if address is None:
        raise BadRequest(
            "A repository is named by its address, like https://git.example.com/team/shop.",
            code="invalid_scope",
        )
    return address


def _agent(_connection: Connection, _org: ids.OrgId, name: str) -> str:
    agent = name.lower()
    if agent not in PRODUCTS:
        raise BadRequest(
            f"An agent is one of {', '.join(PRODUCTS)}.{did_you_mean(name, PRODUCTS)}",
            code="invalid_scope",
        )
    return agent


def _team(_connection: Connection, _org: ids.OrgId, name: str) -> str:
    return name_of(name)


def model(name: str) -> str:
    """A pattern of models as it is kept. Raises BadRequest."""
    pattern = name.strip().lower()
    if not 0 < len(pattern) <= MODEL_MAX or not pattern.isprintable() or " " in pattern:
        raise BadRequest(
            f"A pattern of models has 1 to {MODEL_MAX} characters without spaces, like "
            "claude-haiku-*.",
            code="invalid_models",
        )
    return pattern


_IDS: dict[ScopeKind, Callable[[Connection, ids.OrgId, str], str]] = {
    "user": _user,
    "service-account": _account,
    "key": _key,
    "repository": _repository,
    "agent": _agent,
    "team": _team,
    "model": lambda _connection, _org, name: model(name),
}
