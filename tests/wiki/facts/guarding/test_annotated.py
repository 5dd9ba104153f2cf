"""Annotations of handlers that filters of Java read before a request comes to them."""

from __future__ import annotations

from stationmaster.wiki.facts.interfaces.routes import endpoints
from tests.wiki.commits import facts_of

ORDERS = """package shop;
import jakarta.ws.rs.*;
@Path("/orders")
@Needs("class")
public class Orders {
    @GET @Needs({Rights.SEE, Rights.SELL}) @Produces("text/plain")
    public String all() { return ""; }
    @GET @Path("/open") @Anybody
    public String open() { return ""; }
    @GET @Path("/slow") @Traced("here")
    public String slow() { return ""; }
}
"""
FILTER = """package shop;
import jakarta.ws.rs.container.*;
public class RightsFilter implements ContainerRequestFilter {
    public void filter(ContainerRequestContext context) {
        final Needs needs = info.getResourceMethod().getDeclaredAnnotation(Needs.class);
        if (needs == null) {
            return;
        }
        throw new ForbiddenException();
    }
}
"""
SIGNED_IN = """package shop;
import jakarta.ws.rs.container.*;
public class SignedInFilter implements ContainerRequestFilter {
    public void filter(ContainerRequestContext context) {
        context.abortWith(Response.status(Response.Status.UNAUTHORIZED).build());
    }
}
"""
FEATURE = """package shop;
import jakarta.ws.rs.container.*;
public class SignedIn implements DynamicFeature {
    public void configure(ResourceInfo info, FeatureContext context) {
        if (!info.getResourceMethod().isAnnotationPresent(Anybody.class)) {
            context.register(SignedInFilter.class);
        }
        if (info.getResourceMethod().isAnnotationPresent(Traced.class)) {
            context.register(Tracer.class);
        }
    }
}
"""


def guarded(**classes: str) -> list[tuple[str, list[str], bool]]:
    facts = facts_of({f"src/main/java/shop/{name}.java": text for name, text in classes.items()})
    return [
        (it.route, [guard.name for guard in it.guards], it.is_public) for it in endpoints(facts)
    ]


def test_an_annotation_that_a_filter_refuses_requests_for_is_a_guard_with_its_arguments() -> None:
    assert guarded(Orders=ORDERS, RightsFilter=FILTER) == [
        ("/orders", ["Needs({Rights.SEE, Rights.SELL})"], False),
        ("/orders/open", [], False),
        ("/orders/slow", [], False),
    ]
    tracing = FILTER.replace("throw new ForbiddenException();", "trace(needs);")
    assert [it[1] for it in guarded(Orders=ORDERS, RightsFilter=tracing)] == [[], [], []]


def test_a_route_is_public_by_the_annotation_without_which_a_feature_asks_who_sends() -> None:
    classes = {"Orders": ORDERS, "SignedIn": FEATURE, "SignedInFilter": SIGNED_IN}
    assert [it[2] for it in guarded(**classes)] == [False, True, False]
    allowing = SIGNED_IN.replace("UNAUTHORIZED", "BAD_REQUEST")
    assert not any(it[2] for it in guarded(**classes | {"SignedInFilter": allowing}))


def test_a_filter_that_lets_requests_pass_with_an_annotation_makes_their_routes_public() -> None:
    passing = SIGNED_IN.replace(
        "        context.",
        "        if (method.isAnnotationPresent(Anybody.class)) return;\n        context.",
    )
    found = guarded(Orders=ORDERS, SignedInFilter=passing)
    assert [it[2] for it in found] == [False, True, False]
