"""What is around handlers, and what lets all requests pass."""

from __future__ import annotations

from stationmaster.wiki.facts.interfaces.layers import layers
from stationmaster.wiki.facts.interfaces.routes import endpoints
from stationmaster.wiki.facts.model import Spot
from stationmaster.wiki.text.inline import Place
from tests.wiki.commits import facts_of

AROUND = {
    "go.mod": "module example.org/shop\n\ngo 1.22\n",
    "routes.go": """package main

import "github.com/gorilla/mux"

func routes(h *Around, app *App) http.Handler {
	r := mux.NewRouter()
	r.HandleFunc("/tills", h.User(viewTills))
	r.HandleFunc("/all", h.Logged(viewAll))
	r.HandleFunc("/level", h.Web(viewTills, AnyLevel))
	r.HandleFunc("/private", h.Reader(viewTills))
	r.HandleFunc("/api", h.Token(viewTills))
	r.HandleFunc("/cached", h.Cached(viewTills))
	r.HandleFunc("/away", h.Redirect("/tills/", AnyLevel))
	r.Path("/sent").Handler(csrf.Protect(app.Self().key)(h.User(sendTill)))
	r.HandleFunc("/role", h.Within(api.Shown("x"), RoleOwner))
	r.HandleFunc("/here", h.User(func(w http.ResponseWriter, r *http.Request) { w.Write(nil) }))
	r.HandleFunc("/open", h.Asked(viewTills, false))
	r.HandleFunc("/far", auth.RequireUser(far.Show))
	return r
}

func viewTills(w http.ResponseWriter, r *http.Request) error { return nil }

func viewAll(w http.ResponseWriter, r *http.Request) error { return nil }

func sendTill(w http.ResponseWriter, r *http.Request) error { return nil }
""",
    "around.go": """package main

type Around struct{ cfg *Config }

type App struct{ key string }

func AnyLevel(cfg *Config) Level { return 0 }

func (a *App) Self() *App { return a }

func (h *Around) User(f handlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		h.handle(w, r, func() error {
			defer func() { recover() }()
			u := session(r)
			if u == nil {
				return ErrNotSignedIn
			}
			return f(w, r)
		}())
	}
}

func (h *Around) Logged(f handlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		err := f(w, r)
		if err != nil {
			http.Error(w, "x", 500)
			return
		}
		log.Info("sent")
	}
}

func (h *Around) Web(f handlerFunc, level LevelFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if level(h.cfg) == UserLevel && session(r) == nil {
			http.Error(w, "x", 401)
			return
		}
		f(w, r)
	}
}

func (h *Around) Within(f handlerFunc, role string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if session(r).Role != role {
			w.WriteHeader(http.StatusForbidden)
		} else {
			f(w, r)
		}
	}
}

func (h *Around) Reader(f handlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if h.cfg.Private {
			if session(r) == nil {
				http.Error(w, "x", 401)
				return
			}
		}
		f(w, r)
	}
}

func (h *Around) Asked(f handlerFunc, needed bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if session(r) == nil && needed {
			http.Error(w, "x", 401)
			return
		}
		f(w, r)
	}
}

func (h *Around) Token(f handlerFunc) http.HandlerFunc { return h.User(f) }

func (h *Around) Cached(f handlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if page, ok := h.pages[r.URL.Path]; ok {
			w.Write(page)
			return
		}
		f(w, r)
	}
}

func (h *Around) Redirect(url string, level LevelFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { sendTo(w, url, level(h.cfg)) }
}
""",
}


def test_what_is_around_a_handler_is_a_guard_if_it_may_refuse_before_it_calls_it() -> None:
    found = {
        it.route: (it.handler, [guard.words for guard in it.guards], it.unread, it.passed)
        for it in endpoints(facts_of(AROUND))
    }
    assert found == {
        "/all": ("viewAll", [], (), ("h.Logged",)),
        "/api": ("viewTills", ["h.Token"], (), ()),
        "/away": ("h.Redirect", [], (), ()),
        "/cached": ("viewTills", [], ("h.Cached",), ()),
        "/far": ("far.Show", ["auth.RequireUser"], (), ()),
        "/here": ("", ["h.User"], (), ()),
        "/level": ("viewTills", ["h.Web, with AnyLevel"], (), ()),
        "/open": ("viewTills", ["h.Asked, with false"], (), ()),
        "/private": ("viewTills", ["h.Reader, if h.cfg.Private"], (), ()),
        "/role": ("api.Shown", ["h.Within(RoleOwner)"], (), ()),
        "/sent": ("sendTill", ["h.User"], ("csrf.Protect",), ()),
        "/tills": ("viewTills", ["h.User"], (), ()),
    }


