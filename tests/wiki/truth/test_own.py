"""What a wiki says of this repository, beside what the program itself says of it."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from starlette.routing import Route

import stationmaster
from stationmaster.cli import application
from stationmaster.settings import PREFIX, Settings
from stationmaster.wiki.facts.interfaces.routes import endpoints
from stationmaster.wiki.facts.interfaces.settings import settings
from stationmaster.wiki.facts.model import Facts
from tests.wiki.commits import facts_of

SOURCE = Path(stationmaster.__file__).parent
ROOMS = ("api", "web", "mcp", "cli/application.py", "settings.py", "analytics/model.py")


@pytest.fixture(scope="module")
def facts() -> Facts:
    paths = [
        path
        for room in ROOMS
        for path in ([SOURCE / room] if room.endswith(".py") else (SOURCE / room).rglob("*.py"))
    ]
    return facts_of({str(path.relative_to(SOURCE.parent)): path.read_text() for path in paths})


def test_every_operation_and_page_is_a_route(facts: Facts) -> None:
    """Operations that a table makes in a loop are one route with a variable."""
    read = {(method, each.route) for each in endpoints(facts) for method in each.methods}
    app = application.create(Settings(), background=None)
    served = {
        (method, each.path)
        for each in app.router.routes
        if isinstance(each, Route)
        for method in each.methods or ()
    }
    served |= {(each.method, each.path) for each in app.routes_of_edge}
    looped = ("/api/v1/analytics/", "/api/platform/v1/analytics/", "/v1/", "/relay/")
    # A route that answers GET answers HEAD, too, without saying so.
    compared = {each for each in served if each[0] != "HEAD" and not each[1].startswith(looped)}
    assert sorted(compared - read) == []
    assert sorted(each for each in read - served if not each[1].startswith(looped)) == []
    assert {
        ("GET", "/api/v1/analytics/{report}"),
        ("GET", "/api/platform/v1/analytics/{report}"),
    } < read


def test_every_setting_has_its_variable(facts: Facts) -> None:
    fields = {f"{PREFIX}{each.name.upper()}" for each in msgspec.structs.fields(Settings)}
    read = {each.name for each in settings(facts) if each.name.startswith(PREFIX)}
    assert fields <= read
    assert len(read - fields) <= 2  # Read where no settings are built yet.
