"""What decides whether a request reaches its handler."""

from __future__ import annotations

from stationmaster.wiki.facts.guarding.guards import Guard
from stationmaster.wiki.facts.guarding.rules import opening, rules
from stationmaster.wiki.facts.interfaces.layers import layers
from stationmaster.wiki.facts.interfaces.routes import endpoints
from stationmaster.wiki.facts.model import Spot
from tests.wiki.commits import facts_of


def test_a_controller_of_net_has_the_guard_of_its_base_and_a_policy_is_where_it_is_made() -> None:
    facts = facts_of({
        "Base.cs": "using Microsoft.AspNetCore.Mvc;\n[Authorize]\n[Route(\"api/[controller]\")]\n"
        "public class Base : ControllerBase { }\n",
        "Tills.cs": "using Microsoft.AspNetCore.Mvc;\npublic class TillsController : Base\n{\n"
        '    [HttpGet("a")]\n    public int All() => 1;\n'
        '    [HttpGet("b"), AllowAnonymous]\n    public int Any() => 1;\n'
        '    [HttpGet("c"), Authorize("Admin")]\n    public int Own() => 1;\n'
        '    [HttpGet("d"), Authorize(Policy = "Elsewhere")]\n    public int Far() => 1;\n}\n',
        "Start.cs": "class Start\n{\n    void Add(Services services)\n    {\n"
        '        services.AddAuthorization(o => o.AddPolicy("Admin", p => p.RequireRole("x")));\n'
        "    }\n}\n",
    })  # fmt: skip
    assert [each.guards for each in endpoints(facts)] == [
        (Guard("Authorize", Spot("Base.cs", "Base")),), (),
        (Guard("Authorize(Admin)", Spot("Start.cs", "Start.Add")),),
        (Guard("Authorize(Elsewhere)", None),),
    ]  # fmt: skip


def test_actions_of_net_are_named_by_the_program_and_what_a_function_maps_is_behind_its_call() -> (
    None
):
    facts = facts_of({
        "Tills.cs": "using Microsoft.AspNetCore.Mvc;\npublic class TillsController : Controller\n"
        "{\n    [HttpGet]\n    public int Index() => 1;\n"
        "    [HttpPost]\n    public int Close() => 1;\n}\n",
        "Api.cs": "static class Api\n{\n"
        "    public static RouteGroupBuilder MapApi(this IEndpointRouteBuilder app)\n    {\n"
        '        var api = app.MapGroup("/api");\n        api.MapGet("/x", Show);\n'
        '        api.MapMethods("/y", [HttpMethods.Options], Show);\n        return api;\n'
        "    }\n}\n",
        "Program.cs": "var app = WebApplication.CreateBuilder(args).Build();\n"
        "app.MapApi()\n   .RequireAuthorization();\napp.MapDefaultControllerRoute();\n",
    })  # fmt: skip
    found = [(it.methods[0], it.route, [g.name for g in it.guards]) for it in endpoints(facts)]
    assert found == [
        ("GET", "/Tills", []), ("POST", "/Tills/Close", []),
        ("GET", "/api/x", ["RequireAuthorization"]),
        ("OPTIONS", "/api/y", ["RequireAuthorization"]),
    ]  # fmt: skip


def test_views_of_django_have_their_own_permissions_or_those_they_inherit() -> None:
    facts = facts_of(
        {
            "shop/__init__.py": "",
            "shop/permissions.py": "class Owns(BasePermission):\n    pass\n",
            "shop/views.py": "from rest_framework.views import GenericAPIView\n"
            "from shop.permissions import Owns\n\n"
            "class Above(GenericAPIView):\n    permission_classes = (IsAuthenticated, Owns)\n\n"
            "class Orders(LoginRequiredMixin, Above):\n    filter_backends = [\n        Sorted,\n"
            "        PermittedFilter,  # the others\n    ]\n\n    def post(self, request):\n"
            "        permission_classes = [Never]\n        return 1\n",
            "shop/urls.py": "from django.urls import path\nfrom shop.views import Orders\n\n"
            'urlpatterns = [path("orders/", Orders.as_view())]\n',
        }
    )
    (route,) = endpoints(facts)
    assert route.methods == ("POST",)
    assert [(guard.name, guard.spot and guard.spot.name) for guard in route.guards] == [
        ("LoginRequiredMixin", None),
        ("PermittedFilter", None),
        ("IsAuthenticated", None),
        ("Owns", "Owns"),
    ]


