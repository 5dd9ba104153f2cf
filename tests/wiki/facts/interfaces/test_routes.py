"""Routes with their whole paths, from what files tell of their own routers."""

from collections.abc import Mapping

import pytest

from stationmaster.reading.code.model import FileFacts, Import, Mount, Route, Setting, Symbol
from stationmaster.wiki.facts.interfaces.routes import Endpoint, area, endpoints
from stationmaster.wiki.facts.model import Facts
from tests.wiki.commits import facts_of


def said(code: Mapping[str, FileFacts], **files: str) -> Facts:
    facts = facts_of({**dict.fromkeys(code, ""), **files})
    facts.code = dict(sorted(code.items()))
    return facts


def paths(facts: Facts) -> list[tuple[str, str]]:
    return [(" ".join(each.methods), each.route) for each in endpoints(facts)]


def test_a_router_is_put_on_others_through_imports_and_has_a_prefix_of_its_own() -> None:
    facts = said({
        "app/items.py": FileFacts(
            symbols=(Symbol("read", "function", 5, 9),),
            mounts=(Mount("", "router", "/items", 2),),
            routes=(Route("GET", "/", 4, "read", "router", "login", "FastAPI"),
                    Route("GET", "/{id}", 8, "one", "router", "", "FastAPI")),
        ),
        "app/api.py": FileFacts(
            imports=(Import("app", 1, names=("items",), bound=("items",)),),
            mounts=(Mount("api_router", "items.router", "", 3),),
        ),
        "app/main.py": FileFacts(
            imports=(Import("app.api", 1, names=("api_router",), bound=("api_router",)),),
            mounts=(Mount("app", "api_router", "{settings.API}", 3),),
            settings=(Setting("API", "env", 1, default="/api/v1"),),
        ),
    })  # fmt: skip
    assert endpoints(facts) == (
        Endpoint(("GET",), "/api/v1/items/", "app/items.py", 4, "read", "app/items.py", 5, 9,
                 "login", "FastAPI"),
        Endpoint(("GET",), "/api/v1/items/{id}", "app/items.py", 8, "one", "", 0, 0, "",
                 "FastAPI"),
    )  # fmt: skip


def test_tables_of_addresses_include_one_another_by_dotted_names() -> None:
    facts = said({
        "hc/urls.py": FileFacts(mounts=(Mount("urlpatterns", "hc.api.urls", "api/", 1),)),
        "hc/api/urls.py": FileFacts(
            mounts=(Mount("urlpatterns", "api_urls", "v1/", 1),
                    Mount("urlpatterns", "api_urls", "v2/", 2)),
            routes=(Route("ANY", "checks/", 3, "views.checks", "api_urls", "", "Django"),
                    Route("ANY", r"^(?P<slug>[\w-]+)/$", 4, "", "urlpatterns", "", "Django")),
            imports=(Import("hc.api", 1, names=("views",), bound=("views",)),),
        ),
        "hc/api/views.py": FileFacts(symbols=(Symbol("checks", "function", 7, 8),)),
    })  # fmt: skip
    assert paths(facts) == [
        ("ANY", "/api/<slug>/"), ("ANY", "/api/v1/checks/"), ("ANY", "/api/v2/checks/"),
    ]  # fmt: skip
    assert endpoints(facts)[1].handler_path == "hc/api/views.py"


@pytest.mark.parametrize(
    ("framework", "expected"), [("Flask", "/blog/new"), ("FastAPI", "/blog/posts/new")]
)
def test_a_mount_of_flask_takes_the_place_of_the_routers_own_prefix(
    framework: str, expected: str
) -> None:
    facts = said({"app.py": FileFacts(
        mounts=(Mount("", "bp", "/posts", 1), Mount("app", "bp", "/blog", 2)),
        routes=(Route("POST", "/new", 3, "", "bp", "", framework),),
    )})  # fmt: skip
    assert paths(facts) == [("POST", expected)]


def test_methods_of_one_handler_on_one_path_are_one_route() -> None:
    facts = said({"app.py": FileFacts(routes=(
        Route("POST", "/a", 1, "a", "app"), Route("GET", "/a", 1, "a", "app"),
        Route("GET", "/b", 1, "", "app"), Route("GET", "/b", 2, "", "app"),
    ))})  # fmt: skip
    assert paths(facts) == [("GET POST", "/a"), ("GET", "/b"), ("GET", "/b")]


def test_routers_that_are_put_on_themselves_end() -> None:
    facts = said({"app.py": FileFacts(
        mounts=(Mount("a", "b", "/b", 1), Mount("b", "a", "/a", 2), Mount("a", "a", "/s", 3)),
        routes=(Route("GET", "/x", 3, "", "a"),),
    )})  # fmt: skip
    assert len(paths(facts)) == 1


def test_routes_of_tests_are_none() -> None:
    facts = said({"tests/test_app.py": FileFacts(routes=(Route("GET", "/x", 1),))})
    assert paths(facts) == []


def test_files_are_routes_where_a_manifest_asks_for_their_framework() -> None:
    handler = FileFacts(symbols=(
        Symbol("GET", "function", 1, 2), Symbol("helper", "function", 3, 4),
        Symbol("POST", "method", 5, 6, "Other"),
    ))  # fmt: skip
    code = {
        "web/src/app/(auth)/users/[id]/route.ts": handler,
        "web/src/app/users/page.tsx": FileFacts(),
        "web/pages/api/[...all].ts": FileFacts(),
        "kit/src/routes/+server.ts": handler,
        "other/src/app/route.ts": handler,
    }
    facts = said(code, **{
        "web/package.json": '{"name": "web", "dependencies": {"next": "15"}}',
        "kit/package.json": '{"name": "kit", "devDependencies": {"@sveltejs/kit": "2"}}',
        "other/package.json": '{"name": "other"}',
    })  # fmt: skip
    assert [(*each.methods, each.route, each.handler_line) for each in endpoints(facts)] == [
        ("GET", "/", 1), ("ANY", "/api/{all...}", 1), ("GET", "/users/{id}", 1),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("route", "expected"),
    [
        ("/api/v1/users/{id}", "/api/v1/users"), ("/users/<int:id>", "/users"),
        ("/{id}", ""), ("/", ""), ("/api", "/api"), ("/:slug/x", ""),
    ],
)  # fmt: skip
def test_a_route_belongs_to_the_first_step_that_tells_something(route: str, expected: str) -> None:
    assert area(route) == expected
