"""What programs of Go serve, on routers of frameworks and of their own."""

from __future__ import annotations

import pytest

from stationmaster.reading.code.model import Entry, Mount
from tests.reading.code.reading import facts_of


def routes(text: str) -> list[tuple[str, str, str, str, str]]:
    return [
        (each.method, each.path, each.owner, each.handler, each.guard)
        for each in facts_of("Go", text).routes
    ]


def test_patterns_of_the_library_may_hold_the_method() -> None:
    facts = facts_of(
        "Go",
        """
        package api
        import "net/http"
        const base = "/v1"
        func NewHandler() http.Handler {
            mux := http.NewServeMux()
            mux.HandleFunc("GET /users/{id}", h.user)
            mux.Handle(base + "/any", wrap(h.any))
            http.HandleFunc("/plain", plain)
            other.HandleFunc("/no", plain)
            mux.Handle("/admin/", http.StripPrefix("/admin", adminMux()))
            http.ListenAndServe(":1", mux)
            return guarded(mux)
        }
    """,
    )
    assert [(r.method, r.path, r.owner, r.handler, r.framework) for r in facts.routes] == [
        ("GET", "/users/{id}", "NewHandler", "h.user", "net/http"),
        ("ANY", "/v1/any", "NewHandler", "wrap(h.any)", "net/http"),
        ("ANY", "/plain", "", "plain", "net/http"),
        ("ANY", "/admin/", "NewHandler", 'http.StripPrefix("/admin", adminMux())', "net/http"),
    ]
    assert facts.entries == (Entry("http.ListenAndServe", "server", 12, "NewHandler"),)


def test_a_listener_that_only_a_condition_starts_is_no_server_of_the_program() -> None:
    begin = 'package api\nimport "net/http"\n'
    profile = "func Run() {\n\tif profile {\n\t\tgo func() {\n\t\t\thttp.ListenAndServe(at, nil)\n"
    checked = "func Run() {\n\tif err := http.ListenAndServe(at, nil); err != nil {\n\t\tlog(err)\n"
    assert facts_of("Go", f"{begin}{profile}\t\t}}()\n\t}}\n}}\n").entries == ()
    assert len(facts_of("Go", f"{begin}{checked}\t}}\n}}\n").entries) == 1


def test_a_handler_is_told_with_what_is_put_around_it() -> None:
    assert routes("""
        package api
        import "github.com/gorilla/mux"
        func Load() {
            r := mux.NewRouter()
            r.Handle("/me", HandlerFunc(api.Me)).Methods("GET")
            r.Handle("/sites", api.Authorize(HandlerFunc(api.Sites)))
            r.Handle("/made", newHandler(db))
            r.Path("/app.js").Handler(script(box))
        }
    """) == [
        ("GET", "/me", "r", "HandlerFunc(api.Me)", ""),
        ("ANY", "/sites", "r", "api.Authorize(HandlerFunc(api.Sites))", ""),
        ("ANY", "/made", "r", "newHandler(db)", ""),
        ("ANY", "/app.js", "r", "script(box)", ""),
    ]


def test_groups_have_prefixes_and_guards() -> None:
    assert routes("""
        package web
        import "github.com/gin-gonic/gin"
        func Load(e *gin.Engine) {
            api := e.Group("/api")
            {
                users := api.Group("/users", auth.RequireUser())
                users.GET("", list)
                users.Match([]string{"GET", "HEAD"}, "/:id", show)
                { inner := users.Group("/inner"); inner.Any("/x", func(c *gin.Context) {}) }
            }
            api.Use(MustAdmin)
            api.POST("/admin", h.Create)
            e.Group("/late").Use(x).DELETE("/y", mw.MustOwn, h.Remove)
        }
    """) == [
        ("GET", "/api/users", "Load", "list", "auth.RequireUser"),
        ("GET", "/api/users/:id", "Load", "show", "auth.RequireUser"),
        ("HEAD", "/api/users/:id", "Load", "show", "auth.RequireUser"),
        ("ANY", "/api/users/inner/x", "Load", "", "auth.RequireUser"),
        ("POST", "/api/admin", "Load", "h.Create", "MustAdmin"),
        ("DELETE", "/late/y", "Load", "h.Remove", "~x"),  # By what it does, it may be a guard.
    ]  # fmt: skip


