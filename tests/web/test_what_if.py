"""Another rate card on a page: the figures of the API's operation, and what is wrong said."""

from __future__ import annotations

import csv
import io
from datetime import timedelta

import httpx
import pytest

from stationmaster import clock
from tests.support.patience import PATIENCE_S
from tests.web.conftest import Office
from tests.web.worked import work

PATH = "/spend/what-if"
CARD = """
[[families]]
prefixes = ["gpt-5"]
[[families.steps]]
from = 2026-01-01
multiplier = 0.5
usd = { input = 20, output = 40, cache_read = 0, cache_write = 0 }
"""


def _form(card: str) -> dict[str, str]:
    today = clock.today()
    return {
        "first": f"{today - timedelta(days=3)}",
        "last": f"{today - timedelta(days=1)}",
        "card": card,
    }


def test_another_card_is_compared_as_the_api_does(office: Office) -> None:
    key = work(office)
    form = _form(CARD)
    question = {"startDate": form["first"], "endDate": form["last"], "card": CARD}
    told = httpx.post(
        f"{office.server.url}/api/platform/v1/costs/what-if",
        json=question,
        headers={"Authorization": f"Bearer {key}"},
        timeout=PATIENCE_S,
    )
    assert told.status_code == 200, told.text
    with office.visitor(office.person("manager")) as visitor:
        page = visitor.post(PATH, data=form)
        table = visitor.post(PATH, data={**form, "as": "csv"})

    then = sum(
        float(row["cost_usd_then"] or 0)
        for row in told.json()["data"]
        if row["model_id"] == "gpt-5"
    )
    assert then > 0
    assert page.status_code == 200
    assert f"${then:,.2f}" in page.text
    rows = {row["Model"]: row for row in csv.DictReader(io.StringIO(table.text))}
    assert float(rows["gpt-5"]["Dollars then"]) == pytest.approx(then)


@pytest.mark.parametrize("card", ["[[family", "x = 1"])
def test_a_card_that_cannot_be_read_is_shown_again_with_the_reason(
    office: Office, card: str
) -> None:
    with office.visitor(office.person("manager")) as visitor:
        page = visitor.post(PATH, data=_form(card))

    assert page.status_code == 400
    assert 'role="alert"' in page.text
    assert card in page.text


def test_it_is_for_managers(office: Office) -> None:
    with office.visitor(office.person("member")) as visitor:
        assert visitor.get(PATH).status_code == 403
        assert visitor.post(PATH, data=_form(CARD)).status_code == 403
