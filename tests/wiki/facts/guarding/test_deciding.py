"""Who may send a request to a route, whatever tells it."""

from __future__ import annotations

from stationmaster.wiki.facts.guarding.rules import rules
from stationmaster.wiki.facts.interfaces.layers import layers
from stationmaster.wiki.facts.interfaces.routes import endpoints
from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.facts.unread import unread_as
from tests.wiki.commits import facts_of

NAMELESS = (
    'package main\n\nimport "github.com/labstack/echo/v4"\n\n'
    "func main() {\n\te := echo.New()\n"
    '\tg := e.Group("/api", func(next echo.HandlerFunc) echo.HandlerFunc {\n'
    "\t\treturn func(c echo.Context) error {\n"
    "\t\t\tif user(c) == nil { return echo.NewHTTPError(401) }\n"
    "\t\t\treturn next(c)\n\t\t}\n\t})\n"
    '\tg.GET("/tills", show)\n}\n\nfunc show(c echo.Context) error { return nil }\n'
)
"""A group of Go whose guard is a function without a name."""


def decided(facts: Facts) -> list[tuple[str, str, list[str]]]:
    return [
        (" ".join(it.methods), it.route, [guard.words for guard in it.guards])
        for it in endpoints(facts)
    ]


def test_a_class_on_a_namespace_of_flask_has_its_methods_and_their_decorators() -> None:
    facts = facts_of({
        "shop/tills.py": "from flask_restx import Namespace, Resource\n"
        "from shop.who import sellers_only\n\ntills = Namespace('tills')\n\n\n"
        "@tills.route('', '/all')\nclass Tills(Resource):\n"
        "    def get(self): return []\n\n    @sellers_only\n    def post(self): return 1\n",
        "shop/who.py": "from flask import abort\n\n\ndef sellers_only(view):\n"
        "    def inner(*args, **kwargs):\n        if not user():\n            abort(403)\n"
        "        return view(*args, **kwargs)\n    return inner\n",
        "shop/api.py": "from flask import Blueprint\nfrom flask_restx import Api\n"
        "from shop.tills import tills\n\nparts = Blueprint('api', __name__, url_prefix='/api')\n"
        "API = Api(parts)\nAPI.add_namespace(tills, '/v1/tills')\n",
    })  # fmt: skip
    assert decided(facts) == [
        ("GET", "/api/v1/tills", []), ("POST", "/api/v1/tills", ["sellers_only"]),
        ("GET", "/api/v1/tills/all", []), ("POST", "/api/v1/tills/all", ["sellers_only"]),
    ]  # fmt: skip


def test_what_declares_a_route_is_no_guard_and_all_of_several_guards_are_told() -> None:
    facts = facts_of({
        "shop.py": "from flask import Blueprint\nfrom who import admin_only, login_required\n\n"
        "auth = Blueprint('auth', __name__)\n\n\n@auth.route('/login')\ndef login(): ...\n\n\n"
        "@auth.route('/close')\n@login_required\n@admin_only\ndef close(): ...\n",
    })  # fmt: skip
    assert decided(facts) == [
        ("GET", "/close", ["login_required", "admin_only"]), ("GET", "/login", []),
    ]  # fmt: skip


def test_decorators_of_django_tell_methods_and_permissions_and_texts_are_no_guards() -> None:
    facts = facts_of({
        "shop/urls.py": "from django.urls import path\nfrom shop import views\n\nurlpatterns = [\n"
        "    path('a', views.show), path('b', views.sell), path('c', views.Tills.as_view()),\n"
        "    path('d', views.Open.as_view()),\n]\n",
        "shop/views.py": "from rest_framework.decorators import api_view, permission_classes\n"
        "from rest_framework.views import APIView\n\n\n"
        "@api_view()\n@permission_classes([IsSeller & IsHere])\ndef show(request): ...\n\n\n"
        "@require_http_methods(['GET', 'POST'])\ndef sell(request): ...\n\n\n"
        "class Tills(CheckMixin, APIView):\n    permission_classes = [IsOwner('till')]\n\n"
        "    def get(self, request): ...\n\n\n"
        "class Open(APIView):\n    permission_classes = [AllowAny]\n\n"
        "    def get(self, request): ...\n",
    })  # fmt: skip
    assert decided(facts) == [
        ("GET", "/a", ["IsSeller", "IsHere"]), ("GET POST", "/b", []),
        ("GET", "/c", ["IsOwner"]), ("GET", "/d", []),
    ]  # fmt: skip
    assert [it.route for it in endpoints(facts) if it.is_public] == ["/d"]


