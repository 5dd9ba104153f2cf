"""Routers of Go that no import shows, what they are called, and prefixes that are parameters."""

from __future__ import annotations

from tests.reading.code.languages.go.test_routes import routes
from tests.reading.code.reading import facts_of


def test_methods_called_like_those_of_http_make_routes_where_a_handler_is_certain() -> None:
    assert routes("""
        package keys
        import "example.org/x/paths"
        func (h *Handler) Routes(r *paths.Tree, cache *paths.Cache) {
            r.Get("/keys", func(w http.ResponseWriter, r *http.Request) {})
            r.Del("/keys/:id", h.remove)
            r.Post("/keys", http.HandlerFunc(add))
            r.Get("/far", h.elsewhere)
            cache.Put("/keys", h.key)
            cache.Get("/keys", func(key string) {})
            got := cache.Get("/keys", func(w http.ResponseWriter, r *http.Request) {})
            cache.Get(name, h.remove)
        }
        func (h *Handler) remove(w http.ResponseWriter, r *http.Request) {}
        func (h *Handler) key(name string) {}
    """) == [
        ("GET", "/keys", "Handler.Routes", "", ""),
        ("DELETE", "/keys/:id", "Handler.Routes", "h.remove", ""),
        ("POST", "/keys", "Handler.Routes", "http.HandlerFunc(add)", ""),
    ]


def test_a_router_is_called_as_the_variable_also_where_calls_follow_on_what_makes_it() -> None:
    text = (
        'import "github.com/gorilla/mux"\nfunc serve() {\n'
        "    all := mux.NewRouter().StrictSlash(true)\n    pages.Register(all)\n}\n"
    )
    assert [(it.owner, it.child) for it in facts_of("Go", text).mounts] == [
        ("all", "pages.Register")
    ]


def test_a_prefix_that_a_function_may_be_given_is_shown_by_the_name_of_its_parameter() -> None:
    text = """
        import "net/http"
        func serve(mux *http.ServeMux, base string) {
            prefix := ""
            if base != "/" { prefix = base }
            mux.Handle(prefix + "/tins/", tins)
        }
    """
    assert [(it.path, it.condition) for it in facts_of("Go", text).routes] == [
        ("/tins/", 'prefix is ""'),
        ("{$base}/tins/", "prefix is base"),
    ]


def test_a_request_that_is_called_like_the_router_around_puts_no_other_router_on_it() -> None:
    found = facts_of(
        "Go",
        """package main

import "net/http"

func main() {
	r := http.NewServeMux()
	if joined() {
		r.HandleFunc("GET /figures", signedIn(func(w http.ResponseWriter, r *http.Request) {
			figures.Handler().ServeHTTP(w, r)
		}))
	}
}
""",
    )
    assert [(it.method, it.path, it.condition) for it in found.routes] == [
        ("GET", "/figures", "if joined()")
    ]
    assert not found.mounts


def test_a_method_and_a_path_before_a_handler_make_a_route_of_any_registrar() -> None:
    declared = routes("""
        package keys
        import "net/http"
        func (h *Handler) Routes() {
            h.conf.Registrar.Register(http.MethodPost, "/keys/add", h.add)
            h.conf.AddRoute("GET", "/keys", h.list)
            h.log.Register("keys", "/keys", h.list)
            req, _ := http.NewRequest(http.MethodGet, "/keys", nil)
        }
    """)
    assert [(method, path, handler) for method, path, _, handler, _ in declared] == [
        ("POST", "/keys/add", "h.add"),
        ("GET", "/keys", "h.list"),
    ]
