"""Routes of JAX-RS, which classes answer with what they build on."""

from __future__ import annotations

from stationmaster.wiki.facts.interfaces.routes import endpoints
from tests.wiki.commits import facts_of

BASE = """package shop;
import jakarta.ws.rs.*;
public abstract class Base<T> {
    @GET @Path("{id}")
    public T one(@PathParam("id") long id) { return null; }
    @POST
    public T add(T value) { return value; }
    @GET
    public List<T> all(@QueryParam("a") String a, @QueryParam("b") Map<A, B> b) { return null; }
}
"""
ORDERS = """package shop;
import jakarta.ws.rs.*;
@Path("orders")
public class Orders extends Base<Order> {
    @POST
    public Order add(Order value) { return value; }
    @GET @Path("late")
    public List<Order> all(@QueryParam("a") String a) { return null; }
}
"""
APPLICATION = """package shop;
import jakarta.ws.rs.ApplicationPath;
@ApplicationPath("/api")
public class App {}
"""


def routes(**classes: str) -> list[tuple[str, str, str, int, str]]:
    contents = {
        f"src/main/java/{text.split(';')[0].removeprefix('package ')}/{name}.java": text
        for name, text in classes.items()
    }
    return [
        (*it.methods, it.route, it.path.rpartition("/")[2], it.line, it.handler)
        for it in endpoints(facts_of(contents))
    ]


def test_a_class_with_a_path_answers_with_the_methods_of_the_class_that_it_builds_on() -> None:
    assert routes(Base=BASE, Orders=ORDERS, App=APPLICATION) == [
        ("GET", "/api/orders", "Base.java", 8, "Base.all"),
        ("POST", "/api/orders", "Orders.java", 5, "Orders.add"),
        ("GET", "/api/orders/late", "Orders.java", 7, "Orders.all"),
        ("GET", "/api/orders/{id}", "Base.java", 4, "Base.one"),
    ]


def test_a_class_without_a_path_answers_nothing_and_two_applications_tell_no_path() -> None:
    assert routes(Base=BASE, App=APPLICATION) == []
    other = APPLICATION.replace("/api", "/internal").replace("App ", "Internal ")
    found = routes(Base=BASE, Orders=ORDERS, App=APPLICATION, Internal=other)
    assert [each[1] for each in found] == ["/orders", "/orders", "/orders/late", "/orders/{id}"]


def test_of_several_applications_a_class_is_below_that_which_has_its_package() -> None:
    server = """package web;
import admin.Admin;
import org.glassfish.jersey.servlet.ServletContainer;
public class Server {
    void start() {
        config.packages("shop", "till");
        final var shop = new ServletHolder(new ServletContainer(config));
        context.addServlet(shop, "/api/*");
        context.addServlet(new ServletHolder(new ServletContainer(new Admin())), "/admin/*");
    }
}
"""
    admin = """package admin;
public class Admin extends ResourceConfig {
    public Admin() { property(PROVIDER_PACKAGES, getClass().getPackageName()); }
}
"""
    users = BASE.replace("package shop", "package admin").replace(
        "public abstract class Base<T>", '@Path("users") public class Users'
    )
    found = routes(Base=BASE, Orders=ORDERS, Server=server, Admin=admin, Users=users)
    assert {each[1] for each in found if each[2] == "Users.java"} == {
        "/admin/users", "/admin/users/{id}",
    }  # fmt: skip
    assert all(each[1].startswith("/api/orders") for each in found if each[2] != "Users.java")
    whole = server.replace("new Admin()", "new admin.Admin()").replace("import admin.Admin;\n", "")
    assert routes(Base=BASE, Orders=ORDERS, Server=whole, Admin=admin, Users=users) == found
