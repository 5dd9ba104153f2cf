from stationmaster.reading.code.model import FileFacts, Route
from stationmaster.wiki.pages.interfaces import http
from tests.wiki.commits import facts_of, written
from tests.wiki.facts.guarding.test_deciding import NAMELESS


def test_the_page_tells_methods_paths_handlers_and_guards() -> None:
    facts = facts_of({"app.py": ""})
    facts.code = {"app.py": FileFacts(routes=(
        Route("GET", "/users", 3, "users", "app", "login_required", "Flask"),
        Route("POST", "/users", 3, "users", "app", "login_required", "Flask"),
    ))}  # fmt: skip
    (planned,) = http.plan(facts)
    body = written(facts, planned.write, None, planned.key)
    assert "The code declares at least 1 route with Flask." in body
    assert (
        "| GET POST | `/users` | `users` [`app.py:3`](source:app.py#L3) | `login_required` |"
        in body
    )


def test_the_page_shows_the_lines_of_a_guard_without_a_name() -> None:
    facts = facts_of({"main.go": NAMELESS})
    (planned,) = http.plan(facts)
    body = written(facts, planned.write, None, planned.key)
    lines = body.partition("### a function at main.go:7-12")[2]
    assert "if user(c) == nil { return echo.NewHTTPError(401) }" in lines


def test_without_routes_there_is_no_page() -> None:
    assert not list(http.plan(facts_of({"app.py": ""})))


def test_the_page_tells_what_requests_pass_through_around_their_handlers() -> None:
    facts = facts_of({
        "go.mod": "module example.com/shop\n\nrequire github.com/gofiber/fiber/v2 v2.0.0\n",
        "api.go": "package api\n\nimport \"github.com/gofiber/fiber/v2\"\n\n"
        "func New() *fiber.App {\n\tapp := fiber.New()\n\t// app.Use(gone)\n"
        "\tapp.Use(onlyKnown)\n\tapp.Use(cors.New(cors.Config{\n\t\tA: 1,\n\t}))\n"
        "\tapp.Get(\"/\", show)\n\treturn app\n}\n\n"
        "// onlyKnown lets nobody else in.\nfunc onlyKnown(c *fiber.Ctx) error {\n"
        "\tif c == nil {\n\t\treturn nil\n\t}\n\treturn c.Next()\n}\n",
        "Cargo.toml": '[package]\nname = "till"\n',
        "src/main.rs": "use actix_web::App;\n\nfn run() {\n    App::new()\n"
        "        .wrap(Condition::new(\n            true,\n            basic(\n"
        "                ask,\n            ),\n        ))\n"
        "        .route(&own.path, web::get().to(ask))\n"
        "        .service(\n            web::scope(\"/in\")\n                .wrap(Log::new())\n"
        "        )\n}\n\nfn ask() {\n    a();\n}\n",
        "settings.py": 'MIDDLEWARE = [\n    "django.Guard",\n    "shop.mid.Own",\n]\n',
        "shop/mid.py": "class Own:\n    pass\n",
        "web.py": "from flask import Flask\napp = Flask('x')\n\n@app.before_request\n"
        "def check():\n    return None\n",
    })  # fmt: skip
    (planned,) = http.plan(facts)
    body = written(facts, planned.write, None, planned.key)
    assert "| GET | the value of `path` | `ask` [" in body
    body = body[body.index("## Around the handlers") :]
    assert '| `.wrap(Log::new())` | in `web::scope("/in")` |   | [`src/main.rs:14`]' in body
    assert "gone" not in body
    assert (
        "| `app.Use(onlyKnown)` |   | `onlyKnown` [`api.go:17-22`](source:api.go#L17-L22)" in body
    )
    assert ": “onlyKnown lets nobody else in.” | [`api.go:8`]" in body
    assert "| `app.Use(cors.New(cors.Config{ …` |" in body
    assert "| `ask` [`src/main.rs:18-20`](source:src/main.rs#L18-L20) | [`src/main.rs:5`]" in body
    assert "| `django.Guard` |   |   |" in body
    assert "| `shop.mid.Own` |   | `Own` [`shop/mid.py:1-2`]" in body
    assert "| `@app.before_request` |   | `check` [`web.py:" in body


def test_a_guard_that_is_added_under_a_condition_is_shown_with_it_and_counted_apart() -> None:
    facts = facts_of({
        "go.mod": "module example.com/shop\n\nrequire github.com/gin-gonic/gin v1.0.0\n",
        "api.go": "package api\n\nimport \"github.com/gin-gonic/gin\"\n\n"
        "func New(own Options) {\n\tapp := gin.New()\n\tif own.User != \"\" {\n"
        "\t\tapp.Use(gin.BasicAuth(own.User))\n\t} else {\n\t\tapp.Use(requireToken())\n\t}\n"
        "\tapp.GET(\"/\", show)\n"
        "\tif own.Admin {\n\t\tadmin := app.Group(\"/admin\")\n"
        "\t\tadmin.Use(requireAdmin)\n\t\tadmin.GET(\"/all\", show)\n\t}\n}\n",
    })  # fmt: skip
    (planned,) = http.plan(facts)
    body = written(facts, planned.write, None, planned.key)
    asked = '`gin.BasicAuth, if own.User != ""`, `requireToken, unless own.User != ""`'
    assert f"| GET | `/` | `show` [`api.go:12`](source:api.go#L12) | {asked} |" in body
    assert f"{asked}, `requireAdmin` |" in body
    assert "| With a guard that the code shows | 1 |" in body
    assert "| With a guard under a condition only | 1 |" in body
    assert '| `app.Use(gin.BasicAuth(own.User))` | in `if own.User != ""` |' in body