def test_a_decorator_guards_if_it_may_refuse_before_it_calls_the_view_whatever_it_is_called() -> (
    None
):
    facts = facts_of({
        "shop/deco.py": '''from functools import wraps


def seller(view):
    @wraps(view)
    def inner(*args, **kwargs):
        if not current.is_seller:
            abort(403)
        return view(*args, **kwargs)
    return inner


def login_logged(view):
    @wraps(view)
    def inner(*args, **kwargs):
        try:
            return view(*args, **kwargs)
        finally:
            log.info("done")
    return inner


def login_needed(role):
    def outer(view):
        @wraps(view)
        def inner(*args, **kwargs):
            if config.is_open:
                return view(*args, **kwargs)
            if current.role != role:
                return redirect("/login")
            return view(*args, **kwargs)
        return inner
    return outer


def cached(view):
    def inner(*args, **kwargs):
        if key in store:
            return store[key]
        return view(*args, **kwargs)
    return inner
''',
        "shop/app.py": "from flask import Flask\n"
        "from shop.deco import cached, login_logged, login_needed, seller\n"
        "app = Flask(__name__)\n"
        + "".join(
            f"@app.route('/{name}')\n@{mark}\ndef {name}():\n    return ''\n\n"
            for name, mark in (
                ("a", "seller"), ("b", "login_logged"), ("c", "login_needed('x')"), ("d", "cached"),
            )
        ),
    })  # fmt: skip
    found = [(it.route, [g.words for g in it.guards], it.passed) for it in endpoints(facts)]
    assert found == [
        ("/a", ["seller"], ()),
        ("/b", [], ("login_logged",)),
        ("/c", ["login_needed('x'), unless config.is_open"], ()),
        ("/d", [], ()),
    ]


def test_what_lets_all_callers_of_net_pass_wins_and_hubs_have_the_guard_of_their_class() -> None:
    facts = facts_of({
        "Open.cs": "using Microsoft.AspNetCore.Mvc;\n[AllowAnonymous]\n"
        'public class OpenController : ControllerBase\n{\n    [HttpGet("a")]\n'
        '    public int All() => 1;\n    [HttpGet("b"), Authorize(Policy = "Admin")]\n'
        '    public int Own() => 1;\n    [HttpPost("c"), EnableRateLimiting("slow")]\n'
        "    public int Slow() => 1;\n}\n",
        "Hub.cs": "[Authorize]\npublic class TillHub : Hub { }\n",
        "Guarded.cs": "public class Guarded\n{\n"
        "    public Task InvokeAsync(HttpContext context) => next(context);\n}\n",
        "Program.cs": "var app = WebApplication.CreateBuilder(args).Build();\n"
        "app.UseMiddleware<Guarded>();\n"
        'app.MapHub<TillHub>("hub");\napp.MapGet("/free", Show).AllowAnonymous();\n'
        "static int Show() => 1;\n",
    })  # fmt: skip
    found = [
        (it.route, [g.name for g in it.guards], it.is_public, it.passed, it.unread)
        for it in endpoints(facts)
    ]
    assert found == [
        ("/a", [], True, (), ()),
        ("/b", [], True, ("Authorize(Admin)",), ()),
        ("/c", [], True, (), ("EnableRateLimiting(slow)",)),
        ("/free", [], True, (), ()),
        ("/hub", ["Authorize"], False, (), ()),
    ]
    assert [(it.words, it.ends[0][0]) for it in layers(facts)] == [
        ("app.UseMiddleware<Guarded>()", "Guarded")
    ]


