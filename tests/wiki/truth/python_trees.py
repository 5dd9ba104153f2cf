"""Repositories of frameworks for Python, and what is true of each."""

from __future__ import annotations

from tests.wiki.truth.truth import Truth

FASTAPI = Truth(
    files={
        "pyproject.toml": """
            [project]
            name = "shop"
            version = "1"
            dependencies = ["fastapi>=0.110", "pydantic-settings"]
            [project.optional-dependencies]
            s3 = ["boto3"]
            [dependency-groups]
            dev = ["pytest"]
        """,
        "shop/routing.py": """
            from fastapi import APIRouter

            class OwnRoute: ...

            def router(prefix, tag):
                return _router(prefix, tag, OwnRoute)

            def _router(prefix, tag, kind):
                return APIRouter(prefix=prefix, tags=[tag], route_class=kind)
        """,
        "shop/edge.py": """
            from dataclasses import dataclass, field
            from typing import Any

            @dataclass(frozen=True)
            class Route:
                method: str
                path: str
                endpoint: Any
                operation: dict = field(default_factory=dict)
        """,
        "shop/paths.py": 'ADMIN = "/admin"\nORDERS = ADMIN + "/orders"\n',
        "shop/orders.py": """
            from shop.paths import ORDERS
            from shop.routing import router

            routes = router("/api/v1/shops", "Shops")
            admin = router(ORDERS, "Orders")

            @routes.get("")
            async def list_shops(): ...

            @routes.post("/{shop_id}/close", status_code=202)
            async def close(shop_id: str): ...

            @admin.delete(f"/{{order_id}}")
            async def remove(order_id: str): ...
        """,
        "shop/telemetry.py": """
            from shop.edge import Route

            PREFIX = "/v1/"

            async def take(request): ...

            ROUTES = (
                Route("POST", PREFIX + "traces", take, {"summary": "Take traces"}),
                Route("GET", "/healthz", take),
            )
        """,
        "shop/main.py": """
            from fastapi import FastAPI
            from shop import orders
            from shop.more import extra

            app = FastAPI()
            app.include_router(orders.routes)
            app.include_router(orders.admin)
            app.include_router(extra, prefix="/extra")

            @app.get("/")
            async def home(): ...
        """,
        "shop/more.py": """
            from fastapi import APIRouter, FastAPI

            extra = APIRouter(prefix="/more")
            inner = FastAPI()
            extra.mount("/inner", inner)

            @extra.put("/{name}")
            async def name(name: str): ...

            @inner.get("/deep")
            async def deep(): ...
        """,
        "shop/settings.py": """
            from pydantic import Field
            from pydantic_settings import BaseSettings, SettingsConfigDict

            class Settings(BaseSettings):
                model_config = SettingsConfigDict(env_prefix="SHOP_")
                host: str = "127.0.0.1"
                port: int = 80
                token: str = Field(alias="API_TOKEN")
        """,
        "tests/test_shop.py": 'def test_x(client):\n    client.get("/nothing")\n',
    },
    routes=frozenset({
        "GET /api/v1/shops", "POST /api/v1/shops/{shop_id}/close",
        "DELETE /admin/orders/{order_id}", "POST /v1/traces", "GET /healthz", "GET /",
        "PUT /extra/more/{name}", "GET /extra/more/inner/deep",
    }),
    settings=frozenset({"env SHOP_HOST", "env SHOP_PORT", "env API_TOKEN"}),
    dependencies=frozenset({
        "fastapi runtime", "pydantic-settings runtime", "boto3 optional", "pytest development",
    }),
)  # fmt: skip