def test_routers_inside_routers_are_followed_and_told_as_mounts() -> None:
    facts = facts_of(
        "Go",
        """
        package web
        import "github.com/go-chi/chi/v5"
        type Server struct { router chi.Router }
        func (s *Server) routes() {
            s.router.Get("/a", s.a)
            s.router.Route("/b", func(r chi.Router) {
                r.With(jwtAuth).Post("/c", s.c)
                r.Group(func(r chi.Router) { r.Method("PUT", "/d", s.d) })
                s.more(r)
            })
            s.router.Mount("/e", users.Routes())
        }
        func (s *Server) more(r chi.Router) { r.Delete("/f", s.f) }
        func Routes() chi.Router { r := chi.NewRouter(); r.Get("/g", g); return r }
    """,
    )
    assert [(r.method, r.path, r.owner, r.guard) for r in facts.routes] == [
        ("GET", "/a", "Server.router", ""),
        ("POST", "/b/c", "Server.router", "jwtAuth"),
        ("PUT", "/b/d", "Server.router", ""),
        ("DELETE", "/f", "Server.more", ""),
        ("GET", "/g", "Routes", ""),
    ]
    assert facts.mounts == (
        Mount("Server.router", "Server.more", "/b", 10),
        Mount("Server.router", "users.Routes", "/e", 12),
    )


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('import "github.com/gorilla/mux"\nfunc f() { r := mux.NewRouter(); '
         's := r.PathPrefix("/v1").Subrouter(); s.HandleFunc("/x", h).Methods("GET", "PUT") }',
         [("GET", "/v1/x"), ("PUT", "/v1/x")]),
        ('import "github.com/labstack/echo/v4"\nfunc f(g *echo.Group) { g.PATCH("/x", h, mw) }',
         [("PATCH", "/x")]),
        ('import "github.com/gofiber/fiber/v2"\nvar app = fiber.New()\n'
         'func f() { app.Get("/x", h) }', [("GET", "/x")]),
        ('import "example.org/gin"\nfunc f(e *gin.Engine) { e.Get("/x", h) }', []),
        ('import "net/http"\nfunc f() { http.Get("/x"); client.Get("/x", h) }', []),
    ],
)  # fmt: skip
def test_a_router_is_one_of_a_framework_that_is_imported(
    text: str, found: list[tuple[str, str]]
) -> None:
    assert [each[:2] for each in routes(f"package p\n{text}")] == found


def test_of_several_routers_a_function_puts_its_routes_on_those_below_another() -> None:
    text = (
        'package p\nimport "github.com/labstack/echo/v4"\n'
        'func all(e *echo.Echo) { users(e, e.Group("/v2")) }\n'
        'func users(e *echo.Echo, g *echo.Group) { g.GET("/x", h) }\n'
    )
    mounts = facts_of("Go", text).mounts
    assert [(each.child, each.prefix) for each in mounts] == [("users", "/v2")]


def test_methods_called_as_those_of_http_make_routes_on_any_router() -> None:
    assert routes("""
        package keys
        import "example.org/x/routerx"
        const Path = "/keys"
        func (h *Handler) Routes(r *routerx.Public, cors func(http.Handler) http.Handler) {
            r.GET(Path+"/{set}", h.show)
            r.OPTIONS(Path, cors(http.HandlerFunc(h.options)).ServeHTTP)
            inner := h.server.Group("/inner")
            inner.POST("/x", auth.RequireUser(h.make))
            r.GET("/lonely")
            r.GET("keys", h.show)
            r.GET("/text", "text")
            r.Get("/lower", h.show)
        }
        func ask(c *client.Client) {
            got, err := c.POST("/keys", body)
            c.GET("/keys", id).Expect(200)
        }
    """) == [
        ("GET", "/keys/{set}", "Handler.Routes", "h.show", ""),
        ("OPTIONS", "/keys", "Handler.Routes", "cors(http.HandlerFunc(h.options))", ""),
        ("POST", "/inner/x", "Handler.server", "auth.RequireUser(h.make)", ""),
    ]


def test_groups_of_any_router_keep_prefix_and_guards_through_calls_in_turn() -> None:
    facts = facts_of(
        "Go",
        """
        package api
        import "example.org/x/router"
        func bindThings(rg *router.Group[Event]) {
            things := rg.Group("/things").Bind(RequireUser()).Unbind(RateId)
            things.GET("", list)
            things.POST("/{id}", create(true)).Bind(limit(3), requireOwner(""))
            inner := things.Group("/inner").
                Use(requireAdmin)
            inner.DELETE("/x", remove)
            other := rg.Sub("/other").Bind(limit(1))
            other.GET("/y", show)
            named := rg.Group(prefix())
            named.PUT("/z", show)
            rg.POST("/login", login).Bind(limit(5))
            rg.GET("", root)
        }
    """,
    )
    assert [(r.method, r.path, r.handler, r.guard, *r.further) for r in facts.routes] == [
        ("GET", "/things", "list", "RequireUser"),
        ("POST", "/things/{id}", "create(true)", "RequireUser", "requireOwner"),
        ("DELETE", "/things/inner/x", "remove", "RequireUser", "requireAdmin"),
        ("GET", "{$…}/y", "show", ""),
        ("PUT", "{$…}/z", "show", ""),
        ("POST", "/login", "login", ""),
        ("GET", "", "root", ""),
    ]


def test_guards_are_put_before_what_is_registered_later_on_a_router_of_any_type() -> None:
    assert routes("""
        package api
        import "example.org/x/router"
        func bind(rg *router.Group) {
            rg.GET("/open", open)
            rg.Use(RequireUser())
            rg.GET("/closed", closed)
            each(func(own *router.Group) { own.Use(RequireUser()) })
            each(func(own *router.Group) { own.GET("/other", other) })
        }
    """) == [
        ("GET", "/open", "bind", "open", ""),
        ("GET", "/closed", "bind", "closed", "RequireUser"),
        ("GET", "/other", "bind", "other", ""),
    ]


