"""Functions of Go that make routes of what they are given, and what calls give to them."""

from __future__ import annotations

from stationmaster.reading.code.model import Handed, Mount, Route, Template
from tests.reading.code.reading import facts_of


def test_a_route_whose_path_is_given_to_the_function_is_a_template_of_it() -> None:
    facts = facts_of(
        "Go",
        """
        package api
        import "github.com/go-chi/chi/v5"
        const base = "/api"
        func add(r chi.Router, path string, f http.HandlerFunc) {
            r.HandleFunc("/"+path+".view", f)
            r.Get(base+"/about", about)
        }
        func wrapped(r chi.Router, path string, f handler) {
            handle := func(w http.ResponseWriter, r *http.Request) { send(w, f(r)) }
            r.Post(path, handle)
        }
        func gone(r chi.Router, paths ...string) {
            for _, path := range paths {
                r.Delete(path, func(w http.ResponseWriter, r *http.Request) {})
            }
        }
        func resource(r chi.Router, prefix string, writable bool) {
            r.Route(prefix, func(r chi.Router) {
                r.Get("/{id}", one)
                if writable { r.Put("/{id}", set) }
            })
        }
    """,
    )
    assert facts.wiring.templates == (
        Template("add", Route("ANY", "/{$1}.view", 6, "{$2}", "add", "", "chi")),
        Template("wrapped", Route("POST", "{$1}", 11, "{$2}", "wrapped", "", "chi")),
        Template("gone", Route("DELETE", "{$1*}", 15, "", "gone", "", "chi")),
        Template("resource", Route("GET", "{$1}/{id}", 20, "one", "resource", "", "chi")),
        Template(
            "resource",
            Route("PUT", "{$1}/{id}", 21, "set", "resource", "", "chi"),
            condition="{$2}",
        ),
    )
    assert [(each.path, each.owner) for each in facts.routes] == [("/api/about", "add")]


def test_a_call_hands_texts_names_and_what_was_given_itself_to_a_function() -> None:
    facts = facts_of(
        "Go",
        """
        package api
        import (
            "github.com/go-chi/chi/v5"
            "example.org/app/consts"
        )
        func (api *Router) routes() http.Handler {
            r := chi.NewRouter()
            r.Route("/v1", func(r chi.Router) {
                add(r.With(adminOnly), "ping", api.Ping)
                api.add(r, consts.Root+"/x", func(w http.ResponseWriter, r *http.Request) {}, false)
            })
            return r
        }
        func both(r chi.Router, path string, f handler) { add(r, path, f) }
    """,
    )
    assert facts.wiring.handed == (
        Handed("add", 10, ("", '"ping', "api.Ping"), "Router.routes", "/v1", ("adminOnly",)),
        Handed("api.add", 11, ("", '"{$consts.Root}/x', "", "false"), "Router.routes", "/v1"),
        Handed("add", 15, ("", "{$1}", "{$2}"), "both"),
    )


def test_a_function_that_mounts_what_it_is_given_is_a_template_wherever_the_router_is_kept() -> (
    None
):
    facts = facts_of(
        "Go",
        """
        package server
        import (
            "path"
            "github.com/go-chi/chi/v5"
        )
        type Server struct { router chi.Router }
        func (s *Server) MountRouter(name, urlPath string, sub http.Handler) {
            urlPath = path.Join(conf.Server.BasePath, urlPath)
            s.router.Group(func(r chi.Router) { r.Mount(urlPath, sub) })
        }
    """,
    )
    assert facts.wiring.templates == (
        Template("Server.MountRouter", mount=Mount("Server.router", "{$2}", "{$1}", 10)),
    )
    calling = facts_of(
        "Go",
        """
        package main
        import "example.org/app/consts"
        func main() {
            s := server.New()
            s.MountRouter("API", consts.API, newAPI(ctx))
            s.Log("/x", s.router)
        }
    """,
    )
    assert calling.wiring.handed == (
        Handed("s.MountRouter", 6, ('"API', "consts.API", "newAPI()")),
    )


def test_a_handler_that_a_function_wraps_before_it_hands_it_on_is_the_one_that_it_was_given() -> (
    None
):
    facts = facts_of(
        "Go",
        """
        package router
        import (
            "path"
            "github.com/gorilla/mux"
        )
        type routes struct { under *mux.Router; IssuerPath string }
        func (m routes) Handle(p string, h http.Handler) {
            m.under.Handle(path.Join(m.IssuerPath, p), m.wrap(p, h))
        }
        func (m routes) HandleCORS(p string, h http.HandlerFunc) {
            var handler http.Handler = h
            handler = cors(handler)
            m.Handle(p, handler)
        }
    """,
    )
    assert facts.wiring.templates == (
        Template(
            "routes.Handle",
            Route("ANY", "{$0}", 9, "{$1}", "routes.under", framework="gorilla/mux"),
        ),
    )
    assert facts.wiring.handed == (Handed("m.Handle", 14, ("{$0}", "{$1}")),)


def test_a_group_whose_path_is_unknown_is_called_as_the_code_calls_it() -> None:
    facts = facts_of(
        "Go",
        """
        package web
        import "github.com/gin-gonic/gin"
        func Load(e *gin.Engine, cfg Config) {
            g := e.Group(cfg.Root)
            g.GET("/x", x)
            e.Group(find()).GET("/y", y)
        }
    """,
    )
    assert [each.path for each in facts.routes] == ["{$cfg.Root}/x", "{$…}/y"]


def test_a_guard_holds_for_the_router_that_it_is_put_on_and_not_for_those_beside_it() -> None:
    facts = facts_of(
        "Go",
        """
        package web
        import "github.com/go-chi/chi/v5"
        func load() {
            r := chi.NewRouter()
            r.Group(func(r chi.Router) {
                r.Use(authenticate)
                r.Use(JWTRefresher)
                r.Get("/own", own)
                more(r)
            })
            r.Get("/free", free)
            r.Post("/login", login(s.store))
        }
    """,
    )
    assert [(each.path, each.handler, each.guard) for each in facts.routes] == [
        ("/own", "own", "authenticate"),
        ("/free", "free", ""),
        ("/login", "login(s.store)", ""),
    ]
    # The function alone shows whether the second one refuses requests.
    assert facts.mounts == (Mount("r", "more", "", 10, ("authenticate", "~JWTRefresher")),)


def test_the_variable_of_a_loop_may_be_called_like_what_it_goes_through() -> None:
    facts = facts_of(
        "Go",
        """
        package api
        import "github.com/go-chi/chi/v5"
        func gone(r chi.Router, paths ...string) {
            for key, paths := range paths {
                copied := paths
                r.Delete(copied, func(w http.ResponseWriter, r *http.Request) {})
            }
        }
    """,
    )
    assert facts.status == "ok"
