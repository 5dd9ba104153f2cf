"""Routers of FastAPI that build on its own: their paths, and the dependencies that guard them."""

from __future__ import annotations

from stationmaster.wiki.facts.guarding.guards import Guard
from stationmaster.wiki.facts.interfaces.routes import endpoints
from stationmaster.wiki.facts.model import Facts, Spot
from tests.wiki.commits import facts_of

BASES = """
from fastapi import APIRouter, Depends
from shop.people import an_admin


class ApiRouter(APIRouter):
    def __init__(self, prefix: str = "", **kwargs):
        super().__init__(prefix="/api" + prefix, **kwargs)


class AdminRouter(ApiRouter):
    def __init__(self, tags: list[str], prefix: str = "/admin"):
        super().__init__(tags=tags, prefix=prefix, dependencies=[Depends(an_admin)])
"""
PEOPLE = "def an_admin(): ...\n\n\ndef logged_in(): ...\n"
ADMIN = Guard("an_admin", Spot("shop/people.py", "an_admin"))
LOGGED_IN = Guard("logged_in", Spot("shop/people.py", "logged_in"))


def shown(facts: Facts) -> dict[str, tuple[Guard, ...]]:
    return {each.route: each.guards for each in endpoints(facts)}


def test_a_class_of_another_file_that_builds_on_a_router_is_one_and_guards_what_is_below() -> None:
    facts = facts_of(
        {
            "shop/__init__.py": "",
            "shop/people.py": PEOPLE,
            "shop/bases.py": BASES,
            "shop/backups.py": "from fastapi import APIRouter\n"
            'router = APIRouter(prefix="/backups")\n\n\n'
            '@router.get("/{name}")\ndef one(name): ...\n',
            "shop/admin.py": "from shop.bases import AdminRouter\nfrom shop import backups\n"
            'router = AdminRouter(["Admin"])\nrouter.include_router(backups.router)\n'
            'other = AdminRouter([], "/other")\nother.add_api_route("/late", late)\n\n\n'
            '@other.post("/now")\ndef now(): ...\n',
            "shop/main.py": "from fastapi import FastAPI\nfrom shop import admin\n"
            "app = FastAPI()\napp.include_router(admin.router)\n",
        }
    )
    assert shown(facts) == {
        "/api/admin/backups/{name}": (ADMIN,),
        "/api/other/late": (ADMIN,),
        "/api/other/now": (ADMIN,),
    }


def test_dependencies_of_routers_and_of_what_includes_them_guard_routes_from_outside_in() -> None:
    facts = facts_of(
        {
            "shop/__init__.py": "",
            "shop/people.py": PEOPLE,
            "shop/orders.py": "from fastapi import APIRouter, Depends\n"
            "from shop.people import logged_in\n"
            "CLOSED = [Depends(a_session), Depends(logged_in)]\n"
            'router = APIRouter(prefix="/orders", dependencies=CLOSED)\nfree = APIRouter()\n\n\n'
            '@router.get("/all")\ndef every(): ...\n\n\n'
            '@free.get("/free")\ndef nothing(): ...\n',
            "shop/main.py": "from fastapi import Depends, FastAPI\n"
            "from shop import orders\nfrom shop.people import an_admin\n"
            'app = FastAPI()\nBASE = "/v1"\n'
            'app.include_router(orders.router, prefix=f"{BASE}/x", '
            "dependencies=[Depends(an_admin)])\napp.include_router(orders.free)\n",
        }
    )
    assert shown(facts) == {"/v1/x/orders/all": (ADMIN, LOGGED_IN), "/free": ()}


def test_a_function_that_makes_routers_gives_them_its_own_prefix_and_guards() -> None:
    facts = facts_of(
        {
            "shop/__init__.py": "",
            "shop/people.py": PEOPLE,
            "shop/making.py": "from fastapi import APIRouter, Depends\n"
            "from shop.people import logged_in\n\n\n"
            'def private(prefix: str = "/private"):\n'
            "    return APIRouter(prefix=prefix, dependencies=[Depends(logged_in)])\n",
            "shop/till.py": "from shop.making import private\nrouter = private()\n\n\n"
            '@router.get("/till")\ndef till(): ...\n',
        }
    )
    assert shown(facts) == {"/private/till": (LOGGED_IN,)}


