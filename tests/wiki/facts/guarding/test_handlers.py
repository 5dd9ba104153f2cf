"""Guards that handlers have by themselves or by their classes."""

from stationmaster.wiki.facts.guarding.guards import Guard
from stationmaster.wiki.facts.interfaces.routes import endpoints
from stationmaster.wiki.facts.model import Spot
from tests.wiki.commits import facts_of


def test_what_runs_before_handlers_of_tornado_or_stands_in_them_guards_where_it_refuses() -> None:
    facts = facts_of({
        "base.py": "from tornado import web\n\n\nclass Base(web.RequestHandler):\n"
        "    def prepare(self):\n        if not self.settings['open']:\n"
        "            raise web.HTTPError(\n                401, 'closed')\n",
        "app.py": "from tornado import web\nfrom base import Base\n\n\n"
        "class Stop(Base):\n    def post(self, name):\n        '''\nStops one.\n        '''\n"
        "        if self.settings['read_only']:\n            raise web.HTTPError(403, 'no')\n"
        "        for it in name:\n            if it:\n                raise web.HTTPError(403)\n"
        "\n\n"
        "class Show(Base):\n    def prepare(self):\n        self.seen = True\n\n"
        "    def get(self):\n        if self.seen:\n            raise web.HTTPError(404)\n\n\n"
        "handlers = [(r'/stop/(.+)', Stop), (r'/show', Show)]\n",
    })  # fmt: skip
    assert {it.route: it.guards for it in endpoints(facts)} == {
        "/stop/(.+)": (
            Guard("Base.prepare", Spot("base.py", "Base.prepare")),
            Guard("web.HTTPError(403)", None, "if self.settings['read_only']"),
        ),
        "/show": (),
    }
