"""Handlers that routes are given within calls."""

from __future__ import annotations

from stationmaster.wiki.facts.interfaces.routes import endpoints
from tests.wiki.commits import facts_of

FILES = {
    "go.mod": "module example.org/shop\n\ngo 1.22\n",
    "routes.go": """package main

import "github.com/gorilla/mux"

func routes(store *Store) http.Handler {
	wrap := func(fn handler, prefix string) http.Handler { return adapted(fn, store) }
	r := mux.NewRouter()
	till := r.PathPrefix("/till").Subrouter()
	till.Handle("", wrap(openTill, "")).Methods("GET")
	till.Handle("/close", wrap(closeTill(store, "x"), "")).Methods("POST")
	till.Handle("/in", wrap(login(store), ""))
	till.Handle("/out", wrap(elsewhere.Out, ""))
	return r
}
""",
    "till.go": """package main

var openTill = withUser(func(w http.ResponseWriter, r *http.Request) {
	w.Write(nil)
})

func closeTill(store *Store, name string) handler {
	return withAdmin(func(w http.ResponseWriter, r *http.Request) {
		w.Write(nil)
	})
}

func withUser(fn handler) handler { return fn }

func login(store *Store) handler { return nil }
""",
}


def test_a_route_is_answered_by_the_function_within_its_wrappers_behind_the_guard_around_it() -> (
    None
):
    found = [
        (each.methods, each.route, each.handler, [it.name for it in each.guards])
        for each in endpoints(facts_of(FILES))
    ]
    assert found == [
        (("GET",), "/till", "openTill", ["withUser"]),
        (("POST",), "/till/close", "closeTill", ["withAdmin"]),
        (("ANY",), "/till/in", "login", []),
        (("ANY",), "/till/out", "wrap", []),
    ]