def test_what_requests_of_go_pass_through_is_a_guard_if_it_refuses_some_whatever_it_is_called() -> (
    None
):
    closure = (
        "func(w http.ResponseWriter, r *http.Request) {{\n\t\t{}\n\t\t{}.ServeHTTP(w, r)\n\t}}"
    )
    refusing = 'if r.URL.Path == "" {{\n\t\t\thttp.Error(w, "x", {})\n\t\t\treturn\n\t\t}}'
    functions = "".join(
        f"\nfunc {name}(h http.Handler) http.Handler {{\n"
        f"\treturn http.HandlerFunc({closure.format(body, 'h')})\n}}\n"
        for name, body in (
            ("siteOnly", refusing.format("http.StatusForbidden")),
            ("slowly", refusing.format("http.StatusTooManyRequests")),
            ("noted", 'log.Print("http.StatusForbidden")'),
        )
    )
    facts = facts_of({
        "go.mod": "module example.org/shop\n\ngo 1.22\n\nrequire github.com/go-chi/chi/v5 v5.0.0\n",
        "main.go": 'package main\n\nimport (\n\t"net/http"\n\n\t"github.com/go-chi/chi/v5"\n)\n\n'
        "func main() {\n\tr := chi.NewRouter()\n\tr.Use(noted, slowly)\n"
        '\tr.Get("/all", list)\n\tr.With(siteOnly).Get("/own", list)\n}\n\n'
        "func list(w http.ResponseWriter, r *http.Request) {}\n" + functions,
    })  # fmt: skip
    assert [(it.route, [guard.name for guard in it.guards]) for it in endpoints(facts)] == [
        ("/all", []),
        ("/own", ["siteOnly"]),
    ]


SHOP_OF_ECHO = {
    "go.mod": "module example.org/shop\n\ngo 1.22\n\nrequire github.com/labstack/echo/v4 v4.1.0\n",
    "main.go": """package main

import (
	"example.org/shop/auth"
	"github.com/labstack/echo/v4"
)

type App struct{ auth *auth.Auth }

func routes(a *App) {
	e := echo.New()
	var (
		may = a.auth.May
		g   = e.Group("", a.auth.Middleware, func(next echo.HandlerFunc) echo.HandlerFunc {
			return func(c echo.Context) error {
				if err, ok := c.Get("who").(*echo.HTTPError); ok {
					return echo.NewHTTPError(401, err)
				}
				return next(c)
			}
		})
	)
	g.GET("/tills", may(a.list, "tills:list", "tills:all"))
	g.GET("/tills/:id", may(hasID(a.show), "tills:show"))
	g.GET("/hidden/:id", ofOwner(a.show))
}

func (a *App) list(c echo.Context) error { return nil }

func (a *App) show(c echo.Context) error { return nil }

func hasID(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if c.Param("id") == "" {
			return echo.NewHTTPError(http.StatusBadRequest, "invalid")
		}
		return next(c)
	}
}

func ofOwner(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if tills[c.Param("id")].Owner != who(c) {
			return echo.NewHTTPError(http.StatusNotFound, "nothing")
		}
		return next(c)
	}
}
""",
    "auth/auth.go": """package auth

import "github.com/labstack/echo/v4"

type Auth struct{}

func (o *Auth) Middleware(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		c.Set("who", o.who(c))
		return next(c)
	}
}

func (o *Auth) May(next echo.HandlerFunc, rights ...string) echo.HandlerFunc {
	return func(c echo.Context) error {
		if !o.has(c, rights) {
			return echo.NewHTTPError(http.StatusForbidden, "denied")
		}
		return next(c)
	}
}
""",
}


def test_a_guard_of_go_has_the_name_of_its_method_or_of_what_is_right_before_it() -> None:
    found = {it.route: it for it in endpoints(facts_of(SHOP_OF_ECHO))}
    group = "a.auth.Middleware with a function at main.go:14-21"
    assert {route: [guard.words for guard in it.guards] for route, it in found.items()} == {
        "/hidden/:id": [group, "ofOwner"],
        "/tills": [group, 'a.auth.May("tills:list", "tills:all")'],
        "/tills/:id": [group, 'a.auth.May("tills:show")'],
    }
    first, second = found["/tills"].guards
    assert first.spot == Spot("auth/auth.go", "Auth.Middleware")
    assert first.lines == Place("main.go", 14, 21)
    assert second.spot == Spot("auth/auth.go", "Auth.May")


def test_what_looks_at_parameters_alone_and_answers_that_they_are_invalid_guards_nothing() -> None:
    found = {it.route: it for it in endpoints(facts_of(SHOP_OF_ECHO))}
    assert found["/tills/:id"].unread == ("hasID",)
    assert found["/hidden/:id"].unread == ()
