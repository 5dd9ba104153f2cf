from __future__ import annotations

from functools import partial

import pytest

from stationmaster.reading.code.model import Mount, Route
from tests.reading.code.reading import facts_of

python = partial(facts_of, "Python")


def told(routes: tuple[Route, ...]) -> list[tuple[str, str, str, str]]:
    return [(each.method, each.path, each.owner, each.handler) for each in routes]


def test_routes_of_fastapi_have_their_router_and_what_protects_them() -> None:
    facts = python("""
        from fastapi import APIRouter, Depends, FastAPI
        from . import users
        app = FastAPI()
        router = APIRouter(prefix="/users")

        @router.get("/{id}")
        def one(id: int, user=Depends(get_current_user)): ...

        @router.api_route("", methods=["POST", "GET"])
        async def many(): ...

        app.include_router(router, prefix=settings.API)
        app.include_router(users.router, prefix="/v2")
    """)
    assert told(facts.routes) == [
        ("GET", "/{id}", "router", "one"),
        ("GET", "", "router", "many"),
        ("POST", "", "router", "many"),
    ]
    assert facts.routes[0].guard == "get_current_user"
    assert facts.mounts == (
        Mount("", "router", "/users", 5),
        Mount("app", "router", "{settings.API}", 13),
        Mount("app", "users.router", "/v2", 14),
    )


def test_routes_of_flask_are_on_its_application_and_on_blueprints() -> None:
    facts = python("""
        import flask
        from flask import Blueprint
        app = flask.Flask(__name__)
        shop = Blueprint("shop", __name__, url_prefix="/shop")

        @app.route("/")
        def home(): ...

        @shop.route("/pay", methods=("POST",))
        @login_required
        def pay(): ...

        app.add_url_rule("/list", view_func=List.as_view("list"))
        app.register_blueprint(shop)
    """)
    assert told(facts.routes) == [
        ("GET", "/", "app", "home"),
        ("POST", "/pay", "shop", "pay"),
        ("GET", "/list", "app", "List"),
    ]
    assert Mount("", "shop", "/shop", 5) in facts.mounts
    assert Mount("app", "shop", "", 15) in facts.mounts


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("from starlette.routing import Route\nr = [Route('/x', home, methods=['POST'])]",
         ("POST", "/x", "", "home")),
        ("from aiohttp import web\napp = web.Application()\napp.router.add_get('/x', home)",
         ("GET", "/x", "app", "home")),
        ("from aiohttp import web\napp.add_routes([web.post('/x', home)])",
         ("POST", "/x", "", "home")),
        ("from sanic import Sanic\napp = Sanic('a')\n@app.put('/x')\ndef home(r): ...",
         ("PUT", "/x", "app", "home")),
        ("from litestar import get\n@get('/x')\nasync def home(): ...", ("GET", "/x", "", "home")),
        ("from flask import g\nfrom .app import bp\n@bp.route('/x')\ndef home(): ...",
         ("GET", "/x", "bp", "home")),
    ],
)  # fmt: skip
def test_other_frameworks_have_routes_too(text: str, expected: tuple[str, str, str, str]) -> None:
    assert told(python(text).routes) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "@app.get('/x')\ndef home(): ...",
        "from fastapi import FastAPI\nclass Box(dict): ...\nfrom box import Shelf\nbox = Shelf()\n"
        "@box.get('/x')\ndef home(): ...",
        "import flask\ncache = {}\nvalue = cache.get('/x')",
        "from fastapi import FastAPI\napp = FastAPI()\n@app.get(path_of('x'))\ndef home(): ...",
    ],
)
def test_what_only_looks_like_a_route_is_none(text: str) -> None:
    assert python(text).routes == ()


def test_tables_of_django_are_read_with_what_they_include() -> None:
    facts = python("""
        from django.urls import include, path, re_path
        from rest_framework import routers
        from . import views
        router = routers.DefaultRouter()
        router.register("users", views.UserViewSet)
        api = [
            path("a/", views.a),
            path("b/", include([path("c/", login_required(views.C.as_view()))])),
        ]
        urlpatterns = [
            path("api/", include(api)),
            path("shop/", include("shop.urls")),
            path("rest/", include(router.urls)),
            re_path(r"^x$", x),
        ]
    """)
    assert told(facts.routes) == [
        ("ANY", "a/", "api", "views.a"),
        ("ANY", "b/c/", "api", "views.C"),
        ("ANY", "^x$", "urlpatterns", "x"),
        ("ANY", "users", "router", "views.UserViewSet"),
    ]
    assert [(each.owner, each.child, each.prefix) for each in facts.mounts] == [
        ("urlpatterns", "api", "api/"),
        ("urlpatterns", "shop.urls", "shop/"),
        ("urlpatterns", "router", "rest/"),
    ]


def test_a_path_of_the_file_system_is_no_route() -> None:
    facts = python("import django\nfrom pathlib import path\npath('a/', b)")
    assert facts.routes == ()


def test_handlers_of_tornado_are_listed_where_functions_put_them_together() -> None:
    facts = facts_of(
        "Python",
        """
        import tornado.web
        class Inner(tornado.web.Application):
            def __init__(self):
                super().__init__([("/a", A)], debug=True)
        class Outer(tornado.web.Application):
            def __init__(self, debug):
                handlers = [(r"/b/(.*)", B)]
                if debug:
                    handlers.append((r"/c", C, {"path": "."}))
                folders = [("/tmp", B)]
                folders.append(("/usr", B))
                super().__init__(handlers)
        class Login:
            def get_handlers(self, app):
                return [("/d", self.handler)]
        """,
    )
    assert [(it.path, it.handler, it.condition) for it in facts.routes] == [
        ("/a", "A", ""),
        ("/b/(.*)", "B", ""),
        ("/c", "C", "if debug"),
        ("/d", "self.handler", ""),
    ]


def test_a_view_of_aiohttp_answers_all_methods_that_its_class_has() -> None:
    facts = facts_of("Python", 'from aiohttp import web\nlisted = [web.view("/tins", Tins)]\n')
    assert [(it.method, it.path, it.handler) for it in facts.routes] == [("ANY", "/tins", "Tins")]
