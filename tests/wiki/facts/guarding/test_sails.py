"""Routes of Sails, with the files of their actions and the policies before each."""

from __future__ import annotations

import pytest

from stationmaster.wiki.facts.interfaces.routes import Endpoint, endpoints
from tests.wiki.commits import facts_of

APP = "shop/api"
ACTION = "module.exports = { fn() { return 1; } };\n"
REFUSING = "module.exports = function asks(req, res, next) { return res.notFound(); };\n"
PASSING = "module.exports = function notes(req, res, next) { return next(); };\n"


def served(routes: str, policies: str, **files: str) -> list[Endpoint]:
    tables = {
        "shop/config/routes.js": f"const open = () => (req, res) => res.ok();\n"
        f"module.exports.routes = {{ {routes} }};\n",
        "shop/config/policies.js": f"module.exports.policies = {{ {policies} }};\n",
    }
    return [*endpoints(facts_of({"package.json": "{}", **tables, **files}))]


def test_the_table_of_routes_has_actions_functions_views_and_expressions() -> None:
    found = served(
        "'get /tins': 'tins/index', '/': { view: 'home' }, 'POST /tins': 'TinsController.add',\n"
        "'GET /old': '/new', 'GET /pictures/*': { fn: open('/pictures') },\n"
        r"'GET r|^/tins/(\\d+)/(\\w+)$|id,size': { action: 'tins/show' }, 'GET it': 'tins/index'",
        "",
        **{
            f"{APP}/controllers/tins/index.js": ACTION,
            f"{APP}/controllers/TinsController.js": "module.exports = { add(req, res) {} };\n",
        },
    )
    assert [(it.methods, it.route, it.handler, it.handler_path) for it in found] == [
        (("ANY",), "/", "", ""),
        (("GET",), "/old", "", ""),
        (("GET",), "/pictures/*", "open", "shop/config/routes.js"),
        (("GET",), "/tins", "tins/index", f"{APP}/controllers/tins/index.js"),
        (("POST",), "/tins", "TinsController.add", f"{APP}/controllers/TinsController.js"),
        (("GET",), "/tins/<id>/<size>", "tins/show", ""),
    ]


@pytest.mark.parametrize(
    ("policies", "guards"),
    [
        ("'*': ['asks', 'notes']", ["asks"]),
        ("'*': 'asks', 'tins/*': false", ["false"]),
        ("'tins/*': 'asks', TinsController: { index: ['notes', 'isOwner'] }", ["isOwner"]),
        ("'*': 'asks', 'tins/index': true", "public"),
        ("'tills/*': 'asks'", []),
    ],
)
def test_the_policies_that_are_stated_for_an_action_stand_instead_of_those_for_several(
    policies: str, guards: list[str] | str
) -> None:
    (route,) = served(
        "'GET /tins': 'tins/index'",
        policies,
        **{f"{APP}/policies/asks.js": REFUSING, f"{APP}/policies/notes.js": PASSING},
    )
    names = [guard.name for guard in route.guards]
    assert ("public" if route.is_public else names) == guards
