"""Routes with their whole paths, from what files tell of their own routers."""

import json
from collections.abc import Mapping

import pytest

from stationmaster.reading.code.model import (
    FileFacts,
    Import,
    Made,
    Maker,
    Mount,
    Route,
    Setting,
    Symbol,
    Wiring,
)
from stationmaster.wiki.facts.code.flows import starts
from stationmaster.wiki.facts.guarding.guards import Guard
from stationmaster.wiki.facts.interfaces.routes import Endpoint, endpoints
from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.facts.parting import PART_MAX, area, by_area
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
                 (Guard("login", None),), "FastAPI"),
        Endpoint(("GET",), "/api/v1/items/{id}", "app/items.py", 8, "one", "", 0, 0, (),
                 "FastAPI"),
    )  # fmt: skip


def test_controllers_stand_where_their_base_in_another_file_says() -> None:
    facts = said({
        "Base.cs": FileFacts(wiring=Wiring(
            makers=(Maker("Base", "ASP.NET", ("class",), "api/{class}/[action]"),))),
        "Orders.cs": FileFacts(
            routes=(Route("GET", "/{id}", 3, "Orders.One", "Orders", "", "ASP.NET"),),
            wiring=Wiring(made=(Made("Orders", "Base", 1, {"class": "Orders"}),)),
        ),
    })  # fmt: skip
    assert paths(facts) == [("GET", "/api/Orders/One/{id}")]


def test_fastify_loads_routes_below_the_folders_that_they_lie_in() -> None:
    route = Route("GET", "/:id", 3, "", "fastify", "", "Fastify")
    code = {path: FileFacts(routes=(route,)) for path in ("src/routes/api/tasks/index.ts",)}
    manifest = json.dumps({"dependencies": {"fastify": "5", "@fastify/autoload": "6"}})
    assert paths(said(code, **{"package.json": manifest})) == [("GET", "/api/tasks/:id")]
    assert paths(said(code)) == [("GET", "/:id")]


def test_a_method_of_what_a_function_made_puts_its_routes_on_a_router() -> None:
    code = {
        "main.go": FileFacts(
            mounts=(Mount("main", "api.NewShop.Register", "/api", 3),),
            imports=(Import("example.com/x/api", 1, bound=("api",)),),
        ),
        "api/shop.go": FileFacts(
            package="api",
            routes=(Route("GET", "/things", 5, "list", "Shop.Register", "", "chi"),),
            symbols=(Symbol("NewShop", "function", 2, 3), Symbol("Shop", "struct", 1, 1)),
        ),
    }
    found = paths(said(code, **{"go.mod": "module example.com/x\n"}))
    assert found == [("GET", "/api/things")]


def test_a_prefix_that_settings_hold_is_their_default() -> None:
    facts = said({
        "main.py": FileFacts(
            routes=(Route("GET", "/{settings.api_prefix}/users", 3, "users", "", "", "FastAPI"),),
            settings=(Setting("API_PREFIX", "env", 1, default="/api"),),
        )
    })  # fmt: skip
    assert paths(facts) == [("GET", "/api/users")]


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
    ("body", "methods"),
    [
        ('if (req.method !== "POST") return res.status(405).end();\n  save();', "POST"),
        ('if (req.method === "GET") {\n    list();\n  } else if (req.method === "PUT") {\n'
         "    save();\n  }", "GET PUT"),
        ('switch (req.method) {\n    case "GET":\n      return list();\n    default:\n'
         "      return res.status(405).end();\n  }", "GET"),
        ('if (req.method === "PUT") {\n    return save();\n  }\n  return list();', "ANY"),
        ("return list();", "ANY"),
    ],
)  # fmt: skip
def test_the_handler_of_a_page_of_next_answers_the_methods_that_it_compares(
    body: str, methods: str
) -> None:
    facts = facts_of({
        "package.json": '{"name": "web", "dependencies": {"next": "15"}}',
        "pages/api/carts.ts": f"async function carts(req, res) {{\n  {body}\n}}\n"
        "export default signedIn(carts);\n",
    })  # fmt: skip
    (endpoint,) = endpoints(facts)
    assert (" ".join(endpoint.methods), endpoint.handler, endpoint.handler_line) == (
        methods, "carts", 1,
    )  # fmt: skip


