"""An installation of before budgets keeps its limits; budgets of repositories get one address."""

from __future__ import annotations

from stationmaster.db.engine import Database
from stationmaster.ids import OrgId
from stationmaster.limits import service
from stationmaster.limits.budgets import budgets_of
from tests.db import oldest


def test_credit_limits_are_taken_over_as_budgets_that_refuse_nothing(
    empty_database_url: str,
) -> None:
    db = Database.open(empty_database_url)
    with db.transaction() as connection:
        oldest.make(connection)
        for principal, credits in (("user_ada", 2**53 - 1), ("svc_nightly", 1_000_000)):
            connection.exec_driver_sql(
                f"INSERT INTO credit_limits VALUES ('org_a', '{principal}', {credits})"
            )
        connection.exec_driver_sql("INSERT INTO global_credit_limits VALUES ('org_b', 5000000)")

    db.migrate()

    assert service.limits(db, OrgId("org_b")).global_limit == 5_000_000
    found = [
        (budget.scope, budget.amount, budget.currency, budget.period, budget.at_end)
        for budget in budgets_of(db, OrgId("org_a"))
    ]
    assert found == [
        (("service-account", "svc_nightly"), 1_000_000, "credits", "month", "warn"),
        (("user", "user_ada"), 2**53 - 1, "credits", "month", "warn"),
    ]
    db.close()


def test_budgets_of_repositories_have_the_address_that_reports_have(
    empty_database_url: str,
) -> None:
    db = Database.open(empty_database_url)
    stored = [
        ("b1", "https://git.example.com/Team/Shop.git", "day"),
        ("b2", "git.example.com/team/shop", "month"),
        ("b3", "https://git.example.com/team/shop", "month"),
        ("b4", "git@git.example.com:team/shop.git", "week"),
        ("b5", "https://git.example.com/team/shop", "week"),
        ("b6", "no address", "month"),
    ]
    db.migrate()
    with db.transaction() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '0037'")
        for number, (budget, address, period) in enumerate(stored):
            connection.exec_driver_sql(
                "INSERT INTO budgets (org_id, budget_id, scope_kind, scope_id, currency, period, "
                "starts_on, ends_on, amount, at_end, models, when_unreachable, created_at, "
                f"updated_at) VALUES ('org_a', '{budget}', 'repository', '{address}', 'usd', "
                f"'{period}', '', '', '5', 'refuse', '[]', 'allow', 0, {number})"
            )

    db.migrate()

    kept = {b.id: b.scope.id for b in budgets_of(db, OrgId("org_a"))}
    assert kept == {
        "b1": "git.example.com/team/shop",
        "b2": "git.example.com/team/shop",
        "b5": "git.example.com/team/shop",
        "b6": "no address",
    }
    db.close()