def test_views_of_django_are_guarded_by_mixins_with_their_permission_and_by_decorators() -> None:
    facts = facts_of({
        "shop/__init__.py": "",
        "shop/views.py": "from django.views import View\n"
        "from django.views.generic import DetailView\n\n"
        "class Till(LoginRequiredMixin, PermissionRequiredMixin, DetailView):\n"
        "    permission_required = 'shop.view_till'\n\n"
        "class Key(LoginRequiredMixin, View):\n    def post(self, request):\n        return 1\n\n"
        "@method_decorator(staff_member_required, name='dispatch')\n"
        "class Safe(View):\n    def get(self, request):\n        return 1\n\n"
        "@never_cache\n@login_required\ndef close(request):\n    return 1\n",
        "shop/urls.py": "from django.urls import path\nfrom . import views\n\n"
        "urlpatterns = [\n    path('till/', views.Till.as_view()),\n"
        "    path('key/', views.Key.as_view()),\n    path('safe/', views.Safe.as_view()),\n"
        "    path('close/', views.close),\n]\n",
    })  # fmt: skip
    assert {
        f"{each.methods[0]} {each.route}": [guard.name for guard in each.guards]
        for each in endpoints(facts)
    } == {
        "GET /till/": ["LoginRequiredMixin", "PermissionRequiredMixin(shop.view_till)"],
        "POST /key/": ["LoginRequiredMixin"],
        "GET /safe/": ["staff_member_required"],
        "ANY /close/": ["login_required"],
    }


def test_decorators_of_methods_guard_resources_of_flask() -> None:
    facts = facts_of({
        "shop/__init__.py": "",
        "shop/Till.py": "from flask_restful import Resource\nfrom . import auth\n\n"
        "class Till(Resource):\n"
        "    @auth.check_token\n    def get(self):\n        return 1\n\n"
        "    @require_http_methods\n    def post(self):\n        return 1\n",
        "shop/auth.py": "def check_token(f):\n    return f\n",
        "shop/app.py": "from flask import Flask\nfrom flask_restful import Api\n"
        "from .Till import Till\n\napp = Flask(__name__)\napi = Api(app)\n"
        "api.add_resource(Till, '/till')\n",
    })  # fmt: skip
    assert {
        f"{each.methods[0]} {each.route}": [guard.name for guard in each.guards]
        for each in endpoints(facts)
    } == {"GET /till": ["auth.check_token"], "POST /till": []}


def test_a_layer_of_axum_guards_the_routes_that_were_put_on_its_router_before() -> None:
    facts = facts_of({
        "Cargo.toml": '[package]\nname = "till"\n',
        "src/main.rs": "use axum::{middleware, routing::get, Router};\nmod auth;\n\n"
        "fn app() -> Router {\n    Router::new()\n        .route(\"/coins\", get(coins))\n"
        "        .route_layer(middleware::from_fn_with_state(state, auth::require_auth))\n"
        '        .route("/up", get(up))\n        .route("/own", get(own).layer(from_fn(traced)))\n'
        '        .nest("/in", inner().layer(middleware::from_fn(auth::require_auth)))\n'
        "        .layer(TraceLayer::new())\n}\n\n"
        'fn inner() -> Router {\n    Router::new().route("/sum", get(sum))\n}\n',
        "src/auth.rs": "pub async fn require_auth(request: Request, next: Next) -> Response {}\n",
    })  # fmt: skip
    guards = {it.route: [guard.name for guard in it.guards] for it in endpoints(facts)}
    assert guards == {
        "/coins": ["auth::require_auth"], "/in/sum": ["auth::require_auth"], "/own": [], "/up": [],
    }  # fmt: skip


