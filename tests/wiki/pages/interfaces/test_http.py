from stationmaster.reading.code.model import FileFacts, Route
from stationmaster.wiki.pages.interfaces import http
from tests.wiki.commits import facts_of, written


def test_the_page_tells_methods_paths_handlers_and_guards() -> None:
    facts = facts_of({"app.py": ""})
    facts.code = {"app.py": FileFacts(routes=(
        Route("GET", "/users", 3, "users", "app", "login_required", "Flask"),
        Route("POST", "/users", 3, "users", "app", "login_required", "Flask"),
    ))}  # fmt: skip
    (planned,) = http.plan(facts)
    body = written(facts, planned.write, None, planned.key)
    assert "1 route is declared with Flask." in body
    assert (
        "| GET POST | `/users` | `users` [`app.py:3`](source:app.py#L3) | `login_required` |"
        in body
    )


def test_without_routes_there_is_no_page() -> None:
    assert not list(http.plan(facts_of({"app.py": ""})))


def test_many_routes_get_pages_of_their_own() -> None:
    facts = facts_of({"app.py": ""})
    facts.code = {"app.py": FileFacts(routes=tuple(
        Route("GET", f"/{'ab'[n % 2]}/{n:03}", n, "", "app") for n in range(121)
    ))}  # fmt: skip
    planned = list(http.plan(facts))
    assert [each.title for each in planned] == [
        "HTTP API", "HTTP API: /a, part 1", "HTTP API: /b, part 1",
    ]  # fmt: skip