def test_methods_of_one_name_of_java_are_handlers_and_guard_nothing() -> None:
    mapping = "org.springframework.web.bind.annotation"
    facts = facts_of({
        "Login.java": f"import {mapping}.*;\n\n@RestController\nclass Login {{\n"
        '    @GetMapping("/a")\n    String authenticate(String name) { return name; }\n'
        '    @GetMapping("/b")\n    String authenticate(int id) { return ""; }\n}\n',
    })  # fmt: skip
    assert [(it.route, it.handler, it.handler_line, it.guards) for it in endpoints(facts)] == [
        ("/a", "Login.authenticate(String)", 6, ()), ("/b", "Login.authenticate(int)", 8, ()),
    ]  # fmt: skip


def test_a_function_written_before_a_group_of_go_is_a_guard_if_it_refuses() -> None:
    facts = facts_of({"main.go": NAMELESS})
    assert decided(facts) == [("GET", "/api/tills", ["a function at main.go:7-12"])]


def test_a_router_that_nobody_is_known_to_give_has_its_paths_as_written() -> None:
    facts = facts_of({
        "tills.go": 'package shop\n\nimport "github.com/gin-gonic/gin"\n\n'
        'func (t *Tills) Register(group *gin.RouterGroup) {\n\tgroup.GET("/tills", t.show)\n}\n',
    })  # fmt: skip
    assert decided(facts) == [("GET", "/tills", [])]


def test_files_of_symfony_tell_prefixes_by_folder_and_who_may_send_requests_by_path() -> None:
    controller = (
        "<?php\nnamespace App\\{0};\nuse Symfony\\Component\\Routing\\Attribute\\Route;\n"
        "use Symfony\\Component\\Security\\Http\\Attribute\\IsGranted;\n\n"
        "#[IsGranted('SHOP')]\nclass {1}\n{{\n    #[Route('/tills', methods: ['GET'])]\n"
        "    #[IsGranted('view')]\n    public function show() {{}}\n}}\n"
    )
    facts = facts_of({
        "src/Api/Tills.php": controller.format("Api", "Tills"),
        "src/Web/Pages.php": controller.format("Web", "Pages"),
        "config/routes.yaml": "all:\n    resource: ../src/\n    type: attribute\n"
        "api:\n    resource: ../src/Api/\n    type: attribute\n    prefix: /api\n",
        "config/packages/security.yaml": "security:\n    access_control:\n"
        "        - { path: ^/api, roles: ROLE_SELLER }\n",
    })  # fmt: skip
    guards = ["IsGranted('SHOP')", "IsGranted('view')"]
    assert [(route, named) for _, route, named in decided(facts)] == [
        ("/api/tills", guards), ("/tills", guards),
    ]  # fmt: skip
    assert [(it.requests, it.says) for it in rules(facts)] == [("^/api", "ROLE_SELLER")]


def test_a_mark_before_a_function_without_a_name_of_net_is_the_guard_of_its_route() -> None:
    facts = facts_of({
        "Program.cs": "var app = WebApplication.CreateBuilder(args).Build();\n"
        'app.MapPost("/tills", [Authorize(Roles = Roles.Seller)] async (Till till) => 1);\n',
    })  # fmt: skip
    assert decided(facts) == [("POST", "/tills", ["Authorize(Roles.Seller)"])]


