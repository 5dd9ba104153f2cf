"""Where a package for routes is used and no route was recognised, pages say so."""

from __future__ import annotations

from stationmaster.wiki.facts.unread import unread, unread_sql
from stationmaster.wiki.pages import gaps
from stationmaster.wiki.pages.interfaces import configuration, http
from stationmaster.wiki.text.inline import Place
from tests.wiki.commits import facts_of, written

MANIFEST = '[project]\nname = "shop"\ndependencies = ["flask"]\n'
ODD = {"pyproject.toml": MANIFEST, "shop.py": "import flask\n\nodd(flask).routes('/x')\n" * 200}


def test_a_framework_without_routes_is_named_on_both_pages() -> None:
    facts = facts_of(ODD)
    assert unread(facts) == (("HTTP routes", "flask", Place("pyproject.toml", 3)),)
    [planned] = http.plan(facts)
    told = written(facts, planned.write, key=planned.key)
    assert "The code uses `flask`" in told
    assert "none of its routes was recognised" in told
    described = '{"swagger": "2.0", "paths": {"/x": {"get": {"responses": {}}}}}'
    beside = facts_of({**ODD, "swagger.json": described})
    assert "none of its routes was recognised" in written(beside, next(http.plan(beside)).write)
    body = written(facts, next(each for each in gaps.plan(facts) if each.key == "gaps").write)
    assert "| HTTP routes | `flask` | [`pyproject.toml:3`]" in body


def test_what_answers_calls_or_runs_servers_has_no_routes_to_understand() -> None:
    manifest = MANIFEST.replace("flask", "grpcio").replace('"]', '", "uvicorn"]')
    code = "import grpcio\nimport uvicorn\n"
    assert unread(facts_of({"pyproject.toml": manifest, "shop.py": code})) == ()


def test_what_was_understood_and_what_nothing_imports_is_not_missing() -> None:
    routed = "import flask\napp = flask.Flask('x')\n\n@app.get('/x')\ndef x():\n    pass\n"
    assert unread(facts_of({**ODD, "shop.py": routed})) == ()
    assert unread(facts_of({**ODD, "shop.py": "x = 1\n"})) == ()


def test_a_package_for_settings_that_were_not_read_is_named_where_settings_stand() -> None:
    manifest = '[project]\nname = "shop"\ndependencies = ["dynaconf"]\n'
    facts = facts_of({"pyproject.toml": manifest, "shop.py": "import dynaconf\n"})
    [planned] = configuration.plan(facts)
    told = written(facts, planned.write, key=planned.key)
    assert "The code uses `dynaconf` ([`pyproject.toml:3`]" in told
    assert "none of its settings was recognised" in told


def test_a_framework_of_php_is_named_although_its_package_does_not_tell_what_is_imported() -> None:
    facts = facts_of({
        "composer.json": '{"require": {"mezzio/mezzio": "^3"}}',
        "src/run.php": "<?php\nuse Mezzio\\Application;\n",
    })  # fmt: skip
    assert [(it.what, it.package) for it in unread(facts)] == [("HTTP routes", "mezzio/mezzio")]


def test_a_view_set_without_a_route_is_named_unless_others_are_built_on_it() -> None:
    facts = facts_of({
        "pyproject.toml": MANIFEST.replace("flask", "djangorestframework"),
        "views.py": "from rest_framework.viewsets import ModelViewSet, ReadOnlyModelViewSet\n\n\n"
        "class Base(ModelViewSet):\n    pass\n\n\nclass Lost(Base):\n    pass\n\n\n"
        "class Seen(ReadOnlyModelViewSet):\n    pass\n",
        "urls.py": "from django.urls import include, path\n"
        "from rest_framework.routers import DefaultRouter\nimport views\n"
        "router = DefaultRouter()\nrouter.register('seen', views.Seen)\n"
        "urlpatterns = [path('api/', include(router.urls))]\n",
    })  # fmt: skip
    body = written(facts, next(it for it in gaps.plan(facts) if it.key == "gaps").write)
    _, _, behind = body.partition("## View sets that no known route leads to")
    assert "`Lost`, [`views.py:8`]" in behind
    assert "`Base`" not in behind
    assert "`Seen`" not in behind


def test_servlets_answer_at_paths_that_are_not_known() -> None:
    facts = facts_of({
        "src/Action.java": "package shop;\nimport javax.servlet.http.HttpServletRequest;\n"
        "public abstract class Action {\n"
        "  public void doPost(HttpServletRequest request) { }\n}\n",
        "src/Pay.java": "package shop;\nimport javax.servlet.http.HttpServletRequest;\n"
        "public class Pay extends Action {\n"
        "  public void doPost(HttpServletRequest request) { pay(); }\n}\n",
    })  # fmt: skip
    assert [(it.what, it.package, it.place.line) for it in unread(facts)] == [
        ("HTTP routes", "Action", 4)
    ]


def test_sql_that_creates_tables_of_which_none_is_read_is_told() -> None:
    facts = facts_of(
        {
            "a/1.sql": "CREATE TABLE orders (id int);\n",
            "b/1.sql": "CREATE TABLE <% prefix %> (id int);\n",
            "c/1.sql": "CREATE TABLE <% old %> (id int);\n",
            "c/2.sql": "DROP TABLE <% old %>;\n",
            "d/Export.java": 'class Export {\n  String s = """\n'
            '  CREATE TABLE <% n %> (id int)""";\n}\n',
        }
    )
    assert unread_sql(facts) == ("b/1.sql",)
