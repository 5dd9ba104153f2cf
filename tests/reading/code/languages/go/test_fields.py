"""Routers that structs of Go keep in fields."""

from __future__ import annotations

import pytest

from stationmaster.reading.code.model import Mount
from stationmaster.wiki.facts.interfaces.routes import endpoints
from tests.reading.code.reading import facts_of
from tests.wiki import commits

GIN, CHI, ECHO = (
    'import "github.com/gin-gonic/gin"',
    'import "github.com/go-chi/chi/v5"',
    'import "github.com/labstack/echo/v4"',
)


def shown(**files: str) -> list[tuple[str, str, list[str], str]]:
    contents = {f"{name.replace('_', '/')}.go": text for name, text in files.items()}
    found = endpoints(commits.facts_of({"go.mod": "module example.org/shop\n", **contents}))
    return [
        (" ".join(it.methods), it.route, [guard.name for guard in it.guards], it.framework)
        for it in found
    ]


def test_a_constructor_keeps_the_group_that_it_is_given_with_prefix_and_guards() -> None:
    main = f"""
        package main
        {GIN}
        import "example.org/shop/pets"
        func main() {{
            engine := gin.New()
            group := engine.Group("/api", mw.authMiddleware.Handler())
            pets.NewDogs(nil, group).Setup()
            pets.NewCats(engine.Group("/v2")).Setup()
            birds := &pets.Birds{{Group: engine.Group("/v3")}}
            birds.Setup()
        }}
    """
    dogs = f"""
        package pets
        {GIN}
        type Dogs struct {{ store *Store; router *gin.RouterGroup }}
        func NewDogs(store *Store, router *gin.RouterGroup) *Dogs {{
            return &Dogs{{store: store, router: router}}
        }}
        func (dogs *Dogs) Setup() {{ dogs.router.GET("/dogs", dogs.list) }}
    """
    cats = f"""
        package pets
        {GIN}
        type Cats struct {{ router *gin.RouterGroup }}
        func NewCats(router *gin.RouterGroup) *Cats {{
            cats := &Cats{{}}
            cats.router = router.Group("/cats")
            return cats
        }}
        func (c *Cats) Setup() {{ c.router.POST("/:id", c.feed) }}
    """
    birds = f"""
        package pets
        {GIN}
        type Birds struct {{ Group *gin.RouterGroup }}
        func (b *Birds) Setup() {{ b.Group.Any("/birds", b.sing) }}
    """
    assert shown(main=main, pets_dogs=dogs, pets_cats=cats, pets_birds=birds) == [
        ("GET", "/api/dogs", ["mw.authMiddleware.Handler"], "gin"),
        ("POST", "/v2/cats/:id", [], "gin"),
        ("ANY", "/v3/birds", [], "gin"),
    ]


def test_what_a_method_puts_before_a_field_guards_what_it_registers_later() -> None:
    text = f"""
        package web
        {ECHO}
        type Server struct {{ api *echo.Group }}
        func (s *Server) routes() {{
            s.api.GET("/open", s.open)
            s.api.Use(requireUser)
            s.api.GET("/closed", s.closed)
        }}
        func (s *Server) more() {{ s.api.GET("/more", s.more) }}
    """
    assert [(it.path, it.owner, it.guard) for it in facts_of("Go", text).routes] == [
        ("/open", "Server.api", ""),
        ("/closed", "Server.api", "requireUser"),
        ("/more", "Server.api", ""),
    ]


SERVER = f"""
    package web
    {CHI}
    type Server struct {{ router chi.Router; cache *Cache }}
    func New() *Server {{ return &Server{{router: chi.NewRouter().With(requireKey)}} }}
"""
ROUTES = """
    package web
    func (s *Server) routes() {
        s.router.Get("/health", s.health)
        s.router.With(jwtAuth).Post("/orders", s.order)
        s.router.HandleFunc("/any", s.any)
        s.cache.Get("/key", s.load)
    }
"""


@pytest.mark.parametrize("declaring", ["web_server", "web_a"])
def test_a_field_is_a_router_where_another_file_declares_it_as_one(declaring: str) -> None:
    files = {declaring: SERVER, "web_routes": ROUTES}
    assert shown(**files) == [
        ("ANY", "/any", ["requireKey"], "chi"),
        ("GET", "/health", ["requireKey"], "chi"),
        ("POST", "/orders", ["requireKey", "jwtAuth"], "chi"),
    ]
    assert shown(**files | {declaring: SERVER.replace("router chi.Router", "router *Pool")}) == []


def test_a_router_below_one_of_a_field_of_another_file_is_below_it() -> None:
    routes = f"""
        package web
        {CHI}
        func (s *Server) routes() {{
            s.router.Route("/v1", func(r chi.Router) {{ r.Get("/a", s.a) }})
            pets(s.router)
        }}
        func pets(r chi.Router) {{ r.Get("/pets", list) }}
    """
    assert [each[1] for each in shown(web_server=SERVER, web_routes=routes)] == ["/pets", "/v1/a"]


def test_what_a_struct_is_made_with_is_told_as_a_mount() -> None:
    text = f"""
        package web
        {GIN}
        func Run(engine *gin.Engine) {{ x := Users{{db: open(), group: engine.Group("/users")}} }}
    """
    assert facts_of("Go", text).mounts == (Mount("Run", "Users.group", "/users", 4),)


def test_a_pattern_with_a_method_makes_a_route_on_any_router() -> None:
    text = """
        package web
        func put(r *bundle.Bundle) {
            r.HandleFunc("GET /users", list)
            r.HandleFunc("/unknown", list)
            r.HandleFunc("ASK /users", list)
        }
    """
    assert [(it.method, it.path) for it in facts_of("Go", text).routes] == [("GET", "/users")]