def test_rules_of_spring_hold_where_annotations_turn_them_on_and_a_server_is_told() -> None:
    security = "org.springframework.security"
    facts = facts_of({
        "Rules.java": f"import {security}.config.annotation.web.builders.HttpSecurity;\n\n"
        '@Profile("open")\nclass Rules {\n    void rules(HttpSecurity http) {\n'
        '        http.requestMatchers("/a").permitAll();\n    }\n}\n',
        "Config.java": "import org.springframework.cloud.config.server.EnableConfigServer;\n\n"
        "@EnableConfigServer\nclass Config { }\n",
    })  # fmt: skip
    assert [it.conditions[0].texts for it in rules(facts)] == [('@Profile("open")',)]
    assert [it.package for it in unread_as(facts, "HTTP routes")] == ["@EnableConfigServer"]


def test_what_routers_of_javascript_are_given_guards_what_is_put_on_them_later() -> None:
    facts = facts_of({
        "package.json": '{"name": "x"}',
        "main.js": "require('dotenv').config();\nconst express = require('express');\n"
        "const { protect } = require('./who');\nconst login = require('./login');\n"
        "const { open, closed } = require('./routes');\nconst app = express();\n"
        "app.use('/login', login);\nopen(app);\napp.use(protect);\nclosed(app);\n"
        "app.use('/admin', (req, res, next) => user(req) ? next() : res.status(403).end());\n"
        "app.get('/admin/tills', (req, res) => {});\nrequire('./late')(app);\n",
        "who.js": "exports.protect = wrapped(async (req, res, next) => next());\n",
        "login.js": "const express = require('express');\nconst router = express.Router();\n"
        "router.get('/', (req, res) => {});\nmodule.exports = router;\n",
        "routes.js": "function open(app) {\n  app.get('/a', (req, res) => {});\n}\n"
        "function closed(app) {\n  app.get('/b', (req, res) => {});\n}\n"
        "module.exports = { open, closed };\n",
        "late.js": "module.exports = function (app) { app.get('/c', (req, res) => {}); };\n",
    })  # fmt: skip
    assert [(route, guards) for _, route, guards in decided(facts)] == [
        ("/a", []), ("/admin/tills", ["protect", "a function at main.js:11"]), ("/b", ["protect"]),
        ("/c", ["protect"]), ("/login", []),
    ]  # fmt: skip


def test_routes_of_hapi_are_put_on_a_server_that_a_function_is_given() -> None:
    facts = facts_of({
        "tills.js": "const register = function (server) {\n  server.route({ method: 'GET',\n"
        "    path: '/tills', options: { auth: { scope: 'seller' } }, handler: show });\n"
        "  server.route({ method: 'GET', path: '/open', options: { auth: false } });\n};\n"
        "module.exports = { name: 'tills', register };\n",
    })  # fmt: skip
    assert decided(facts) == [
        ("GET", "/open", []), ("GET", "/tills", ["auth: { scope: 'seller' }"]),
    ]  # fmt: skip


def test_files_that_a_framework_calls_before_handlers_are_around_them() -> None:
    facts = facts_of({
        "package.json": '{"name": "x", "dependencies": {"next": "1"}}',
        "middleware.ts": "export function middleware(request) { return check(request); }\n"
        "export const config = { matcher: ['/admin/:path*'] };\n",
    })  # fmt: skip
    assert [(it.words, it.part, it.ends[0][0]) for it in layers(facts)] == [
        ("middleware.ts", "['/admin/:path*']", "middleware")
    ]