def test_what_actix_wraps_around_a_scope_guards_all_of_it() -> None:
    facts = facts_of({
        "Cargo.toml": '[package]\nname = "till"\n',
        "src/main.rs": "use actix_web::{middleware::from_fn, web, App, HttpServer};\n"
        "fn run() {\n    App::new().wrap(Logger::default()).service(\n"
        '        web::scope("/admin")\n            .wrap(from_fn(reject_anonymous_users))\n'
        '            .route("/coins", web::get().to(coins)),\n    )\n'
        '    .route("/up", web::get().to(up));\n}\n\n'
        "async fn reject_anonymous_users(request: ServiceRequest) {}\n",
    })  # fmt: skip
    guards = {it.route: [guard.name for guard in it.guards] for it in endpoints(facts)}
    assert guards == {"/admin/coins": ["reject_anonymous_users"], "/up": []}


SECURITY = """package b;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import a.Marks;
class Security {
  void chain(HttpSecurity http, Context context) {
    Set<String> open = Marks.open(context);
    http.addFilter(cors)
      // .antMatchers("/gone").permitAll()
      .antMatchers(HttpMethod.GET, "/*.html",
        "/*.css").permitAll()
      .antMatchers(open.toArray(new String[0])).permitAll()
      .antMatchers("/tills/**").hasRole("KEEPER")
      .anyRequest().authenticated();
  }
}
"""
SPRING = {
    "pom.xml": "<project/>",
    "src/main/java/b/Security.java": SECURITY,
    "src/main/java/a/Marks.java": "package a;\nclass Marks { static Set<String> open(Context c) {\n"
    "  Map<String, Object> all = c.getBeansWithAnnotation(RestController.class);\n"
    "  return of(method.getMethodAnnotation(Open.class)); } }\n",
    "src/main/java/a/Open.java": "package a;\npublic @interface Open {}\n",
    "src/main/java/a/OpenPost.java": "package a;\n"
    "import org.springframework.web.bind.annotation.*;\n"
    "@Open\n@RequestMapping(method = RequestMethod.POST)\n"
    "public @interface OpenPost { String[] value() default {}; }\n",
    "src/main/java/a/Keepers.java": "package a;\n"
    "@PreAuthorize(\"hasRole('KEEPER')\")\npublic @interface Keepers {}\n",
    "src/main/java/b/Keys.java": "package b;\n@Service(\"keys\")\nclass Keys {\n"
    "  boolean fits(String door) {\n    return true;\n  }\n}\n",
    "src/main/java/b/Tills.java": "package b;\nimport a.OpenPost;\nimport a.Keepers;\n"
    "import org.springframework.web.bind.annotation.*;\n"
    '@RestController\n@RequestMapping("/tills")\nclass Tills {\n'
    '  @Log("in")\n  @OpenPost("/in")\n  void in() {}\n'
    '  @Keepers\n  @GetMapping\n  void all() {}\n'
    "  @PreAuthorize(\"@keys.fits('till')\")\n  @DeleteMapping\n  void clear() {}\n}\n",
}  # fmt: skip


def test_annotations_of_a_project_stand_for_routes_and_guards_of_spring() -> None:
    found = {it.handler: it for it in endpoints(facts_of(SPRING))}
    assert [(it.methods, it.route, it.is_public) for it in found.values()] == [
        (("DELETE",), "/tills", False), (("GET",), "/tills", False),
        (("POST",), "/tills/in", True),
    ]  # fmt: skip
    assert found["Tills.all"].guards == (Guard("PreAuthorize(\"hasRole('KEEPER')\")", None),)
    assert found["Tills.clear"].guards == (
        Guard(
            "PreAuthorize(\"@keys.fits('till')\")", Spot("src/main/java/b/Keys.java", "Keys.fits")
        ),
    )