FLASK = Truth(
    files={
        "requirements.txt": "flask\n",
        "blog/__init__.py": """
            from flask import Flask

            app = Flask(__name__)

            def create():
                from blog import posts, views
                app.register_blueprint(posts.pages, url_prefix="/posts")
                return app
        """,
        "blog/views.py": """
            from blog import app

            @app.route("/")
            def home(): ...

            @app.route("/about", methods=["GET", "POST"])
            def about(): ...
        """,
        "blog/posts.py": """
            import os
            from flask import Blueprint
            import click

            pages = Blueprint("posts", __name__, url_prefix="/p")
            SIZE = os.environ.get("BLOG_SIZE", "10")

            @pages.get("/<slug>")
            def show(slug): ...

            @click.group()
            def cli(): ...

            @cli.command("sync-all")
            @click.option("--token", envvar="BLOG_TOKEN", help="Whose posts.")
            @click.option("--site", envvar=["BLOG_SITE", "SITE"])
            def sync(token, site): ...
        """,
    },
    routes=frozenset({"GET /", "GET /about", "POST /about", "GET /posts/<slug>"}),
    settings=frozenset({"env BLOG_SIZE", "env BLOG_TOKEN", "env BLOG_SITE", "env SITE"}),
    commands=frozenset({"", "sync-all"}),
    dependencies=frozenset({"flask runtime"}),
)


TABLE = Truth(
    files={
        "setup.py": """
            from setuptools import setup
            setup(name="lens", entry_points={"console_scripts": ["lens=lens.cli:main"]})
        """,
        "lens/app.py": """
            import collections

            Setting = collections.namedtuple("Setting", ("name", "default", "help"))
            SETTINGS = (
                Setting("page_size", 100, "Rows of a page"),
                Setting("allow_download", True, "Whether files are given out"),
            )

            class Lens:
                def _routes(self):
                    routes = []

                    def add_route(view, regex):
                        routes.append((regex, view))

                    add_route(IndexView.as_view(self), r"/(\\.(?P<format>json))?$")
                    add_route(favicon, "/favicon.ico")
                    add_route(RowView.as_view(self), r"/(?P<table>[^/]+)/(?P<key>[^/]+?)$")
                    return routes
        """,
        "lens/chat.py": """
            import tornado.web

            class Chat(tornado.web.RequestHandler):
                def get(self): ...

            def make():
                return tornado.web.Application([(r"/chat/(\\d+)", Chat), (r"/rooms", Chat)])
        """,
        "lens/settings.py": """
            import os
            import msgspec

            PREFIX = "LENS_"

            class Settings(msgspec.Struct):
                data_dir: str = "data"
                port: int = 8001

            def load():
                found = {}
                for field in msgspec.structs.fields(Settings):
                    found[field.name] = os.environ.get(PREFIX + field.name.upper())
                return Settings(**found)
        """,
    },
    routes=frozenset({
        "ANY /[.<format>]", "ANY /favicon.ico", "ANY /<table>/<key>", r"GET /chat/(\d+)",
        "GET /rooms",
    }),
    settings=frozenset({
        "key page_size", "key allow_download", "env LENS_DATA_DIR", "env LENS_PORT",
    }),
    commands=frozenset(),
)  # fmt: skip


DJANGO = Truth(
    files={
        "requirements.txt": "Django==5.0\ndjangorestframework\n",
        "manage.py": "import django\n",
        "site/urls.py": """
            from django.urls import include, path, re_path
            from site import views

            urlpatterns = [
                path("", views.home),
                path("shop/", include("shop.urls")),
                re_path(r"^old/(?P<year>[0-9]{4})/$", views.old),
            ]
        """,
        "site/views.py": "def home(request): ...\ndef old(request, year): ...\n",
        "shop/__init__.py": "",
        "shop/urls.py": """
            from django.urls import path
            from shop import views

            urlpatterns = [
                path("orders/<int:pk>/", views.Order.as_view()),
                path("orders/", views.orders),
            ]
        """,
        "shop/views.py": "class Order: ...\ndef orders(request): ...\n",
        "shop/models.py": """
            from django.db import models

            class Customer(models.Model):
                name = models.CharField(max_length=20)

            class Order(models.Model):
                customer = models.ForeignKey(Customer, on_delete=models.CASCADE)
        """,
    },
    routes=frozenset({
        "ANY /", "ANY /shop/orders/<int:pk>/", "ANY /shop/orders/", "ANY /old/<year>/",
    }),
    entities=frozenset({"Customer", "Order"}),
    dependencies=frozenset({"django runtime", "djangorestframework runtime"}),
)  # fmt: skip