def test_handlers_of_mocks_are_no_part_of_the_api() -> None:
    answer = (
        "import { answer, limit } from '../../helpers/respond'\n"
        "const handler = (req, res) => {\n  NAME(req, res)\n}\nexport default handler\n"
    )
    facts = facts_of({
        "package.json": '{"name": "web", "dependencies": {"next": "15"}}',
        "helpers/respond.ts": "export const answer = (req, res) => {\n"
        "  if (!isMockMode) {\n    res.status(404).send('')\n    return\n  }\n"
        "  res.json(1)\n}\n"
        "export const limit = (req, res) => {\n  if (!req.user) {\n    return\n  }\n}\n",
        "pages/api/mocked.ts": answer.replace("NAME", "answer"),
        "pages/api/real.ts": answer.replace("NAME", "limit"),
        "pages/api/mocks/one.ts": answer.replace("NAME", "limit"),
        "app/__mocks__/api/route.ts": "export function GET() {\n  return 1\n}\n",
    })  # fmt: skip
    assert [each.route for each in endpoints(facts)] == ["/api/real"]


@pytest.mark.parametrize(
    ("route", "expected"),
    [
        ("/api/v1/users/{id}", "/api/v1/users"), ("/users/<int:id>", "/users"),
        ("/{id}", ""), ("/", ""), ("/api", "/api"), ("/:slug/x", ""),
        ("/api/trpc/users.list", "/api/trpc/users"), ("/api/a.example/x", "/api/a.example"),
    ],
)  # fmt: skip
def test_a_route_belongs_to_the_first_step_that_tells_something(route: str, expected: str) -> None:
    assert area(route) == expected


def test_behind_a_step_that_nearly_all_routes_share_they_belong_to_the_next() -> None:
    routes = [f"/auth/v1/{name}/{n}" for name in ("keys", "users") for n in range(PART_MAX)]
    sheet, *_ = by_area([endpoint(route) for route in (*routes, "/up")], "Routes")
    assert [part.title for part in sheet.parts] == ["/auth/v1/keys", "/auth/v1/users", "/up"]


def test_routes_at_the_top_are_numbered_where_they_are_many() -> None:
    routes = [f"/{{name}}/{number}" for number in range(2 * PART_MAX)]
    sheets = by_area([endpoint(route) for route in (*routes, "/{name}", "/up")], "Routes")
    assert [part.title for sheet in sheets for part in sheet.parts] == [
        "/, part 1",
        "/, part 2",
        "/ to /up",
    ]


def endpoint(route: str) -> Endpoint:
    return Endpoint(("GET",), route, "a.py", 1, "", "", 0, 0, (), "Flask")


def test_view_sets_have_the_routes_of_what_they_build_on_and_their_actions() -> None:
    facts = facts_of({
        "shop/urls.py": "from django.urls import include, path\nfrom shop.api import router\n"
        "urlpatterns = [path('api/', include(router.urls))]\n",
        "shop/api.py": "from rest_framework.routers import DefaultRouter\n"
        "from shop.views import TillViewSet\n\nrouter = DefaultRouter()\n"
        "router.register('tills', TillViewSet)\n",
        "shop/views.py": "from rest_framework import mixins, viewsets\n"
        "from rest_framework.decorators import action\n\n\n"
        "class TillViewSet(mixins.ListModelMixin, viewsets.GenericViewSet):\n"
        "    lookup_field = 'number'\n\n    def create(self, request):\n        return 1\n\n"
        "    @action(detail=True, methods=['post', 'delete'], url_path='close-now')\n"
        "    def close(self, request, number):\n        return 1\n\n"
        "    @action(detail=False)\n    def open(self, request):\n        return 1\n",
    })  # fmt: skip
    found = [(" ".join(e.methods), e.route, e.handler, e.handler_path) for e in endpoints(facts)]
    assert found == [
        ("GET", "/api/tills/", "TillViewSet", "shop/views.py"),
        ("POST", "/api/tills/", "TillViewSet.create", "shop/views.py"),
        ("GET", "/api/tills/open/", "TillViewSet.open", "shop/views.py"),
        ("DELETE POST", "/api/tills/{number}/close-now/", "TillViewSet.close", "shop/views.py"),
    ]  # fmt: skip


def test_a_class_answers_the_methods_that_it_has() -> None:
    facts = facts_of({
        "shop/urls.py": "from django.urls import path\nfrom shop import views\n"
        "urlpatterns = [path('till', views.Till.as_view()), path('all', views.All.as_view()),\n"
        "    path('one', views.One.as_view()), path('own', views.Own.as_view())]\n",
        "shop/views.py": "from django.views import View\n"
        "from django.views.generic import ListView\n"
        "from rest_framework.generics import RetrieveUpdateAPIView\n"
        "class Base(View):\n    pass\n\nclass Till(Base):\n    def get(self, request):\n"
        "        return 1\n\n    def post(self, request):\n        return 1\n\n"
        "class All(ListView):\n    def post(self, request):\n        return 1\n\n"
        "class One(RetrieveUpdateAPIView):\n    pass\n\nclass Own(Unknown):\n    pass\n",
    })  # fmt: skip
    found = [(" ".join(each.methods), each.route, each.handler) for each in endpoints(facts)]
    assert found == [
        ("GET", "/all", "views.All"), ("POST", "/all", "views.All.post"),
        ("GET PATCH PUT", "/one", "views.One"),
        ("ANY", "/own", "views.Own"), ("GET", "/till", "views.Till.get"),
        ("POST", "/till", "views.Till.post"),
    ]  # fmt: skip
    assert {each.handler_path for each in endpoints(facts)} == {"shop/views.py"}


