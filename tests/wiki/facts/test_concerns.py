"""What is set up for watching, for safety and for what people see."""

from stationmaster.reading.code.model import FileFacts, Import, Route
from stationmaster.wiki.facts.concerns import (
    components,
    guards,
    health_routes,
    policies,
    screens,
    set_up,
)
from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.pages import concerns
from tests.wiki.commits import facts_of, written

PACKAGE = '{"name": "web", "dependencies": {"@tanstack/react-router": "1"}}'


def given() -> Facts:
    return facts_of({
        "app.py": "import jwt\nimport logging\nimport sentry_sdk\nfrom passlib import hash\n",
        "jwtools.py": "import jwtools.other\n", "tests/test_app.py": "import opentelemetry\n",
        "SECURITY.md": "# Security\n", "web/package.json": PACKAGE,
        "web/src/routes/_layout/items.$id.tsx": "", "web/src/routes/__root.tsx": "",
        "web/src/routes/_layout.tsx": "", "web/src/components/a/Button.tsx": "",
    })  # fmt: skip


def test_packages_tell_what_is_there_and_where() -> None:
    facts = given()
    assert [(e.topic, e.package, e.count, e.places) for e in set_up(facts, "security")] == [
        ("Tokens", "jwt", 1, (("app.py", 1),)), ("Passwords", "passlib", 1, (("app.py", 4),)),
    ]  # fmt: skip
    assert [e.package for e in set_up(facts, "observability")] == ["logging", "sentry_sdk"]


def test_routes_tell_guards_and_whether_all_is_well() -> None:
    facts = facts_of({"app.py": ""})
    imports = (Import("jwt", 1, bound=("jwt",)),)
    facts.code = {"app.py": FileFacts(imports=imports, routes=(
        Route("GET", "/api/healthz", 3, guard=""), Route("GET", "/healthy-food", 4, guard="login"),
        Route("GET", "/b", 5, guard="login"),
    ))}  # fmt: skip
    assert health_routes(facts) == (("/api/healthz", "app.py", 3),)
    assert guards(facts) == (("login", 2, "app.py", 4),)


def test_screens_components_and_policies_lie_in_files() -> None:
    facts = given()
    assert [each.route for each in screens(facts)] == ["/items/{id}"]
    assert components(facts) == (("web/src/components", 1),)
    assert policies(facts) == ("SECURITY.md",)


def test_pages_say_that_they_are_no_verdict_and_stay_away_without_facts() -> None:
    facts = given()
    bodies = {e.key: written(facts, e.write, None, e.key) for e in concerns.plan(facts)}
    assert "| `jwt` | 1 | [`app.py:1`](source:app.py#L1) |" in bodies["security"]
    assert all(
        "no verdict" in bodies[key] for key in ("security", "observability") if key in bodies
    )
    assert not list(concerns.plan(facts_of({"app.py": "import json\n"})))
