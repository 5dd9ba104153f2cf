"""Which user ids are one person, asked of one of them."""

from __future__ import annotations

import pytest

from stationmaster.access import aliases
from stationmaster.access.aliases import AliasStatement, Evidence
from stationmaster.db.engine import Database
from tests.support.builders import an_organization


@pytest.mark.parametrize("user", ["ada", "old", "older", "laptop"])
def test_each_id_of_a_person_leads_to_all_of_them(db: Database, user: str) -> None:
    org, other = an_organization(db), an_organization(db)
    with db.transaction() as connection:
        aliases.decide(connection, org, "older", AliasStatement("old", "ada@old.example"))
        aliases.decide(connection, org, "old", AliasStatement("ada", "ada@example.com"))
        aliases.decide(connection, other, "foreign", AliasStatement("ada", "ada@example.com"))
        shown = [("laptop", "older"), ("shared", "ada"), ("shared", "bob"), ("phone", "bob")]
        aliases.add_evidence(
            connection, org, [Evidence(*pair, None, "installation") for pair in shown]
        )
        whole = aliases.directory(connection, org)

    found = aliases.ids_of(db, org, user)

    assert found == ["ada", "laptop", "old", "older"] == whole.ids_of(user)
    assert aliases.ids_of(db, org, "shared") == ["shared"]
    assert aliases.ids_of(db, org, "nobody") == ["nobody"]
