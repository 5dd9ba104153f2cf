"""Routes of routers that a program of Rust puts together."""

from __future__ import annotations

from tests.reading.code.reading import facts_of


def test_a_router_that_is_merged_into_another_is_nested_with_it() -> None:
    facts = facts_of(
        "Rust",
        """
        use axum::{routing::get, Router};
        pub fn app() -> Router {
            let own = Router::new().route("/me", get(me));
            let open = Router::new().route("/health", get(health)).with_state(caps);
            let routes = open.layer(from_fn(auth::require)).merge(own);
            let routes = if path.is_empty() { routes } else { Router::new().nest("/api", routes) };
            routes.fallback(none)
        }
    """,
    )
    assert sorted((it.path, it.guard) for it in facts.routes) == [
        ("/api/health", "auth::require"), ("/api/me", ""),
    ]  # fmt: skip


def test_routes_and_jobs_of_what_is_compiled_for_tests_are_none_of_the_product() -> None:
    facts = facts_of(
        "Rust",
        """
        use axum::{routing::get, Router};
        fn app() -> Router { Router::new().route("/", get(index)) }
        #[cfg(test)]
        mod tests {
            fn tried() -> Router { Router::new().route("/probe", get(probe)) }
        }
        #[cfg(test)]
        fn also() { Router::new().route("/other", get(probe)); }
    """,
    )
    assert [it.path for it in facts.routes] == ["/"]