def test_resources_of_flask_are_added_by_methods_of_the_project_too() -> None:
    facts = facts_of({
        "shop/api.py": "from flask_restful import Api, Resource\n\nclass Own(Api):\n"
        "    def add_shop_resource(self, resource, *urls):\n"
        "        return self.add_resource(resource, *urls)\n\napi = Own()\n\n"
        "class Till(Resource):\n    def post(self):\n        return 1\n\n"
        "api.add_shop_resource(Till, '/tills', '/all-tills')\n",
    })  # fmt: skip
    found = [(" ".join(each.methods), each.route, each.handler) for each in endpoints(facts)]
    assert found == [("POST", "/all-tills", "Till.post"), ("POST", "/tills", "Till.post")]


def test_a_request_is_called_by_its_whole_path_where_one_handler_answers_several() -> None:
    tail = "  const b = 2;\n  return b;\n}\n"
    facts = facts_of({
        "package.json": '{"dependencies": {"express": "4"}}',
        "src/app.js": "import express from 'express';\nimport { tills } from './tills.js';\n"
        "const app = express();\napp.use('/api', tills);\n",
        "src/tills.js": "import express from 'express';\n"
        "import { check } from './check.js';\nexport const tills = express.Router();\n"
        "tills.get('/all', list);\ntills.post('/all', list);\n"
        f"function list(req) {{\n  check(req);\n  read(req);\n  show(req);\n{tail}"
        f"function read(req) {{\n  check(req);\n{tail}function show(req) {{\n{tail}",
        "src/check.js": f"export function check(req) {{\n{tail}",
    })  # fmt: skip
    assert {start.name for start in starts(facts) if not start.kind} == {
        "GET /api/all", "POST /api/all",
    }  # fmt: skip


def test_the_conditions_around_a_route_of_go_and_the_values_of_a_part_of_its_path_are_told() -> (
    None
):
    facts = facts_of({
        "go.mod": "module example.org/shop\n\ngo 1.22\n",
        "routes.go": """package main

import (
	"example.org/far/known"
	"github.com/gorilla/mux"
)

func routes(cfg *Config, key Key) {
	r := mux.NewRouter()
	drafts := ""
	if cfg.Alone {
		drafts = "/d"
		r.HandleFunc("/mine", show)
		till(r.PathPrefix("/").Subrouter())
	} else {
		r.HandleFunc("/ours", show)
		till(r.PathPrefix("/{shop}").Subrouter())
	}
	if cfg.Signup {
		r.HandleFunc("/signup", show)
	}
	r.HandleFunc(drafts+"/{post}", show)
	r.HandleFunc("/by/"+key.Name(), show)
	r.HandleFunc(known.Path, show)
	client.Get("/far/"+key.Name(), show)
	basePath := cfg.Base()
	r.Handle(basePath+"/", http.StripPrefix(basePath, r))
}

func till(r *mux.Router) {
	r.HandleFunc("/till", show)
}

func show(w http.ResponseWriter, r *http.Request) {}
""",
    })  # fmt: skip
    assert [(each.route, each.condition) for each in endpoints(facts)] == [
        ("/by/{Name}", ""),
        ("/d/{post}", 'drafts is "/d"'),
        ("/mine", "if cfg.Alone"),
        ("/ours", "unless cfg.Alone"),
        ("/signup", "if cfg.Signup"),
        ("/till", "if cfg.Alone"),
        ("/{post}", 'drafts is ""'),
        ("/{shop}/till", "unless cfg.Alone"),
        ("{the value of known.Path}", ""),
    ]


def test_a_route_of_go_is_only_there_where_its_file_is_built() -> None:
    text = 'package web\n\nimport "net/http"\n\nfunc on() {\n\thttp.HandleFunc("/keys", list)\n}\n'
    facts = facts_of({"web/keys_windows.go": text})
    assert [endpoint.condition for endpoint in endpoints(facts)] == ["GOOS=windows"]
