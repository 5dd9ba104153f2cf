"""Under which conditions what is around a handler refuses requests."""

from __future__ import annotations

from stationmaster.wiki.facts.interfaces.routes import endpoints
from tests.wiki.commits import facts_of


def test_a_guard_has_the_condition_that_its_refusals_need_and_none_of_what_is_behind_them() -> None:
    facts = facts_of(
        {
            "go.mod": "module example.org/shop\n\ngo 1.22\n",
            "routes.go": """package main

import "net/http"

func routes() {
	r := http.NewServeMux()
	r.HandleFunc("/packed", packed(show))
	r.HandleFunc("/mostly", mostly(show))
	r.HandleFunc("/sent", sent(show))
	r.HandleFunc("/noted", noted(show))
	r.HandleFunc("/token", token(show))
	r.HandleFunc("/keyed", keyed(show))
	r.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		packed(show)(w, r)
	})
}

func show(w http.ResponseWriter, r *http.Request) {}

func ask(w http.ResponseWriter) {
	w.Header().Set("WWW-Authenticate", "Basic")
	w.WriteHeader(http.StatusUnauthorized)
}

func keyed(fn http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if os.Getenv("OPEN") == "1" {
			fn(w, r)
			return
		}
		if !signedIn(r) {
			ask(w)
			return
		}
		fn(w, r)
	}
}

func packed(fn http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !signedIn(r) {
			ask(w)
			return
		}
		if config.Plain || !takesZip(r) {
			fn(w, r)
			return
		}
		fn(zipped(w), r)
	}
}

func mostly(fn http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if fromElsewhere(r) {
			if !allowed(r) {
				http.Error(w, "x", http.StatusForbidden)
				return
			}
			w.Header().Set("Vary", "Origin")
		}
		if users != nil {
			if !signedIn(r) {
				ask(w)
				return
			}
		}
		fn(w, r)
	}
}

func sent(fn http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if senders != nil {
			if !senders.Match(r) {
				ask(w)
				return
			}
			packed(fn)(w, r)
			return
		}
		packed(fn).ServeHTTP(w, r)
	}
}

func noted(fn http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		log.Println(r.URL)
		packed(fn)(w, r)
	}
}

func token(fn http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := check(r); err != nil {
			if isPage(r) {
				http.Redirect(w, r, "/login", http.StatusFound)
				return
			}
			ask(w)
			return
		}
		fn(w, r)
	}
}
""",
        }
    )
    assert {it.route: [guard.words for guard in it.guards] for it in endpoints(facts)} == {
        "/": ["packed"],
        "/keyed": ['keyed, unless os.Getenv("OPEN") == "1"'],
        "/mostly": ["mostly, under a condition"],
        "/noted": ["noted"],
        "/packed": ["packed"],
        "/sent": ["sent, if senders != nil"],
        "/token": ["token"],
    }