def test_only_what_nest_puts_around_all_handlers_is_around_them() -> None:
    facts = facts_of({
        "guards.ts": "import { CanActivate } from '@nestjs/common';\n"
        "export class AllGuard implements CanActivate {}\n"
        "export class OneGuard implements CanActivate {}\n"
        "export class Logging implements NestMiddleware {}\n",
        "app.module.ts": "import { Controller, Get, Module, UseGuards } from '@nestjs/common';\n"
        "import { APP_GUARD } from '@nestjs/core';\n"
        "import { AllGuard, Logging, OneGuard } from './guards';\n"
        "@UseGuards(OneGuard)\n@Controller('pets')\nclass Pets {\n  @Get()\n  all() {}\n}\n"
        "@Module({\n  controllers: [Pets],\n"
        "  providers: [{ provide: APP_GUARD, useClass: AllGuard }],\n})\n"
        "export class AppModule {\n  configure(consumer) {\n    consumer\n"
        "      .apply(Logging)\n      .forRoutes('*');\n  }\n}\n",
    })  # fmt: skip
    (planned,) = http.plan(facts)
    body = written(facts, planned.write, None, planned.key)
    body = body[body.index("## Around the handlers") :]
    assert "| `APP_GUARD: AllGuard` | `AllGuard` [`guards.ts:2`]" in body
    assert "| `.apply(Logging)` | `Logging` [`guards.ts:4`]" in body
    assert "OneGuard" not in body


def test_many_routes_get_pages_of_their_own() -> None:
    facts = facts_of({"app.py": ""})
    facts.code = {"app.py": FileFacts(routes=tuple(
        Route("GET", f"/{'ab'[n % 2]}/{n:03}", n, "", "app") for n in range(121)
    ))}  # fmt: skip
    planned = list(http.plan(facts))
    assert [each.title for each in planned] == [
        "HTTP API", "HTTP API: /a, part 1", "HTTP API: /b, part 1",
    ]  # fmt: skip


def test_a_route_without_a_guard_is_not_said_to_be_public() -> None:
    facts = facts_of({"app.py": ""})
    facts.code = {"app.py": FileFacts(routes=(
        Route("GET", "/users", 3, "users", "app", "", "Flask"),
    ))}  # fmt: skip
    (planned,) = http.plan(facts)
    body = written(facts, planned.write, None, planned.key)
    assert "Guards are recognized by their names, and by what they do" in body


def test_the_page_says_of_which_frameworks_guards_are_not_read() -> None:
    facts = facts_of({"main.rs": ""})
    facts.code = {"main.rs": FileFacts(routes=(
        Route("GET", "/users", 3, "users", "app", "", "tide"),
    ))}  # fmt: skip
    (planned,) = http.plan(facts)
    body = written(facts, planned.write, None, planned.key)
    assert "Guards of tide are not read." in body
    assert "Guards are recognized" not in body
    assert "Guard |" not in body


def test_a_description_that_names_other_parameters_than_the_code_reads_is_shown_with_them() -> None:
    handler = (
        "from tornado import web\n\n\nclass Rate(web.RequestHandler):\n"
        "    def post(self, name):\n        self.get_argument('ratelimit')\n"
        "        self.get_argument('worker')\n\n\n"
        "handlers = [(r'/rate/(.+)', Rate)]\n"
    )
    described = (
        "openapi: 3.0.0\npaths:\n  /rate/{task}:\n    post:\n      parameters:\n"
        "        - {name: worker, in: query}\n        - {name: rateLimit, in: query}\n"
        "      responses: {'200': {description: Done.}}\n"
    )
    facts = facts_of({"app.py": handler, "openapi.yaml": described})
    (sheet,) = (it for it in http.plan(facts) if "described-" in it.key)
    body = written(facts, sheet.write, sheet.subject, sheet.key)
    assert "`rateLimit` (not in the file of the handler), not described, but read" in body
    assert "read by the code: `ratelimit` |" in body
    assert "Answers" not in body


def test_a_permission_without_a_comment_is_shown_by_its_check_and_a_package_by_its_routes() -> None:
    facts = facts_of({
        "shop/__init__.py": "",
        "shop/views.py": "from rest_framework.views import APIView\n"
        "from rest_framework.permissions import BasePermission\n\n\n"
        "class Reading(BasePermission):\n    def has_permission(self, request, view):\n"
        "        return request.method in SAFE\n\n\n"
        "class Tills(APIView):\n    permission_classes = [Reading | Owning]\n\n"
        "    def get(self, request): ...\n",
        "shop/urls.py": "from django.urls import include, path\nfrom shop import views\n\n"
        "urlpatterns = [path('a', views.Tills.as_view()), path('b/', include('counts.urls'))]\n",
    })  # fmt: skip
    (planned,) = http.plan(facts)
    body = written(facts, planned.write, None, planned.key)
    assert "| `return request.method in SAFE` | 1 |" in body
    assert "Of those that `|` joins one is enough" in body
    assert "routes of `counts.urls` below `/b`" in body
