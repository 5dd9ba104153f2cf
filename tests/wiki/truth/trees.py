"""Small repositories of eleven frameworks, and what is true of each: written down by hand.

Each says its routes in ways that a reader of one file alone cannot tell: groups, prefixes,
wrappers, tables, applications within applications.
"""

from __future__ import annotations

from collections.abc import Mapping

from tests.wiki.truth.python_trees import DJANGO, FASTAPI, FLASK, TABLE
from tests.wiki.truth.truth import Truth

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
    "fastapi": FASTAPI, "flask": FLASK, "tables": TABLE, "django": DJANGO,
    "express": _EXPRESS, "gin": _GIN, "aspnet": _ASPNET, "laravel": _LARAVEL, "spring": _SPRING,
    "axum": _AXUM, "rails": _RAILS,
}  # fmt: skip
