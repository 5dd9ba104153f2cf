"""Visits: which role opens a page is asked before anything else."""

from __future__ import annotations

import pytest

from tests.web.conftest import Office


@pytest.mark.parametrize(
    "path", ["/settings/members", "/settings/alerts", "/repositories", "/spend/what-if"]
)
def test_who_may_not_send_a_form_is_refused_before_its_fields_are_checked(
    office: Office, path: str
) -> None:
    with office.visitor(office.person("member")) as visitor:
        refused = visitor.post(path, data={})
    with office.visitor(office.person("manager")) as visitor:
        incomplete = visitor.post(path, data={})

    assert (refused.status_code, incomplete.status_code) == (403, 400)
