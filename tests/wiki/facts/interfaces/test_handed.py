"""Routes that functions make of what calls give them, across the files of a project."""

from __future__ import annotations

from stationmaster.wiki.facts.interfaces.routes import endpoints
from tests.wiki.commits import facts_of

MODULE = "module example.org/app\n\ngo 1.22\n"
CHI = 'import "github.com/go-chi/chi/v5"\n'


def routes(**files: str) -> list[tuple[str, str, str, int, str]]:
    contents = {f"{name.replace('__', '/')}.go": text for name, text in files.items()}
    return [
        (*each.methods, each.route, each.path, each.line, each.handler)
        for each in endpoints(facts_of({"go.mod": MODULE, **contents}))
    ]


def test_a_call_of_a_function_that_makes_routes_is_one_with_the_prefix_of_its_router() -> None:
    assert routes(
        api__routes="package api\n" + CHI + """type API struct{}
func (a *API) routes() http.Handler {
    r := chi.NewRouter()
    r.Route("/v1", func(r chi.Router) {
        h(r, "ping", a.Ping)
        h(r, pathOf(), a.Unknown)
        a.read(r, "/songs", false)
        a.read(r, "/lists", true)
        gone(r, "old", "older")
    })
    return r
}
func gone(r chi.Router, paths ...string) {
    for _, path := range paths { add(r, path, nil) }
}
""",
        api__add="package api\n" + CHI + """
func h(r chi.Router, path string, f handler) {
    add(r, path, func(w http.ResponseWriter, r *http.Request) { f(w, r) })
}
func add(r chi.Router, path string, f http.HandlerFunc) { r.Get("/"+path, f) }
func (a *API) read(r chi.Router, prefix string, writable bool) {
    r.Route(prefix, func(r chi.Router) {
        r.Get("/", a.all)
        if writable { r.Post("/", a.add) }
    })
}
func (a *API) Ping(w http.ResponseWriter, r *http.Request) {}
""",
    ) == [
        ("GET", "/v1/lists/", "api/routes.go", 10, "a.all"),
        ("POST", "/v1/lists/", "api/routes.go", 10, "a.add"),
        ("GET", "/v1/old", "api/routes.go", 11, ""),
        ("GET", "/v1/older", "api/routes.go", 11, ""),
        ("GET", "/v1/ping", "api/routes.go", 7, "a.Ping"),
        ("GET", "/v1/songs/", "api/routes.go", 9, "a.all"),
    ]  # fmt: skip


def test_what_is_mounted_may_be_a_type_whose_methods_make_the_routes() -> None:
    assert routes(
        main="""package main
import (
    "example.org/app/api"
    "example.org/app/consts"
    "example.org/app/server"
)
func main() {
    s := newServer()
    s.MountRouter("API", consts.Root+"/api", newAPI())
    s.MountRouter("Nothing", "/nothing", http.NotFoundHandler())
}
func newServer() *server.Server { return server.New() }
func newAPI() *api.Router { return api.New() }
""",
        consts__consts='package consts\nconst Root = "/base"\n',
        server__server="package server\n" + CHI + """
type Server struct { router chi.Router }
func New() *Server { return &Server{router: chi.NewRouter()} }
func (s *Server) MountRouter(name, at string, sub http.Handler) {
    s.router.Group(func(r chi.Router) { r.Mount(at, sub) })
}
""",
        api__api="package api\n" + CHI + """
type Router struct { http.Handler }
func New() *Router { r := &Router{}; r.Handler = r.routes(); return r }
func (a *Router) routes() http.Handler {
    r := chi.NewRouter()
    r.Get("/a", a.show)
    a.more(r)
    return r
}
""",
        api__more="package api\n" + CHI + """
func (a *Router) more(r chi.Router) { r.Get("/b", a.show) }
func (a *Router) show(w http.ResponseWriter, r *http.Request) {}
""",
    ) == [
        ("GET", "/base/api/a", "api/api.go", 8, "a.show"),
        ("GET", "/base/api/b", "api/more.go", 4, "a.show"),
    ]  # fmt: skip


