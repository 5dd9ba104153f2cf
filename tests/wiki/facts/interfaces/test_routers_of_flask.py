"""Routes of Flask that blueprints and resources make together, and what is asked before them."""

from __future__ import annotations

import pytest

from stationmaster.wiki.facts.interfaces.routes import endpoints
from tests.wiki.commits import facts_of

FILES = {
    "shop/api.py": """
from flask import Blueprint
from flask_restful import Api

from shop.resources import Open, Order

api = Blueprint("api", __name__, url_prefix="/api")
resources = Api(api, prefix="/v1")
resources.add_resource(Order, "/orders/<id>")
resources.add_resource(Open, "/open")
""",
    "shop/resources.py": """
from flask_restful import Resource


def need_login(f):
    return f


class Order(Resource):
    method_decorators = [need_login]

    def get(self, id):
        return id


class Open(Resource):
    def get(self):
        return 1
""",
    "shop/web.py": """
from flask import Blueprint, abort

pages = Blueprint("pages", __name__)


@pages.url_value_preprocessor
def pull_order(endpoint, values):
    if not values:
        abort(404)


@pages.before_request
def count():
    print("one more")


@pages.route("/orders")
def orders():
    return ""
""",
    "shop/main.py": """
from flask import Flask

from shop.api import api
from shop.web import pages

app = Flask(__name__)
app.register_blueprint(pages)
app.register_blueprint(api)
""",
}


def test_resources_are_below_the_blueprint_of_their_api_and_guarded_by_their_decorators() -> None:
    found = {each.route: [it.name for it in each.guards] for each in endpoints(facts_of(FILES))}
    assert found == {
        "/api/v1/orders/<id>": ["need_login"],
        "/api/v1/open": [],
        "/orders": ["pull_order"],
    }


LOGIN = """
from flask import Flask, abort, request

app = Flask(__name__)


@app.before_request
def check_login():
    if has_password():
        # These are asked for elsewhere.
        {}
        abort(401)


@app.route("/api/orders")
def of_api():
    return ""


@app.route("/orders")
def orders():
    return ""


@app.route("/login")
def login():
    return ""
"""


@pytest.mark.parametrize(
    ("lines", "guarded"),
    [
        (["pass"], ["/api/orders", "/login", "/orders"]),
        (['if request.path.startswith("/api/"):', "    return"], ["/login", "/orders"]),
        (['if request.path.startswith(("/api/", "/log")):', "    return None"], ["/orders"]),
        (['if request.path == "/login" or request.endpoint == "of_api":', "    return"],
         ["/orders"]),
        (["if request.endpoint in ('login', 'static'):", "    # Else nobody could.", "    return"],
         ["/api/orders", "/orders"]),
        (['if not request.path.startswith("/api/"):', "    return"],
         ["/api/orders", "/login", "/orders"]),
        (['if request.path.startswith("/api/") and is_own():', "    return"],
         ["/api/orders", "/login", "/orders"]),
        (['if request.path.startswith("/api/"):', "    check()", "    return"],
         ["/api/orders", "/login", "/orders"]),
        (['if request.method == "GET":', '    if request.path.startswith("/api/"):',
          "        return"], ["/api/orders", "/login", "/orders"]),
        (["if is_banned():", "    abort(403)", 'if request.path.startswith("/api/"):',
          "    return"], ["/api/orders", "/login", "/orders"]),
    ],
)  # fmt: skip
def test_a_guard_of_all_routes_is_none_of_those_that_it_lets_pass(
    lines: list[str], guarded: list[str]
) -> None:
    text = LOGIN.format(("\n" + " " * 8).join(lines))
    found = endpoints(facts_of({"shop/main.py": text}))
    assert sorted(each.route for each in found if each.guards) == guarded


def test_a_blueprint_without_routes_of_its_own_puts_its_prefix_before_those_of_other_files() -> (
    None
):
    contents = {
        "shop/__init__.py": """
from flask import Flask


def create_app():
    app = Flask(__name__)
    from shop.api import bp as api_bp
    app.register_blueprint(api_bp, url_prefix="/api")
    return app
""",
        "shop/api/__init__.py": """
from flask import Blueprint

bp = Blueprint("api", __name__)

from shop.api import orders
""",
        "shop/api/orders.py": """
from shop.api import bp


@bp.route("/orders")
def orders():
    return ""
""",
    }
    assert [it.route for it in endpoints(facts_of(contents))] == ["/api/orders"]