def test_a_class_that_is_only_named_like_a_router_is_none() -> None:
    facts = facts_of(
        {
            "shop/__init__.py": "",
            "shop/bases.py": "from phones import BaseRouter\n\n\n"
            "class OwnRouter(BaseRouter):\n    pass\n",
            "shop/calls.py": "from shop.bases import OwnRouter\nrouter = OwnRouter()\n\n\n"
            '@router.get("/x")\ndef x(): ...\n',
        }
    )
    assert shown(facts) == {}


def test_handlers_of_a_class_are_guarded_by_what_its_attributes_or_the_nearest_base_depend_on() -> (
    None
):
    facts = facts_of(
        {
            "shop/__init__.py": "",
            "shop/people.py": PEOPLE,
            "shop/bases.py": "from fastapi import Depends\n"
            "from shop.people import an_admin, logged_in\n\n\n"
            "class People:\n    session: Session = Depends(a_session)\n"
            "    user: User = Depends(logged_in)\n\n\n"
            "class Admins(People):\n    user: User = Depends(an_admin)\n\n"
            "    def late(\n        self,\n        key: str = Depends(auth_key),\n    ): ...\n",
            "shop/till.py": "from fastapi import APIRouter\nfrom shop.bases import Admins, People\n"
            "router = APIRouter()\n\n\n@controller(router)\nclass Tills(Admins):\n"
            '    @router.get("/till")\n    def till(self):\n        return 1\n\n\n'
            "@controller(router)\nclass Shops(People):\n"
            '    @router.get("/shop")\n    def shop(self):\n        return 1\n',
        }
    )
    assert shown(facts) == {"/till": (ADMIN,), "/shop": (LOGGED_IN,)}


def test_routes_that_a_loop_adds_have_whole_paths_and_the_conditions_of_their_routers() -> None:
    found = endpoints(facts_of({
        "shop/__init__.py": '__apiversion__ = "4"\n',
        "shop/app.py": '''from fastapi import APIRouter, Depends, FastAPI

from shop import __apiversion__


class Api:
    VERSION = __apiversion__

    def __init__(self, args):
        self.args = args
        self.prefix = ""
        if args.prefix:
            self.prefix = args.prefix
        self._app = FastAPI()
        self._app.include_router(self._open())
        self._app.include_router(self._closed())

    def _open(self):
        router = APIRouter(prefix=self.prefix)
        router.add_api_route(f"/api/{self.VERSION}/token", self._token, methods=["POST"])
        return router

    def _closed(self):
        base = f"/api/{self.VERSION}"
        till = f"{base}/{{till}}"
        if self.args.password:
            router = APIRouter(prefix=self.prefix, dependencies=[Depends(self.authentication)])
        else:
            router = APIRouter(prefix=self.prefix)
        table = {
            f"{base}/all": self._all,
            f"{till}": self._one,
        }
        for path, endpoint in table.items():
            router.add_api_route(path, endpoint)
        for path in unknown():
            router.add_api_route(path, self._far)
        for path, (endpoint, name) in (("/a", (self._a, "a")), ("/b", (self._b, "b"))):
            router.add_api_route(path, endpoint)
        for name in ("x", "y"):
            router.add_api_route(f"/in/{name}/{{id}}", self._one)
        if not self.args.plain:
            router.add_api_route("/", self._index)
        return router

    def authentication(self):
        raise HTTPException(401)

    def _all(self):
        """All."""
''',
    }))  # fmt: skip
    guard = ["self.authentication, if self.args.password"]
    assert [
        (it.route, it.line, it.handler, [guard.words for guard in it.guards], it.condition)
        for it in found
    ] == [
        ("/", 43, "self._index", guard, "if not self.args.plain"),
        ("/a", 38, "self._a", guard, ""),
        ("/api/4/all", 31, "self._all", guard, ""),
        ("/api/4/token", 20, "self._token", [], ""),
        ("/api/4/{till}", 32, "self._one", guard, ""),
        ("/b", 38, "self._b", guard, ""),
        ("/in/x/{id}", 41, "self._one", guard, ""),
        ("/in/y/{id}", 41, "self._one", guard, ""),
    ]