def test_a_group_that_other_files_of_a_package_are_given_has_its_prefix() -> None:
    gin = 'package web\nimport "github.com/gin-gonic/gin"\n'
    assert routes(
        web__main=gin + """func Run() {
    e := gin.Default()
    v1 := e.Group("/v1")
    users(v1)
    users(e.Group("/v2"))
    pages(e.Group(rootOf()))
}
""",
        web__users=gin + 'func users(g *gin.RouterGroup) { g.GET("/users", list) }\n',
        web__pages=gin + 'func pages(g *gin.RouterGroup) { g.GET("/pages", list) }\n',
    ) == [
        ("GET", "/v1/users", "web/users.go", 3, "list"),
        ("GET", "/v2/users", "web/users.go", 3, "list"),
        ("GET", "/{…}/pages", "web/pages.go", 3, "list"),
    ]  # fmt: skip


def test_routes_that_are_put_on_an_interface_are_those_of_the_router_behind_it() -> None:
    assert routes(
        router__router="package router\n" + CHI + """import "path"
type Mux interface {
    HandleFunc(pattern string, h http.HandlerFunc)
}
type mux struct { router chi.Router; rootPath string }
func New(router chi.Router) Mux { return mux{router, ""} }
func (m mux) HandleFunc(p string, h http.HandlerFunc) {
    m.router.HandleFunc(path.Join(m.rootPath, p), m.wrap(h))
}
func (m mux) wrap(h http.HandlerFunc) http.HandlerFunc { return h }
""",
        tokens__tokens="""package tokens
import "example.org/app/router"
type Handler struct{}
func (h *Handler) Mount(m router.Mux) { m.HandleFunc("/token", h.handle) }
func (h *Handler) handle(w http.ResponseWriter, r *http.Request) {}
""",
    ) == [("ANY", "/token", "tokens/tokens.go", 4, "h.handle")]  # fmt: skip


def test_what_a_constructor_makes_has_the_methods_of_its_own_type_alone() -> None:
    assert routes(
        main='package main\nimport (\n"example.org/app/api"\n"github.com/go-chi/chi/v5"\n)\n'
        "func main() {\n    r := chi.NewRouter()\n    it := api.New()\n    it.Register(r)\n}\n",
        api__api="package api\n" + CHI + """type API struct { old *Old }
func New() *API { return &API{} }
func (a *API) Register(r chi.Router) { r.Get("/new", a.new) }
""",
        api__old="package api\n" + CHI + """type Old struct{}
func (o *Old) Register(r chi.Router) { r.Get("/old", o.old) }
""",
    ) == [
        ("GET", "/new", "api/api.go", 5, "a.new"),
        ("GET", "/old", "api/old.go", 4, "o.old"),
    ]  # fmt: skip


def test_operations_of_huma_are_below_the_group_that_the_only_adapter_is_given() -> None:
    huma = 'import "github.com/danielgtaylor/huma/v2"\n'
    assert routes(
        main='package main\nimport (\n"github.com/labstack/echo/v4"\n"example.org/app/api"\n)\n'
        'func main() {\n    e := echo.New()\n    g := e.Group("/api")\n    api.New(e, g)\n}\n',
        api__api="package api\n" + huma + 'import "github.com/labstack/echo/v4"\n'
        'import "github.com/danielgtaylor/huma/v2/adapters/humaecho"\n'
        "func New(e *echo.Echo, g *echo.Group) huma.API {\n"
        "    return humaecho.NewWithGroup(e, g, config())\n}\n"
        "func Register(api huma.API, op huma.Operation, show func()) {\n"
        "    huma.Register(api, op, show)\n}\n",
        api__carts="package api\n" + huma + "func Carts(api huma.API) {\n"
        '    Register(api, huma.Operation{Method: http.MethodPost, Path: "/carts/{id}"}, add)\n'
        '    admin := huma.NewGroup(api, "/admin")\n    huma.Get(admin, "/carts", all)\n'
        '    cache.Get(api, "/none", all)\n}\nfunc init() { add(Carts) }\n',
    ) == [
        ("GET", "/api/admin/carts", "api/carts.go", 6, "all"),
        ("POST", "/api/carts/{id}", "api/carts.go", 4, "add"),
    ]  # fmt: skip
