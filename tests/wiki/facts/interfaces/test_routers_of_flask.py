"""Routes of Flask that blueprints and resources make together, and what is asked before them."""

from __future__ import annotations

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
