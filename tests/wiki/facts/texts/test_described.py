"""What descriptions say of routes on routers of unknown types."""

from stationmaster.wiki.facts.interfaces.routes import endpoints
from tests.wiki.commits import facts_of

CODE = """package web

func (h *Handler) Admin(r *routerx.Admin) {
	r.GET("/keys", h.list)
	r.DELETE("/keys/{set}", h.remove)
	r.GET("/health", h.health)
}

func (h *Handler) Public(r *routerx.Public) {
	r.GET("/token", h.token)
	r.POST("/keys", h.ask)
}
"""
OPENAPI = """openapi: 3.0.0
info: {title: Keys}
paths:
  /admin/keys:
    get: {operationId: listKeys}
    post: {operationId: addKey}
  /admin/keys/{name}:
    delete: {operationId: removeKeys}
  /token:
    get: {operationId: token}
"""


def test_a_prefix_is_what_descriptions_have_before_all_paths_of_a_function() -> None:
    facts = facts_of({"go.mod": "module a.b/c\n", "web/web.go": CODE, "openapi.yaml": OPENAPI})
    assert [(*each.methods, each.route) for each in endpoints(facts)] == [
        ("GET", "/admin/health"), ("GET", "/admin/keys"), ("DELETE", "/admin/keys/{set}"),
        ("POST", "/keys"), ("GET", "/token"),
    ]  # fmt: skip


def test_a_prefix_is_not_taken_from_a_few_routes_that_end_alike() -> None:
    code = """package web

func Public(r *routerx.Public) {
	r.GET("/keys", list)
	r.GET("/keys/{set}", show)
	r.GET("/pages", pages)
	r.GET("/pages/{name}", page)
	r.GET("/about", about)
}
"""
    described = OPENAPI + "  /admin/pages:\n    get: {operationId: listPages}\n"
    facts = facts_of({"go.mod": "module a.b/c\n", "web/web.go": code, "openapi.yaml": described})
    assert {made.route for made in endpoints(facts)} == {
        "/keys", "/keys/{set}", "/pages", "/pages/{name}", "/about",
    }  # fmt: skip
