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
    contents = {f"src/main/java/shop/{name}.java": text for name, text in classes.items()}
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