PREFIXED = """
package api
import ("fmt"; "net/http"; "path")
func (s *Server) at(route string) string {
    prefix := s.config.Prefix
    if prefix == "" { return route }
    if route == "/" { return prefix }
    return prefix + "/" + route
}
func (s *Server) put(mux *http.ServeMux) {
    mux.HandleFunc(s.at("/healthz"), h)
}
"""


def test_a_function_that_is_given_a_path_may_put_something_before_it() -> None:
    facts = facts_of("Go", PREFIXED)
    assert [(each.method, each.path) for each in facts.routes] == [("ANY", "{$…}/healthz")]


def test_a_guard_tells_the_texts_switches_and_constants_that_it_is_made_with() -> None:
    assert routes("""
        package api
        import ("github.com/gin-gonic/gin"; "example.org/shop/roles")
        func Load(e *gin.Engine) {
            e.GET("/a", RequireRole("admin", roles.Owner), show)
            e.Use(users.Auth(false))
            e.GET("/b", show)
            e.GET("/c", requireUser(settings.Name), show)
        }
    """) == [
        ("GET", "/a", "Load", "show", 'RequireRole("admin", roles.Owner)'),
        ("GET", "/b", "Load", "show", "users.Auth(false)"),
        ("GET", "/c", "Load", "show", "users.Auth(false)"),
    ]


def test_a_method_called_like_a_group_makes_one_on_a_router_of_any_type() -> None:
    assert routes("""
        package web
        func (s *Server) register() {
            r := NewRouter(s.echo)
            api := r.SubGroup("/api")
            api.Use(RequireUser())
            single := api.SubGroup("", Limited())
            single.GET("/gists/:uuid", show)
        }
    """) == [("GET", "/api/gists/:uuid", "Server.register", "show", "RequireUser")]


def test_what_recurs_behind_handlers_is_around_them_on_a_router_of_any_type() -> None:
    assert routes("""
        package web
        func register(r *Router) {
            r.GET("/a", first, RequireUser)
            r.GET("/b", second, Counted, RequireUser)
            r.GET("/c", third)
        }
    """) == [
        ("GET", "/a", "register", "first", "RequireUser"),
        ("GET", "/b", "register", "second", "RequireUser"),
        ("GET", "/c", "register", "third", ""),
    ]


def test_httprouter_is_given_the_method_first() -> None:
    text = """
        package api
        import ("net/http"; "github.com/julienschmidt/httprouter")
        type builder struct { *httprouter.Router }
        func Serve() {
            mux := httprouter.New()
            mux.HandlerFunc(http.MethodGet, "/rest/events", s.events)
            mux.Handler(http.MethodDelete, "/rest/*all", other)
            mux.Handle("PUT", "/rest/:id", put)
            mux.POST("/rest/ping", ping)
        }
        func (b *builder) config(path string) {
            b.HandlerFunc(http.MethodPut, path, b.change)
        }
    """
    assert [it[:2] for it in routes(text)] == [
        ("GET", "/rest/events"),
        ("DELETE", "/rest/*all"),
        ("PUT", "/rest/:id"),
        ("POST", "/rest/ping"),
    ]
    (template,) = facts_of("Go", text).wiring.templates
    assert template.route is not None
    assert (template.route.method, template.route.owner) == ("PUT", "builder.Router")


def test_routers_that_a_switch_over_the_method_asks_have_its_methods() -> None:
    text = """
        package main
        import "net/http"
        func main() {
            reading := http.NewServeMux()
            reading.HandleFunc("/endpoint", show)
            writing := http.NewServeMux()
            writing.HandleFunc("/endpoint", register)
            writing.HandleFunc("GET /state", state)
            handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
                switch r.Method {
                case http.MethodGet, http.MethodHead:
                    reading.ServeHTTP(w, r)
                case http.MethodPost:
                    writing.ServeHTTP(w, r)
                }
            })
        }
    """
    assert [it[:2] for it in routes(text)] == [
        ("GET", "/endpoint"),
        ("POST", "/endpoint"),
        ("GET", "/state"),
    ]


def test_a_parameter_of_a_path_is_told_without_the_expression_for_it() -> None:
    text = r"""
        package api
        import "github.com/gorilla/mux"
        const base = "/{repo:.*}"
        var table = []Route{
            {path: "/objects/{oid:[0-9a-f]{64}$}", handler: show},
            {path: "/{_:pack-[0-9a-f]{40}$}", handler: pack},
        }
        func Load(r *mux.Router) {
            for _, route := range table { r.Handle(base+route.path, route.handler) }
            r.HandleFunc("/users/{id:\\d+}/{format:json|xml}", user)
            r.HandleFunc("/jobs/{name}/{kind:int}", job)
            r.HandleFunc("/{sign:[@~]?}{shop}", shop)
        }
    """
    assert [it[1] for it in routes(text)] == [
        "/{repo}/objects/{oid}",
        "/{repo}/{_:pack-[0-9a-f]{40}$}",
        "/users/{id}/{format}",
        "/jobs/{name}/{kind:int}",
        "/{sign:[@~]?}{shop}",
    ]