def test_middleware_of_go_guards_no_path_that_it_skips_and_what_is_below_its_prefix_alone() -> None:
    facts = facts_of({
        "go.mod": "module example.org/shop\n",
        "main.go": 'package main\nimport "github.com/labstack/echo/v4"\n'
        'func main() {\n\tg := echo.New().Group("/api")\n\tg.Use(RequireToken())\n'
        "\tg.Use(RequireAdmin())\n"
        '\tg.GET("/login", login)\n\tg.GET("/carts/:id", cart)\n\tg.GET("/admin/users", users)\n'
        '\tg.GET("/shares/:share", share)\n}\n',
        "guards.go": "package main\n\n"
        'var open = map[string]bool{\n\t"/api/login": true,\n\t"/api/shares/:id": true,\n}\n\n'
        "func RequireToken() echo.MiddlewareFunc {\n\treturn jwt.WithConfig(jwt.Config{\n"
        "\t\tSkipper: func(c echo.Context) bool {\n\t\t\t// Everybody may sign in.\n"
        "\t\t\tif open[c.Path()] {\n\t\t\t\treturn true\n\t\t\t}\n\t\t\treturn false\n\t\t},\n"
        '\t})\n}\n\nconst admin = "/api/admin"\n\n'
        "func RequireAdmin() echo.MiddlewareFunc {\n"
        "\treturn func(next echo.HandlerFunc) echo.HandlerFunc {\n"
        "\t\treturn func(c echo.Context) error {\n"
        "\t\t\tif strings.HasPrefix(c.Request().URL.Path, admin) {\n"
        "\t\t\t\treturn gated(c)\n\t\t\t}\n\t\t\treturn next(c)\n\t\t}\n\t}\n}\n",
    })  # fmt: skip
    assert decided(facts) == [
        ("GET", "/api/admin/users", ["RequireToken", "RequireAdmin"]),
        ("GET", "/api/carts/:id", ["RequireToken"]),
        ("GET", "/api/login", []), ("GET", "/api/shares/:share", []),
    ]  # fmt: skip


def test_a_guard_has_the_arguments_that_are_written_out() -> None:
    python = facts_of({
        "app.py": "from flask import Flask\nfrom who import login_required\n\n"
        "app = Flask(__name__)\n\n\n@app.route('/tills')\n@login_required(\"TILLS\")\n"
        "def tills(): ...\n\n\n@app.route('/own')\n@login_required(RIGHTS[0])\ndef own(): ...\n",
    })  # fmt: skip
    assert decided(python) == [
        ("GET", "/own", ["login_required"]), ("GET", "/tills", ['login_required("TILLS")']),
    ]  # fmt: skip
    script = facts_of({
        "package.json": '{"dependencies": {"express": "4"}}',
        "app.js": "const express = require('express')\nconst { requireRole } = require('who')\n"
        "const app = express()\napp.get('/tills', requireRole('seller', 'owner'), show)\n"
        "app.get('/own', requireRole(right), show)\n",
    })  # fmt: skip
    assert decided(script) == [
        ("GET", "/own", ["requireRole"]), ("GET", "/tills", ["requireRole('seller', 'owner')"]),
    ]  # fmt: skip


_HUMA = """package api

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"
)

// bearer is what all operations need.
var bearer = []map[string][]string{{"bearer": {}}}

func New(router chi.Router) huma.API {
	api := humachi.New(router, config())
	api.UseMiddleware(authMiddleware(api))
	register(api)
	return api
}

func authMiddleware(api huma.API) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		if ctx.Header("Authorization") == "" {
			huma.WriteErr(api, ctx, http.StatusUnauthorized, "who")
			return
		}
		next(ctx)
	}
}

func register(api huma.API) {
	huma.Register(api, huma.Operation{
		Method: http.MethodGet,
		Path: "/tills",
		Security: bearer,
	}, show)
	huma.Register(api, requireScope(huma.Operation{
		Method: http.MethodPost,
		Path: "/tills",
	}, "tills"), show)
}
"""


def test_an_operation_within_another_call_has_that_and_what_its_api_uses_as_guards() -> None:
    facts = facts_of({
        "go.mod": "module example.com/a\n\nrequire github.com/danielgtaylor/huma/v2 v2.0.0\n",
        "api/api.go": _HUMA,
    })  # fmt: skip
    assert decided(facts) == [
        ("GET", "/tills", ["authMiddleware", "bearer"]),
        ("POST", "/tills", ["authMiddleware", "requireScope"]),
    ]