def test_rules_of_a_security_configuration_are_told_in_order_and_remarks_are_none() -> None:
    facts = facts_of(SPRING)
    assert [(it.requests, it.says, it.line) for it in rules(facts)] == [
        ('HttpMethod.GET, "/*.html", "/*.css"', "permitAll()", 9),
        ("open.toArray(new String[0])", "permitAll()", 11),
        ('"/tills/**"', 'hasRole("KEEPER")', 12),
        ("anyRequest()", "authenticated()", 13),
    ]
    assert opening(facts) == {"Open", "OpenPost"}


def test_a_filter_that_a_variable_holds_shows_the_method_that_is_called() -> None:
    facts = facts_of({
        "pom.xml": "<project/>",
        "src/main/java/b/Setup.java": "package b;\n"
        "import org.springframework.security.config.annotation.web.builders.HttpSecurity;\n"
        "class Setup {\n  void configure(HttpSecurity http) {\n"
        "    Door door = new Door(keys);\n    http.addFilterBefore(door, Other.class);\n  }\n}\n",
        "src/main/java/b/Door.java": "package b;\n"
        "import org.springframework.web.filter.GenericFilterBean;\n"
        "class Door extends GenericFilterBean {\n  public void doFilter(Request request) {\n"
        "    open();\n  }\n}\n",
    })  # fmt: skip
    assert [(it.words, [name for name, _, _ in it.ends]) for it in layers(facts)] == [
        ("Door", ["Door.doFilter"]),
        ("http.addFilterBefore(door, Other.class)", ["Door.doFilter"]),
    ]


def test_what_a_handler_of_rust_takes_guards_it_where_it_refuses() -> None:
    facts = facts_of({
        "Cargo.toml": '[package]\nname = "shop"\nversion = "1.0.0"\n',
        "src/main.rs": "use axum::{routing::get, Router};\nmod user;\nuse user::*;\n"
        "fn app() -> Router {\n    Router::new().route(\"/own\", get(own))"
        ".route(\"/all\", get(all)).route(\"/db\", get(db))\n}\n"
        "async fn own(user: User, Json(it): Json<It>) -> String { todo!() }\n"
        "async fn all(user: Option<User>, it: MaybeUser) -> String { todo!() }\n"
        "async fn db(db: Db) -> String { todo!() }\n",
        "src/user.rs": "pub struct User;\npub struct MaybeUser;\npub struct Db;\n"
        "impl<S> FromRequestParts<S> for User {\n"
        "    async fn from_request_parts(p: &mut Parts) -> Result<Self, Error> {\n"
        "        Err(Error::Unauthorized)\n    }\n}\n"
        "impl<S> FromRequestParts<S> for MaybeUser {\n"
        "    async fn from_request_parts(p: &mut Parts) -> Result<Self, Error> {\n"
        "        Err(Error::Unauthorized)\n    }\n}\n"
        "impl<S> FromRequestParts<S> for Db {\n"
        "    async fn from_request_parts(p: &mut Parts) -> Result<Self, Error> { todo!() }\n}\n",
    })  # fmt: skip
    assert {it.route: it.guards for it in endpoints(facts)} == {
        "/own": (Guard("User", Spot("src/user.rs", "User.from_request_parts")),),
        "/all": (), "/db": (),
    }  # fmt: skip


def test_guards_of_litestar_stand_in_the_class_or_the_decorator() -> None:
    facts = facts_of({
        "tills.py": "from litestar import Controller, get, post\n"
        "from rules import is_clerk, owns\n\n"
        "class Tills(Controller):\n    path = \"/tills\"\n    guards = [is_clerk]\n\n"
        "    @get()\n    async def all(self) -> None: ...\n\n"
        "    @post(\n        path=\"/own\",\n        guards=[owns],\n    )\n"
        "    async def own(self) -> None: ...\n",
        "rules.py": "def is_clerk(a, b): ...\ndef owns(a, b): ...\n",
    })  # fmt: skip
    assert {it.methods: [guard.name for guard in it.guards] for it in endpoints(facts)} == {
        ("GET",): ["is_clerk"], ("POST",): ["owns", "is_clerk"],
    }  # fmt: skip
