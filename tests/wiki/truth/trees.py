"""Small repositories of eleven frameworks, and what is true of each: written down by hand.

Each says its routes in ways that a reader of one file alone cannot tell: groups, prefixes,
wrappers, tables, applications within applications.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Truth(NamedTuple):
    """`routes` are methods and paths, `settings` and `entities` names, `commands` what people type
    behind the program's name, `dependencies` what manifests ask for with its scope."""

    files: Mapping[str, str]
    routes: frozenset[str]
    settings: frozenset[str] = frozenset()
    commands: frozenset[str] = frozenset()
    entities: frozenset[str] = frozenset()
    dependencies: frozenset[str] = frozenset()


_FASTAPI = Truth(
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

_FLASK = Truth(
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

_TABLE = Truth(
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

_DJANGO = Truth(
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

_EXPRESS = Truth(
    files={
        "package.json": """
            {"name": "store", "bin": {"store": "cli.js"}, "dependencies": {"express": "4"},
             "devDependencies": {"jest": "29"}, "peerDependencies": {"pg": "8"}}
        """,
        "src/app.js": """
            const express = require("express");
            const users = require("./users");
            const { api } = require("./api");
            const app = express();
            app.get("/", (req, res) => res.send("ok"));
            app.use("/users", users);
            app.use("/api/v1", api);
            app.listen(process.env.STORE_PORT || 3000);
        """,
        "src/users.js": """
            const router = require("express").Router();
            router.get("/:id", (req, res) => {});
            router.post("/", (req, res) => {});
            module.exports = router;
        """,
        "src/api.js": """
            const express = require("express");
            const api = express.Router();
            const inner = express.Router();
            api.use("/inner", inner);
            inner.route("/things").get((req, res) => {}).put((req, res) => {});
            exports.api = api;
        """,
    },
    routes=frozenset({
        "GET /", "GET /users/:id", "POST /users", "GET /api/v1/inner/things",
        "PUT /api/v1/inner/things",
    }),
    settings=frozenset({"env STORE_PORT"}),
    dependencies=frozenset({"express runtime", "jest development", "pg runtime"}),
)  # fmt: skip

_GIN = Truth(
    files={
        "go.mod": """
            module example.com/fleet

            go 1.22

            require github.com/gin-gonic/gin v1.9.1
        """,
        "main.go": """
            package main

            import (
                "os"

                "example.com/fleet/cars"
                "github.com/gin-gonic/gin"
            )

            func main() {
                r := gin.Default()
                v1 := r.Group("/api/v1")
                v1.GET("/ping", ping)
                cars.Register(v1.Group("/cars"))
                r.Run(os.Getenv("FLEET_ADDR"))
            }

            func ping(c *gin.Context) {}
        """,
        "cars/routes.go": """
            package cars

            import "github.com/gin-gonic/gin"

            func Register(router *gin.RouterGroup) {
                router.GET("", list)
                router.DELETE("/:id", remove)
            }

            func list(c *gin.Context) {}
            func remove(c *gin.Context) {}
        """,
    },
    routes=frozenset({"GET /api/v1/ping", "GET /api/v1/cars", "DELETE /api/v1/cars/:id"}),
    settings=frozenset({"env FLEET_ADDR"}),
    dependencies=frozenset({"github.com/gin-gonic/gin runtime"}),
)

_ASPNET = Truth(
    files={
        "src/Web/Web.csproj": """
            <Project Sdk="Microsoft.NET.Sdk.Web"><ItemGroup>
            <PackageReference Include="MediatR" Version="12.0.0" />
            </ItemGroup></Project>
        """,
        "src/Web/Program.cs": """
            var builder = WebApplication.CreateBuilder(args);
            var app = builder.Build();
            app.MapEndpoints();
            var api = app.MapGroup("/status");
            api.MapGet("/live", () => "ok");
            app.Run();
        """,
        "src/Web/IEndpointGroup.cs": """
            namespace Till.Web;
            public interface IEndpointGroup {
                static virtual string? RoutePrefix => null;
                static abstract void Map(RouteGroupBuilder group);
            }
        """,
        "src/Web/Groups.cs": """
            namespace Till.Web;
            public static class Groups {
                public static WebApplication MapEndpoints(this WebApplication app) {
                    foreach (var type in typeof(Groups).Assembly.GetExportedTypes()
                                 .Where(t => t.IsAssignableTo(typeof(IEndpointGroup)))) {
                        var name = type.Name;
                        var prefix = type.GetProperty("RoutePrefix")?.GetValue(null) as string
                            ?? $"/api/{name}";
                        var group = app.MapGroup(prefix).WithTags(name);
                        type.GetMethod("Map")!.Invoke(null, [group]);
                    }
                    return app;
                }
                public static RouteHandlerBuilder MapGet(
                    this IEndpointRouteBuilder builder, Delegate handler, string pattern = "") {
                    return builder.MapGet(pattern, handler).WithName(handler.Method.Name);
                }
            }
        """,
        "src/Web/Orders.cs": """
            namespace Till.Web;
            public class Orders : IEndpointGroup {
                public static void Map(RouteGroupBuilder group) {
                    group.MapGet(List);
                    group.MapDelete(Remove, "{id}");
                }
                public static string List() => "";
                public static string Remove(int id) => "";
            }
        """,
        "src/Web/Lines.cs": """
            namespace Till.Web;
            public class Lines : IEndpointGroup {
                public static string? RoutePrefix => "/api/Orders/{order}/lines";
                public static void Map(RouteGroupBuilder group) {
                    group.MapPost(Add);
                }
                public static string Add() => "";
            }
        """,
        "src/Web/AddOrder.cs": """
            using MediatR;
            namespace Till.Web;
            public class AddOrderHandler : IRequestHandler<AddOrder, int> {}
        """,
    },
    routes=frozenset({
        "GET /status/live", "GET /api/Orders", "DELETE /api/Orders/{id}",
        "POST /api/Orders/{order}/lines",
    }),
    dependencies=frozenset({"MediatR runtime"}),
)  # fmt: skip

_LARAVEL = Truth(
    files={
        "composer.json": '{"require": {"laravel/framework": "10"}, '
        '"require-dev": {"phpunit/phpunit": "10"}}',
        "routes/api.php": """
            <?php
            Route::group(['namespace' => 'Api'], function () {
                Route::post('users/login', 'AuthController@login');
                Route::resource('posts', 'PostController', ['except' => ['create', 'edit']]);
            });
        """,
        "routes/web.php": "<?php\nRoute::get('/', function () { return view('home'); });\n",
        "app/Providers/RouteServiceProvider.php": """
            <?php
            namespace App\\Providers;
            use Illuminate\\Support\\Facades\\Route;
            class RouteServiceProvider {
                protected function mapApiRoutes() {
                    Route::prefix('api')->middleware('api')->group(base_path('routes/api.php'));
                }
                protected function mapWebRoutes() {
                    Route::middleware('web')->group(base_path('routes/web.php'));
                }
            }
        """,
        "config/app.php": "<?php\nreturn ['name' => env('APP_NAME', 'Till')];\n",
    },
    routes=frozenset({
        "GET /", "POST /api/users/login", "GET /api/posts", "POST /api/posts",
        "GET /api/posts/{post}", "PUT /api/posts/{post}", "DELETE /api/posts/{post}",
    }),
    settings=frozenset({"env APP_NAME"}),
    dependencies=frozenset({"laravel/framework runtime", "phpunit/phpunit development"}),
)  # fmt: skip

_SPRING = Truth(
    files={
        "pom.xml": """
            <project><groupId>a</groupId><artifactId>vet</artifactId><version>1</version>
            <dependencies>
            <dependency><groupId>org.springframework.boot</groupId>
            <artifactId>spring-boot-starter-web</artifactId></dependency>
            <dependency><groupId>junit</groupId><artifactId>junit</artifactId>
            <scope>test</scope></dependency>
            </dependencies></project>
        """,
        "src/main/java/vet/Pets.java": """
            package vet;
            import org.springframework.web.bind.annotation.*;
            @RestController
            @RequestMapping("/owners/{owner}")
            public class Pets {
                @GetMapping("/pets")
                public String list() { return ""; }
                @PostMapping({"/pets", "/animals"})
                public String add() { return ""; }
            }
        """,
        "src/main/java/vet/Pet.java": """
            package vet;
            import jakarta.persistence.*;
            @Entity @Table(name = "pets")
            public class Pet { @Id private Long id; }
        """,
        "src/main/resources/application.properties": "server.port=8080\n",
    },
    routes=frozenset({
        "GET /owners/{owner}/pets", "POST /owners/{owner}/pets", "POST /owners/{owner}/animals",
    }),
    settings=frozenset({"key server.port"}),
    entities=frozenset({"pets"}),
    dependencies=frozenset({
        "org.springframework.boot:spring-boot-starter-web runtime", "junit:junit development",
    }),
)  # fmt: skip

_AXUM = Truth(
    files={
        "Cargo.toml": """
            [package]
            name = "feed"
            version = "0.1.0"
            [dependencies]
            axum = "0.7"
            tracing = { version = "0.1", optional = true }
            [dev-dependencies]
            tower = "0.4"
        """,
        "src/main.rs": """
            use axum::{routing::get, Router};
            mod posts;

            #[tokio::main]
            async fn main() {
                let app = Router::new()
                    .route("/health", get(health))
                    .nest("/api", posts::router());
            }

            async fn health() {}
        """,
        "src/posts.rs": """
            use axum::{routing::{delete, get}, Router};

            pub fn router() -> Router {
                Router::new()
                    .route("/posts", get(list).post(create))
                    .route("/posts/:id", delete(remove))
            }

            async fn list() {}
            async fn create() {}
            async fn remove() {}
        """,
    },
    routes=frozenset({
        "GET /health", "GET /api/posts", "POST /api/posts", "DELETE /api/posts/:id",
    }),
    dependencies=frozenset({"axum runtime", "tracing optional", "tower development"}),
)  # fmt: skip

_RAILS = Truth(
    files={
        "Gemfile": 'gem "rails"\ngroup :test do\n  gem "rspec"\nend\n',
        "config/routes.rb": """
            Rails.application.routes.draw do
              root "home#index"
              namespace :admin do
                resources :stories, only: [:index, :destroy]
              end
              scope "/api" do
                get "/ping", to: "home#ping"
              end
            end
        """,
        "app/models/story.rb": "class Story < ApplicationRecord\nend\n",
        "db/schema.rb": """
            ActiveRecord::Schema.define(version: 1) do
              create_table "stories" do |t|
                t.string "title"
              end
            end
        """,
    },
    routes=frozenset({
        "GET /", "GET /admin/stories", "DELETE /admin/stories/:id", "GET /api/ping",
    }),
    entities=frozenset({"stories"}),
    dependencies=frozenset({"rails runtime", "rspec development"}),
)  # fmt: skip

TREES: Mapping[str, Truth] = {
    "fastapi": _FASTAPI, "flask": _FLASK, "tables": _TABLE, "django": _DJANGO,
    "express": _EXPRESS, "gin": _GIN, "aspnet": _ASPNET, "laravel": _LARAVEL, "spring": _SPRING,
    "axum": _AXUM, "rails": _RAILS,
}  # fmt: skip
