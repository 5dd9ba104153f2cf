"""Handlers that routes are given within calls, and view sets that routers are given."""

from __future__ import annotations

import pytest

from stationmaster.wiki.facts.interfaces.routes import endpoints
from tests.wiki.commits import facts_of

FILES = {
    "go.mod": "module example.org/shop\n\ngo 1.22\n",
    "routes.go": """package main

import "github.com/gorilla/mux"

func routes(store *Store) http.Handler {
	wrap := func(fn handler, prefix string) http.Handler { return adapted(fn, store) }
	r := mux.NewRouter()
	till := r.PathPrefix("/till").Subrouter()
	till.Handle("", wrap(openTill, "")).Methods("GET")
	till.Handle("/close", wrap(closeTill(store, "x"), "")).Methods("POST")
	till.Handle("/in", wrap(login(store), ""))
	till.Handle("/out", wrap(elsewhere.Out, ""))
	return r
}
""",
    "till.go": """package main

var openTill = withUser(func(w http.ResponseWriter, r *http.Request) {
	w.Write(nil)
})

func closeTill(store *Store, name string) handler {
	return withAdmin(func(w http.ResponseWriter, r *http.Request) {
		w.Write(nil)
	})
}

func withUser(fn handler) handler { return fn }

func login(store *Store) handler { return nil }
""",
}


def test_a_route_is_answered_by_the_function_within_its_wrappers_behind_the_guard_around_it() -> (
    None
):
    found = [
        (each.methods, each.route, each.handler, [it.name for it in each.guards])
        for each in endpoints(facts_of(FILES))
    ]
    assert found == [
        (("GET",), "/till", "openTill", ["withUser"]),
        (("POST",), "/till/close", "closeTill", ["withAdmin"]),
        (("ANY",), "/till/in", "login", []),
        (("ANY",), "/till/out", "wrap", []),
    ]


@pytest.mark.parametrize(
    "table",
    [
        "urlpatterns = router.urls\n",
        "urlpatterns = []\nurlpatterns += router.urls\n",
        "urlpatterns = [*router.urls]\n",
    ],
)
def test_a_router_of_a_class_of_the_project_is_one_where_its_addresses_are_in_the_table(
    table: str,
) -> None:
    facts = facts_of({
        "project/urls.py": "from django.conf import settings\n"
        "from django.urls import include, path\n"
        "shop = [path('api/', include('shop.urls'))]\n"
        "urlpatterns = [path(settings.BASE_PATH, include(shop))]\n",
        "project/settings.py": "INSTALLED_APPS = []\nMIDDLEWARE = []\nROOT_URLCONF = ''\n"
        "BASE_PATH = slashed(getattr(configuration, 'BASE_PATH', ''))\n",
        "shop/urls.py": "from shop import views\nfrom shop.own import Endpoints\n"
        f"router = Endpoints()\nrouter.register('tills', views.Tills)\n{table}",
        "shop/views.py": "from rest_framework import viewsets\n\n\n"
        "class Tills(viewsets.ReadOnlyModelViewSet):\n    pass\n",
    })  # fmt: skip
    assert [(it.methods, it.route) for it in endpoints(facts)] == [
        (("GET",), "/api/tills/"), (("GET",), "/api/tills/{pk}/"),
    ]  # fmt: skip


def test_a_view_set_answers_what_all_classes_above_it_do_but_only_the_methods_it_names() -> None:
    facts = facts_of({
        "urls.py": "from django.urls import include, path\nfrom rest_framework import routers\n"
        "import views\n\n\nclass Own(routers.DefaultRouter):\n    pass\n\n\nrouter = Own()\n"
        "router.register('tills', views.Tills)\n"
        "urlpatterns = [path('api/', include((router.urls, 'api')))]\n",
        "views.py": "from rest_framework import viewsets\n\n\n"
        "class Base(viewsets.ModelViewSet[Till]):\n    pass\n\n\n"
        "class Inner(Base[Till]):\n    pass\n\n\n"
        "class Tills(Inner):\n    http_method_names = ['get', 'patch']\n",
    })  # fmt: skip
    assert [(it.methods, it.route) for it in endpoints(facts)] == [
        (("GET",), "/api/tills/"), (("GET", "PATCH"), "/api/tills/{pk}/"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        (r"/tins/([^/]+)", "/tins/{tin}"),
        (r"/tins/([^/]+)(?:/([^/]+))?", "/tins/{tin}[/{size}]"),
        (r"/tins/(\d+)/(a|b)", r"/tins/(\d+)/(a|b)"),
        (r"/((a)b)", "/((a)b)"),
        (r"/(a)/(b)/(c)", "/(a)/(b)/(c)"),
    ],
)
def test_what_a_path_of_tornado_captures_is_called_as_the_method_that_is_given_it(
    path: str, shown: str
) -> None:
    facts = facts_of({
        "tins.py": "from tornado import web\n\n\nclass Tins(web.RequestHandler):\n"
        "    def get(self, tin: str, size=None):\n        pass\n\n\n"
        f'handlers = [(r"{path}", Tins)]\n',
    })  # fmt: skip
    assert [it.route for it in endpoints(facts)] == [shown]


