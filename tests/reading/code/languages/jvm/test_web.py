"""Routes that calls on builders of routers make, and paths of servlets."""

from __future__ import annotations

import pytest

from stationmaster.reading.code.model import Mount
from stationmaster.reading.code.reading import read


def routes(language: str, text: str) -> list[tuple[str, str, str, int]]:
    facts = read(language, text.encode())
    return [(each.method, each.path, each.handler, each.line) for each in facts.routes]


def test_routes_of_javalin_stand_below_the_paths_of_the_functions_around_them() -> None:
    text = """package shop;
import io.javalin.Javalin;
import static io.javalin.apibuilder.ApiBuilder.*;
class Shop {
  void start(Javalin app) {
    app.get("/health", this::health);
    app.routes(() -> path("orders", () -> {
      post(Orders::add);
      get("{id}", Orders::one);
      delete("/{id}", ctx -> ctx.status(204));
    }));
    map.get("health");
  }
}
"""
    assert routes("Java", text) == [
        ("GET", "/health", "Shop.health", 6),
        ("POST", "/orders", "Orders.add", 8),
        ("GET", "/orders/{id}", "Orders.one", 9),
        ("DELETE", "/orders/{id}", "", 10),
    ]


def test_roles_of_javalin_and_blocks_of_ktor_guard_unless_anybody_may_ask() -> None:
    javalin = """package shop
import io.javalin.apibuilder.ApiBuilder.*
fun register() {
  path("tills") {
    get(tills::all, Roles.ANYONE, Roles.CLERK)
    put("{id}", tills::one, Roles.CLERK, Roles.OWNER)
  }
}
"""
    ktor = """package shop
import io.ktor.server.routing.*
fun Route.tills() {
  authenticate(optional = true) { get("/tills") { } }
  authenticate { put("/tills") { } }
}
"""
    facts = read("Kotlin", javalin.encode()), read("Kotlin", ktor.encode())
    assert [[(it.method, it.guard) for it in each.routes] for each in facts] == [
        [("GET", ""), ("PUT", "Roles.CLERK, Roles.OWNER")],
        [("GET", ""), ("PUT", "authenticate")],
    ]


def test_a_route_of_vertx_has_the_handler_of_the_call_on_it() -> None:
    text = """package shop
import io.vertx.ext.web.Router
class Shop {
  fun mount(router: Router) {
    router.get("/orders").handler(this::orders)
    router.route("/files/*").handler { it.next() }
  }
}
"""
    assert routes("Kotlin", text) == [
        ("GET", "/orders", "Shop.orders", 5),
        ("ANY", "/files/*", "", 6),
    ]


@pytest.mark.parametrize("made", ['sb.service("/health", h)', 'sb\n.service("/health", h)'])
def test_services_and_annotations_of_armeria_are_routes(made: str) -> None:
    text = f"""package shop;
import com.linecorp.armeria.server.ServerBuilder;
import com.linecorp.armeria.server.annotation.Get;
class Shop {{
  @Get("/orders/:id") String order() {{ return ""; }}
  void add(ServerBuilder sb) {{ {made}; }}
}}
"""
    assert [row[:3] for row in routes("Java", text)] == [
        ("GET", "/orders/:id", "Shop.order"),
        ("ANY", "/health", ""),
    ]


def test_a_servlet_that_a_variable_holds_has_the_packages_of_its_configuration() -> None:
    text = """import org.glassfish.jersey.servlet.ServletContainer;
class Server { void init() {
    config.packages("shop.orders", "shop.tills");
    var orders = new ServletHolder("orders",
        new ServletContainer(config));
    handler.addServlet(orders, "/api/*");
    handler.addServlet(new ServletHolder(new ServletContainer(new Admin())), "/admin/*");
} }
"""
    assert read("Java", text.encode()).mounts == (
        Mount("@ApplicationPath", "shop.orders, shop.tills", "/api", 6),
        Mount("@ApplicationPath", "Admin", "/admin", 7),
    )