def test_lists_that_functions_of_other_files_return_have_routes_of_tornado_under_a_condition() -> (
    None
):
    facts = facts_of({
        "shop/handlers.py": "from tornado.web import RequestHandler\n\n\n"
        "class Tins(RequestHandler):\n    def get(self):\n        pass\n\n\n"
        "class Tills(Tins):\n    def put(self):\n        pass\n\n\nclass Rows:\n    pass\n",
        "shop/lists/tins.py": "from typing import cast\n\n"
        "from shop.handlers import Rows, Tills, Tins\n\n\n"
        "def get_handlers(context):\n    has_tins = cast(bool, context.config.HAS_TINS)\n"
        "    if not has_tins:\n        return []\n\n"
        "    return [(r'/tins', Tins, {'context': context}), (r'/rows', Rows)]\n",
        "shop/lists/tills.py": "from shop.handlers import Tills\nfrom shop.urls import Url\n\n\n"
        "def get_handlers(context):\n    url = context.config.TILLS_ROUTE\n"
        "    return [(url, Tills), (Url.regex(), Tills)]\n",
        "shop/config.py": "import os\n\nTILLS_ROUTE = os.getenv('TILLS_ROUTE', '/tills')\n",
    })  # fmt: skip
    assert [(it.route, *it.methods, it.condition) for it in endpoints(facts)] == [
        ("/tills", "GET", ""), ("/tills", "PUT", ""),
        ("/tins", "GET", "if context.config.HAS_TINS"),
        ("{the value of Url.regex()}", "GET", ""), ("{the value of Url.regex()}", "PUT", ""),
    ]  # fmt: skip


def test_tables_of_django_tell_methods_of_view_sets_objects_that_are_views_and_packages() -> None:
    facts = facts_of({
        "shop/__init__.py": "",
        "shop/tills.py": "from rest_framework.viewsets import ModelViewSet\n\n\n"
        "class Tills(ModelViewSet):\n    def count(self, request): ...\n\n\n"
        "class Wizard:\n    def __call__(self, request): ...\n\n\nclass Form: ...\n",
        "shop/urls.py": "from django.contrib.auth.decorators import login_required\n"
        "from django.urls import include, path\nfrom shop.tills import Form, Tills, Wizard\n\n"
        "urlpatterns = [\n"
        "    path('tills', Tills.as_view({'get': 'count', 'post': 'create'})),\n"
        "    path('new', login_required(Wizard(Form))),\n"
        "    path('who/', include('allauth.urls')), path('own/', include('shop.parts.urls')),\n]\n",
    })  # fmt: skip
    assert [
        (*it.methods, it.route, it.handler, [guard.name for guard in it.guards])
        for it in endpoints(facts)
    ] == [
        ("ANY", "/new", "Wizard", ["login_required"]),
        ("GET", "/tills", "Tills.count", []), ("POST", "/tills", "Tills", []),
        ("ANY", "/who/*", "allauth.urls", []),
    ]  # fmt: skip


def test_what_a_table_of_django_adds_under_a_condition_is_only_there_where_it_holds() -> None:
    facts = facts_of({
        "shop/__init__.py": "",
        "shop/views.py": "def show(request): ...\n",
        "shop/urls.py": "from django.conf import settings\n"
        "from django.urls import include, path\n"
        "from rest_framework.authtoken.views import ObtainAuthToken\nfrom shop import views\n\n"
        "urlpatterns = [path('token', ObtainAuthToken.as_view())]\n\n"
        "if settings.COUNTED:\n"
        "    urlpatterns += [path('', include('counts.urls')), path('show', views.show)]\n",
    })  # fmt: skip
    assert [(it.methods, it.route, it.condition) for it in endpoints(facts)] == [
        (("ANY",), "/*", "if settings.COUNTED"),
        (("ANY",), "/show", "if settings.COUNTED"),
        (("POST",), "/token", ""),
    ]
